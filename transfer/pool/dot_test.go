package pool

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The product of four rows has the bits of each row's own, whatever the length; 1..17 squared by hand.
func TestDotsAreExactlyDot(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	for _, n := range []int{0, 1, 7, 8, 9, 17, 64, 517, 1769} {
		var rows [4][]float32
		x := make([]float32, n)
		for k := range rows {
			rows[k] = make([]float32, n)
			for i := range x {
				x[i], rows[k][i] = r.Float32()-0.3, float32(r.NormFloat64())
			}
		}
		got := dots(&rows, x)
		for k, row := range rows {
			if want := dot(row, x); math.Float32bits(got[k]) != math.Float32bits(want) {
				t.Errorf("%d values, row %d: got %g, want %g", n, k, got[k], want)
			}
		}
	}
	ramp := make([]float32, 17)
	for i := range ramp {
		ramp[i] = float32(i + 1)
	}
	if got := dots(&[4][]float32{ramp, ramp, ramp, ramp}, ramp); got != [4]float32{1785, 1785, 1785, 1785} {
		t.Errorf("got %v, want 17·18·35/6 = 1785 four times", got)
	}
}

// Products are asked for as many windows as there are, also where these are no multiple of four.
func TestProducts(t *testing.T) {
	p := randomPool(rand.New(rand.NewPCG(14, 14)), 3)
	for _, windows := range [][]int{{}, {4}, {5, 0, 3}, {0, 1, 2, 3, 4, 5}} {
		out := make([]float32, len(windows)+1)
		out[len(windows)] = -7
		p.products(out, windows, p.descriptor(2))
		for i, w := range windows {
			if want := dot(p.descriptor(w), p.descriptor(2)); out[i] != want {
				t.Errorf("%v: product %d: got %g, want %g", windows, i, out[i], want)
			}
		}
		if out[len(windows)] != -7 {
			t.Errorf("%v: wrote behind them", windows)
		}
	}
}
