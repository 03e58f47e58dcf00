package appearance

import (
	"fmt"

	"hdseg/lscrf/tools/boost"
	"hdseg/manifests/raster"
)

// A Model judges superpixels of windows. It is only read after Train.
type Model struct {
	o             Options
	First, Second *boost.Model
}

// A Sample is a described window to learn from, with its mask's word on its superpixels.
type Sample struct {
	group int
	d     *described
	w     Window
	share []float32
	seen  []float32
}

// NewSample describes a window for Train. group names its picture: windows of one picture are held
// out together.
func NewSample(w Window, m *raster.Mask, group int, o Options) *Sample {
	s := &Sample{group: group, d: describe(w, o), w: w}
	share, seen := s.d.targets(w, m)
	for _, k := range s.d.inside {
		s.share, s.seen = append(s.share, share[k]), append(s.seen, seen[k])
	}
	// not needed any more, or computed again
	s.w.Image, s.w.Dense, s.d.im, s.d.pairs = nil, nil, nil, [2][]float32{}
	return s
}

// A Trained is a model with those whose trees grew without a picture's group. What their second
// stage learned of other pictures had come from models of the first that may know the group, as is
// usual in stacking.
type Trained = boost.Held[*Model]

// Train learns a model of samples. The result does not depend on workers. It is an error if there
// are fewer pictures than folds. progress (may be nil) is called after every tree of both stages;
// the training ends with an error when it returns false.
func Train(samples []*Sample, o Options, workers int, progress func(done, total int) bool) (*Trained, error) {
	before := 0 // stages
	watch := func(p boost.Progress) bool {
		trees := p.Sequences * p.Trees
		return progress == nil || progress(before*trees+p.Sequence*p.Trees+p.Tree, 2*trees)
	}
	first, err := stage(samples, func(s *Sample, _ []float32) []float32 { return s.d.rows }, nil, o, workers, watch)
	if err != nil {
		return nil, err
	}
	before = 1
	second, err := stage(samples, func(s *Sample, said []float32) []float32 {
		defer func() { s.d.pairs = [2][]float32{} }()
		return s.d.context(said)
	}, first.Out, o, workers, watch)
	if err != nil {
		return nil, err
	}
	var without []*Model
	for f := range o.Folds { // both stages deal the same pictures alike
		without = append(without, &Model{o, first.Without[f], second.Without[f]})
	}
	return boost.NewHeld(&Model{o, first.Model, second.Model}, without, groups(samples), first.Fold), nil
}

// groups returns the group of every row that samples give.
func groups(samples []*Sample) (out []int) {
	for _, s := range samples {
		for range s.share {
			out = append(out, s.group)
		}
	}
	return out
}

// stage fits the trees of one stage to rows of every sample. said (may be nil) is what the models
// of other pictures said of all superpixels in the stage before.
func stage(samples []*Sample, rows func(s *Sample, said []float32) []float32, said []float32, o Options, workers int,
	watch func(boost.Progress) bool) (*boost.Cross, error) {
	superpixels := 0
	for _, s := range samples {
		superpixels += len(s.share)
	}
	first, more := o.dims()
	// with the arrays of a network a gigabyte: it must not grow by copies
	x := make([]float32, 0, superpixels*(first+more))
	var targets, weights []float32
	for _, s := range samples {
		if said == nil {
			x = append(x, rows(s, nil)...)
		} else {
			x = append(x, rows(s, said[len(targets):][:len(s.share)])...)
		}
		targets = append(targets, s.share...)
		var sum float32
		for _, n := range s.seen {
			sum += n
		}
		for _, n := range s.seen { // every window weighs as much as its number of superpixels
			weights = append(weights, n*float32(len(s.seen))/max(sum, 1))
		}
	}
	n := len(targets)
	if n == 0 {
		return nil, fmt.Errorf("appearance: no windows to learn from")
	}
	binned := boost.NewBinning(x, n, len(x)/n, o.Trees.Borders, workers).Bin(x, n, workers)
	cross, err := boost.CrossFit(boost.Data{Design: boost.Rows(binned), Outputs: 1, Targets: targets, Weights: weights},
		groups(samples), o.Folds, o.Trees, workers, watch)
	if err != nil {
		return nil, fmt.Errorf("appearance: %w", err)
	}
	return cross, nil
}

// Judge returns the probability of figure in the frame of the window's box, Box.Dy() rows of
// Box.Dx().
func (m *Model) Judge(w Window) []float32 {
	d := describe(w, m.o)
	p := m.First.PredictRows(d.rows, len(d.inside), 1)
	p = m.Second.PredictRows(d.context(p), len(d.inside), 1)
	return d.paint(w, d.expand(p))
}
