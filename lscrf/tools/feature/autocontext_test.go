package feature

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// row3 are three superpixels in a row, the first two black and the last white.
func row3() ([]Place, [][2]int32) {
	at := []Place{{X: 1. / 6, Y: 0.5}, {X: 1. / 2, Y: 0.5}, {X: 5. / 6, Y: 0.5, Lab: [3]float64{100, 0, 0}}}
	return at, [][2]int32{{0, 1}, {1, 2}}
}

func TestAutoContext(t *testing.T) {
	at, chain := row3()
	near, far := math.Exp(-1./9/0.08), math.Exp(-4./9/0.08) // kernels of 0.2 at distances 1/3 and 2/3
	out := AutoContext([]float32{0.9, 0.3, 0.5}, 1, at, chain)
	expect(t, out, []map[int]float64{
		{
			0: 0.3, 1: 0.5, 2: 0.5, // there is nothing at distance 3
			3: 0.3, 4: 0.3, 5: 0.3, 6: 0.3, // the second has its color
			9: (0.9 + 0.3*near + 0.5*far) / (1 + near + far), 10: 0.3, 11: 0.3, 12: 0.3, 13: 1.7 / 3,
		},
		{0: 0.7, 1: 0.7, 2: 0.7, 3: 0.9, 4: 0.9, 6: 0.9, 9: (0.3 + 1.4*near) / (1 + 2*near)},
		{0: 0.3, 1: 0.9, 2: 0.9, 3: 0.3, 4: 0.5, 5: 0.5, 6: 0.6}, // a color of its own; from afar both others are as unlike
	})

	// The object is at 1/6 and 5/6 with deviations 1/3 and (at least) 0.01, so its size is 2*(1/3+0.01). From the middle the
	// others are 1/3 away, which is 0.1854 sizes beyond the last points of the middle row.
	out = AutoContext([]float32{1, 0, 1}, 1, at, chain)
	size := 2 * (1./3 + 0.01)
	edge := math.Exp(-math.Pow(1./3/size-0.3, 2) / (2 * 0.075 * 0.075))
	mine := math.Exp(-8) // the middle's own kernel four deviations away
	expect(t, out, []map[int]float64{
		{13: 2. / 3, 14: -1, 15: 0, 16: -1. / 3, 17: 0, 18: 1. / 3, 19: 0.01},
		{14: 0, 16: 0, 30: edge / (edge + mine + 1e-3), 33: edge / (edge + mine + 1e-3)}, // 12 points above, then 2 on the left: 20+10, and 2 on the right
		{14: 1, 16: 1. / 3},
	})
}

func expect(t *testing.T, out []float32, rows []map[int]float64) {
	t.Helper()
	if len(out) != len(rows)*AutoContextDim {
		t.Fatalf("got %d values", len(out))
	}
	for i, row := range rows {
		for k, want := range row {
			if got := float64(out[i*AutoContextDim+k]); math.Abs(got-want) > 2e-3 {
				t.Errorf("superpixel %d, value %d: got %g, want %g", i, k, got, want)
			}
		}
	}
}

// Outputs do not see each other, and in a mirror the grid's columns and the signs across change.
func TestAutoContextMirror(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 30
	at, mirror := make([]Place, n), make([]Place, n)
	p, two := make([]float32, n), make([]float32, 2*n)
	var edges [][2]int32
	for i := range at {
		at[i] = Place{rng.Float64(), rng.Float64(), [3]float64{100 * rng.Float64(), 20 * rng.Float64(), 20 * rng.Float64()}}
		mirror[i] = at[i]
		mirror[i].X = 1 - at[i].X
		p[i] = rng.Float32()
		two[2*i], two[2*i+1] = 1-p[i], p[i]
		if i > 1 {
			edges = append(edges, [2]int32{int32(rng.IntN(i)), int32(i)})
		}
	}
	slices.SortFunc(edges, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	a, b, both := AutoContext(p, 1, at, edges), AutoContext(p, 1, mirror, edges), AutoContext(two, 2, at, edges)
	for i := range n {
		for k := range AutoContextDim {
			v := a[i*AutoContextDim+k]
			if got := both[(2*i+1)*AutoContextDim+k]; got != v {
				t.Errorf("superpixel %d, value %d: %g alone and %g beside another output", i, k, v, got)
			}
			other, sign := k, float32(1)
			switch {
			case k == 14 || k == 16:
				sign = -1
			case k >= 20:
				g := k - 20
				if g >= 12 {
					g++ // the middle is left out
				}
				g = g/5*5 + 4 - g%5
				if g > 12 {
					g--
				}
				other = 20 + g
			}
			if got := sign * b[i*AutoContextDim+other]; math.Abs(float64(got-v)) > 1e-4*(1+math.Abs(float64(v))) {
				t.Errorf("superpixel %d, value %d: %g, and %g in the mirror", i, k, v, got)
			}
		}
	}
}

// Mean colors of the draft set become CIELAB: white is 100, 0, 0.
func TestPlaces(t *testing.T) {
	at := Places([]float32{0, 0, 0, 0.25, 0.5, 9, 255, 255, 255, 0.75, 1, 9}, 6)
	if len(at) != 2 || at[0].X != 0.25 || at[0].Y != 0.5 || at[1].Y != 1 || at[0].Lab[0] > 0.01 || math.Abs(at[1].Lab[0]-100) > 0.01 {
		t.Errorf("got %+v", at)
	}
	for set, want := range map[string]bool{Draft: true, Full: true, Saliency: true, HDSeg: false} {
		if got := (Options{Set: set}).HasPlaces(); got != want {
			t.Errorf("%s: got %v", set, got)
		}
	}
}

func BenchmarkAutoContext(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 350
	at, p := make([]Place, n), make([]float32, n)
	for i := range at {
		at[i] = Place{rng.Float64(), rng.Float64(), [3]float64{100 * rng.Float64(), 20 * rng.Float64(), 20 * rng.Float64()}}
		p[i] = rng.Float32()
	}
	b.ReportAllocs()
	for b.Loop() {
		AutoContext(p, 1, at, nil)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
