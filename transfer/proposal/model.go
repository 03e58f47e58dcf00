package proposal

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"

	"hdseg/lscrf/tools/boost"
)

// A Model predicts how much windows overlap an object. It is only read after Train.
type Model struct {
	o     Options
	Trees *boost.Model
}

// A Trained is a model with those that stand in for it where it must not have seen a picture.
type Trained = boost.Held[*Model]

// A Sample is some described windows of a scene with their overlaps.
type Sample struct {
	group   int
	rows    []float32
	overlap []float32
}

// NewSample describes windows of a scene whose objects are known. group names its picture. Of the candidates, by falling overlap, every
// second of the first 80, every 15th of the next 900 and every 80th of the rest are taken: about as many good as bad ones.
func NewSample(s *Scene, objects []image.Rectangle, group int, o Options) *Sample {
	type candidate struct {
		r       image.Rectangle
		overlap float64
	}
	var all []candidate
	for _, r := range windows(o) {
		c := candidate{r: r}
		for _, b := range objects {
			c.overlap = max(c.overlap, overlap(s.inPixels(r), b))
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.overlap, a.overlap) })
	out := &Sample{group: group}
	for i := 0; i < len(all); {
		out.rows = s.describe(out.rows, all[i].r)
		out.overlap = append(out.overlap, float32(all[i].overlap))
		switch {
		case i < 80:
			i += 2
		case i < 980:
			i += 15
		default:
			i += 80
		}
	}
	return out
}

// Train learns a model of samples. The result does not depend on workers. It is an error if there are fewer pictures than folds.
func Train(samples []*Sample, o Options, workers int, progress func() bool) (*Trained, error) {
	if err := o.Validate(); err != nil {
		panic("proposal: " + err.Error())
	}
	var x, targets []float32
	var group []int
	for _, s := range samples {
		x = append(x, s.rows...)
		targets = append(targets, s.overlap...)
		for range s.overlap {
			group = append(group, s.group)
		}
	}
	n := len(targets)
	if n == 0 {
		return nil, fmt.Errorf("proposal: no windows to learn from")
	}
	binned := boost.NewBinning(x, n, dims, o.Trees.Borders, workers).Bin(x, n, workers)
	watch := func(boost.Progress) bool { return progress == nil || progress() }
	cross, err := boost.CrossFit(boost.Data{Design: boost.Rows(binned), Outputs: 1, Targets: targets}, group, o.Folds, o.Trees, workers, watch)
	if err != nil {
		return nil, fmt.Errorf("proposal: %w", err)
	}
	if cross.Stopped {
		return nil, fmt.Errorf("proposal: stopped")
	}
	var without []*Model
	for _, m := range cross.Without {
		without = append(without, &Model{o, m})
	}
	return boost.NewHeld(&Model{o, cross.Model}, without, group, cross.Fold), nil
}

// A Window is a proposal.
type Window struct {
	Box    image.Rectangle // in the picture, not empty
	Score  float64         // predicted overlap with an object, about 0..1
	Weight float64         // of its vote; those of a picture sum to 1
}

// Propose returns at most Count windows of a scene, highest score first. None overlaps a better one by Overlap or
// more. Cost: one prediction for each of about Grid⁴/4 windows.
func (m *Model) Propose(s *Scene) []Window {
	all := windows(m.o)
	x := make([]float32, 0, dims*len(all))
	for _, r := range all {
		x = s.describe(x, r)
	}
	score := m.Trees.PredictRows(x, len(all), 1)
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(score[j], score[i]) })
	var out []Window
	var kept []image.Rectangle
	sum := 0.0
	for _, i := range order {
		if len(out) == m.o.Count {
			break
		}
		box := s.inPixels(all[i])
		if box.Empty() || slices.ContainsFunc(kept, func(r image.Rectangle) bool { return overlap(r, all[i]) >= m.o.Overlap }) {
			continue
		}
		kept = append(kept, all[i])
		w := Window{Box: box, Score: float64(score[i])}
		w.Weight = math.Exp(m.o.Sharpness * (w.Score - float64(score[order[0]])))
		sum += w.Weight
		out = append(out, w)
	}
	for i := range out {
		out[i].Weight /= sum
	}
	return out
}

// Encode returns the model as bytes; equal models give equal bytes.
func (m *Model) Encode() []byte {
	data, err := m.Trees.MarshalBinary()
	if err != nil {
		panic("proposal: " + err.Error()) // it never fails
	}
	return data
}

// Decode reads what Encode wrote of a model that was trained with options o.
func Decode(data []byte, o Options) (*Model, error) {
	m := &Model{o, new(boost.Model)}
	if err := m.Trees.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("proposal: %w", err)
	}
	if m.Trees.Binning.Dim() != dims || m.Trees.Pairs || m.Trees.Outputs != 1 {
		return nil, fmt.Errorf("proposal: got %d features, want %d", m.Trees.Binning.Dim(), dims)
	}
	return m, nil
}
