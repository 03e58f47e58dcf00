package boost

import (
	"math"
	"slices"
	"testing"
)

// Sizes 1, 1, 2, 8 and half of the rows: 8 is drawn for certain, and the others share one
// row in proportion to their sizes, so mu = (1+1+2)/(2-1) = 4: chances 1/4, 1/4, 1/2, 1.
func TestThresholdByHand(t *testing.T) {
	if mu := threshold([]float64{1, 1, 2, 8}, 0.5); mu != 4 {
		t.Errorf("got %v, want 4", mu)
	}
	// Equal sizes: every row has the chance 1/4, mu = 4 sizes.
	if mu := threshold([]float64{3, 3, 3, 3}, 0.25); mu != 12 {
		t.Errorf("got %v, want 12", mu)
	}
	if mu := threshold(nil, 0.5); mu != 0 {
		t.Errorf("no rows: got %v, want 0", mu)
	}
}

// About the wanted number of rows is drawn, and the drawn sums of weights and gradients are
// near the true ones.
func TestSampleIsFair(t *testing.T) {
	const n = 40_000
	x, y := noisy(1, n, 3)
	d := rowData(x, y, 3, 8)
	opt := Defaults()
	opt.RowSample = 0.3
	weights := slices.Repeat([]float32{1}, n)
	s := newSequenceFit(d, opt, newGrower(d.Design, opt, 1, 1), 0, Sequence{Width: 1, Base: make([]float32, 1)}, weights, 1)
	s.measure()
	scale := s.quantize() / opt.L2
	drawn, weight, gradient, want := 0, 0.0, 0.0, 0.0
	for i, c := range s.cells {
		if y[i] < 0 { // half of the rows, so that gradients do not sum to 0
			continue
		}
		if c != 0 {
			drawn++
		}
		w, g := fields(c)
		weight += float64(w) / scale
		gradient += float64(g)
		want += float64(s.grad[i])
	}
	if f := float64(drawn) / (n / 2); math.Abs(f-0.3) > 0.03 {
		t.Errorf("drew %.3f of the rows, want 0.3", f)
	}
	if f := weight / (n / 2); math.Abs(f-1) > 0.05 {
		t.Errorf("weights sum to %.3f of the true sum", f)
	}
	if want <= 0 || gradient <= 0 {
		t.Errorf("gradients %v and %v, want positive sums", gradient, want)
	}
}

func TestRoundEven(t *testing.T) {
	for v, want := range map[float64]int64{0.5: 0, 1.5: 2, 2.5: 2, -0.5: 0, -1.5: -2, 2.4: 2, -2.6: -3, 1e9: 1e9, -1e9 - 0.25: -1e9} {
		if got := roundEven(v); got != want {
			t.Errorf("roundEven(%v): got %d, want %d", v, got, want)
		}
	}
}

// Fields keep their signs however a word was added up.
func TestFields(t *testing.T) {
	for _, c := range [][2]int32{{0, 0}, {1, -1}, {-1, 1}, {-1, -1}, {math.MaxInt32, math.MinInt32}, {math.MinInt32, math.MaxInt32}} {
		low, high := fields(int64(c[0]) + int64(c[1])<<32)
		if low != c[0] || high != c[1] {
			t.Errorf("got %d, %d, want %v", low, high, c)
		}
	}
}
