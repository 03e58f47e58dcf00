package appearance

import (
	"fmt"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests/raster"
)

// A Model judges superpixels of windows. It is only read after Train.
type Model struct {
	o             Options
	First, Second *boost.Model
}

// A Sample is a described window to learn from, with its mask's word on its superpixels.
// Train takes from it what it needs no more.
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
	if len(samples) == 0 {
		return nil, fmt.Errorf("appearance: no windows to learn from")
	}
	before := 0 // stages
	watch := func(p boost.Progress) bool {
		trees := p.Sequences * p.Trees
		return progress == nil || progress(before*trees+p.Sequence*p.Trees+p.Tree, 2*trees)
	}
	// With the arrays of a network the rows of the first stage are gigabytes: they are kept as bins.
	columns, more := o.dims()
	parts := make([][]float32, len(samples))
	for i, s := range samples {
		parts[i], s.d.rows = s.d.rows, nil
	}
	rows := boost.BinParts(parts, columns, o.Trees.Borders, workers)
	clear(parts)
	first, err := stage(samples, rows, o, workers, watch)
	if err != nil {
		return nil, err
	}
	before = 1
	at := 0
	for i, s := range samples {
		parts[i] = s.d.context(first.Out[at:][:len(s.share)])
		s.d.pairs = [2][]float32{}
		at += len(s.share)
	}
	second, err := stage(samples, rows.Beside(boost.BinParts(parts, more, o.Trees.Borders, workers)), o, workers, watch)
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

// stage fits the trees of one stage to the rows of all samples.
func stage(samples []*Sample, rows *boost.Binned, o Options, workers int, watch func(boost.Progress) bool) (*boost.Cross, error) {
	var targets, weights []float32
	for _, s := range samples {
		targets = append(targets, s.share...)
		var sum float32
		for _, n := range s.seen {
			sum += n
		}
		for _, n := range s.seen { // every window weighs as much as its number of superpixels
			weights = append(weights, n*float32(len(s.seen))/max(sum, 1))
		}
	}
	cross, err := boost.CrossFit(boost.Data{Design: boost.Rows(rows), Outputs: 1, Targets: targets, Weights: weights},
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
	columns, more := m.o.dims()
	p = m.Second.PredictRows(feature.Beside(d.rows, columns, d.context(p), more), len(d.inside), 1)
	return d.paint(w, d.expand(p))
}
