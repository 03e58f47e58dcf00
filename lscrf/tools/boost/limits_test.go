package boost

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// A tree asks only about the features that it drew: 0.05 of 40.
func TestColumnSample(t *testing.T) {
	x, _ := noisy(13, 500, 40)
	_, y := noisy(14, 500, 40)
	opt := Defaults()
	opt.Trees, opt.ColumnSample, opt.Depth = 60, 0.05, 8
	m, _ := mustFit(t, rowData(x, y, 40, 16), opt, 1)
	seen := map[int32]bool{}
	for i, tree := range m.Sequences[0].Trees {
		in := map[int32]bool{}
		for _, q := range tree.Questions {
			in[q.Feature], seen[q.Feature] = true, true
		}
		if len(in) > 2 {
			t.Errorf("tree %d asks about %d features, want at most 2", i, len(in))
		}
	}
	if len(seen) < 35 {
		t.Errorf("60 trees asked about %d of 40 features", len(seen))
	}
}

// Data without information, without rows or without weight trains to its mean.
func TestDegenerate(t *testing.T) {
	opt := Defaults()
	opt.Trees = 2
	for name, c := range map[string]struct {
		d    Data
		want float32
	}{
		"constant target":   {rowData([]float32{1, 2, 3, 4}, []float32{5, 5, 5, 5}, 1, 4), 5},
		"constant features": {rowData([]float32{1, 1}, []float32{2, 4}, 1, 4), 3},
		"no rows":           {rowData(nil, nil, 1, 4), 0},
	} {
		m, _ := mustFit(t, c.d, opt, 2)
		if got := m.PredictRows([]float32{1}, 1, 1)[0]; got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	d := rowData([]float32{1, 2}, []float32{3, 4}, 1, 4)
	d.Weights = []float32{0, 0}
	m, _ := mustFit(t, d, opt, 1)
	if got := m.PredictRows([]float32{1}, 1, 1)[0]; got != 0 {
		t.Errorf("no weight: got %v, want 0", got)
	}
}

func TestBadNumbersAreErrors(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		y, w []float32
		loss Loss
		want string
	}{
		{[]float32{1, nan}, nil, Squared, "row 1: target 0"},
		{[]float32{1, float32(math.Inf(1))}, nil, Squared, "row 1: target 0"},
		{[]float32{0, 2}, nil, Logistic, "0..1"},
		{[]float32{0, 1}, []float32{1, -1}, Squared, "row 1: weight"},
		{[]float32{0, 1}, []float32{nan, 1}, Squared, "row 0: weight"},
	} {
		d := rowData([]float32{1, 2}, c.y, 1, 4)
		d.Weights = c.w
		opt := Defaults()
		opt.Loss = c.loss
		if _, err := Fit(d, opt, 1, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("targets %v, weights %v: got error %v, want one with %q", c.y, c.w, err, c.want)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Errorf("defaults: %v", err)
	}
	err := Options{Trees: -1, Loss: "cubic"}.Validate()
	for _, want := range []string{"trees", "depth", "rate", "borders", "rowSample", "columnSample", "loss", "leaves"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault of %s", err, want)
		}
	}
}

// A training that its progress function ends is told of.
func TestFitStops(t *testing.T) {
	x, y := noisy(4, 200, 3)
	trees := 0
	m, err := Fit(rowData(x, y, 3, 8), Defaults(), 1, func(p Progress) bool {
		trees = p.Tree
		return p.Tree < 4
	})
	if m != nil || !errors.Is(err, ErrStopped) || trees != 4 {
		t.Errorf("got model %v, error %v after %d trees; want no model, ErrStopped after 4", m, err, trees)
	}
}
