package appearance

import (
	"fmt"

	"hdseg/ingest/raster"
	"hdseg/lscrf/boost"
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

// NewSample describes a window for Train. group names its picture: windows of one picture are held out together.
func NewSample(w Window, m *raster.Mask, group int, o Options) *Sample {
	s := &Sample{group: group, d: describe(w, o), w: w}
	share, seen := s.d.targets(w, m)
	for _, k := range s.d.inside {
		s.share, s.seen = append(s.share, share[k]), append(s.seen, seen[k])
	}
	s.w.Image, s.d.im, s.d.pairs = nil, nil, [2][]float32{} // not needed any more, or computed again
	return s
}

// Train learns a model of samples. It also returns for every sample the probability of figure in the frame of its box, Box.Dy() rows
// of Box.Dx(), as a model says that has not seen its picture. The result does not depend on workers. It is an error
// if there are fewer pictures than folds.
func Train(samples []*Sample, o Options, workers int, progress func() bool) (*Model, [][]float32, error) {
	if err := o.Validate(); err != nil {
		panic("appearance: " + err.Error())
	}
	m := &Model{o: o}
	watch := func(boost.Progress) bool { return progress == nil || progress() }
	first, err := m.stage(samples, func(s *Sample) []float32 { return s.d.rows }, workers, watch)
	if err != nil {
		return nil, nil, err
	}
	m.First = first.model
	k := -1
	second, err := m.stage(samples, func(s *Sample) []float32 {
		k++
		defer func() { s.d.pairs = [2][]float32{} }()
		return s.d.context(first.out[k], o)
	}, workers, watch)
	if err != nil {
		return nil, nil, err
	}
	m.Second = second.model
	out := make([][]float32, len(samples))
	for i, s := range samples {
		out[i] = s.d.paint(s.w, s.d.expand(second.out[i]))
	}
	return m, out, nil
}

// A fitted stage is its model and what models of other pictures say of every sample's superpixels.
type fitted struct {
	model *boost.Model
	out   [][]float32
}

func (m *Model) stage(samples []*Sample, rows func(s *Sample) []float32, workers int, watch func(boost.Progress) bool) (*fitted, error) {
	var x, targets, weights []float32
	var group []int
	for _, s := range samples {
		x = append(x, rows(s)...)
		targets = append(targets, s.share...)
		var sum float32
		for _, n := range s.seen {
			sum += n
		}
		for _, n := range s.seen { // every window weighs as much as its number of superpixels
			group = append(group, s.group)
			weights = append(weights, n*float32(len(s.seen))/max(sum, 1))
		}
	}
	n := len(targets)
	if n == 0 {
		return nil, fmt.Errorf("appearance: no windows to learn from")
	}
	binned := boost.NewBinning(x, n, len(x)/n, m.o.Trees.Borders, workers).Bin(x, n, workers)
	cross, err := boost.CrossFit(boost.Data{Design: boost.Rows(binned), Outputs: 1, Targets: targets, Weights: weights}, group, m.o.Folds, m.o.Trees, workers, watch)
	if err != nil {
		return nil, fmt.Errorf("appearance: %w", err)
	}
	if cross.Stopped {
		return nil, fmt.Errorf("appearance: stopped")
	}
	f := &fitted{model: cross.Model}
	for _, s := range samples {
		k := len(s.share)
		f.out = append(f.out, cross.Out[:k:k])
		cross.Out = cross.Out[k:]
	}
	return f, nil
}

// Judge returns the probability of figure in the frame of the window's box, Box.Dy() rows of Box.Dx().
func (m *Model) Judge(w Window) []float32 {
	d := describe(w, m.o)
	p := m.First.PredictRows(d.rows, len(d.inside), 1)
	p = m.Second.PredictRows(d.context(p, m.o), len(d.inside), 1)
	return d.paint(w, d.expand(p))
}
