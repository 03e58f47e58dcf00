package boost

import (
	"math"
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

// Both ways of sampling draw about the wanted number of rows, and the drawn sums of weights
// and gradients are near the true ones.
func TestSampleIsFair(t *testing.T) {
	const n = 40_000
	x, y := noisy(1, n, 3)
	d := rowData(x, y, 3, 8)
	for _, sampling := range []Sampling{Uniform, Variance} {
		opt := Defaults()
		opt.RowSample, opt.Sampling = 0.3, sampling
		weights, _ := d.weights(opt)
		s := newSequenceFit(d, opt, newGrower(d.Design, opt, 1, 1), 0, 0, 1, weights, nil, 1)
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
			t.Errorf("%s: drew %.3f of the rows, want 0.3", sampling, f)
		}
		if f := weight / (n / 2); math.Abs(f-1) > 0.05 {
			t.Errorf("%s: weights sum to %.3f of the true sum", sampling, f)
		}
		if want <= 0 || gradient <= 0 {
			t.Errorf("%s: gradients %v and %v, want positive sums", sampling, gradient, want)
		}
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
