package mrf

import (
	"math"
	"testing"
)

// Real-shaped problems: a jittered grid of about 280 cells with 4 to 8 neighbors each, an
// image of a few regions, and tables of -log clamped probabilities as a linear model gives
// them. noise is the spread of the probabilities' errors.
func superpixels(seed uint64, L int, noise float64) *Problem {
	const width, height = 20, 14
	r := seeded(seed)
	truth := make([]int, width*height)
	for i := range truth {
		truth[i] = r.IntN(L)
		if x, y := i%width, i/width; x > 0 && r.IntN(12) > 0 {
			truth[i] = truth[i-1]
		} else if y > 0 && r.IntN(6) > 0 {
			truth[i] = truth[i-width]
		}
	}
	p := &Problem{Labels: L, Unary: make([]float64, len(truth)*L)}
	link := func(i, j int) {
		p.Edges = append(p.Edges, [2]int32{int32(i), int32(j)})
		for a := range L {
			for b := range L {
				f := noise / float64(L) * r.NormFloat64()
				if a == truth[i] {
					f += 0.3
				}
				if b == truth[j] {
					f += 0.3
				}
				if a == b {
					f += 0.2
				}
				p.Pair = append(p.Pair, -math.Log(max(1e-9, min(1, f))))
			}
		}
	}
	for y := range height {
		for x := range width {
			i := y*width + x
			if x+1 < width {
				link(i, i+1)
			}
			if y+1 < height {
				link(i, i+width)
				if x+1 < width && r.IntN(10) < 9 { // one diagonal, to keep it planar
					if r.IntN(2) == 0 {
						link(i, i+width+1)
					} else {
						link(i+1, i+width)
					}
				}
			}
		}
	}
	return p
}

func TestSuperpixelShape(t *testing.T) {
	for _, L := range []int{2, 8} {
		for seed := range uint64(20) {
			p := superpixels(seed, L, 0.6)
			if n, e := p.N(), len(p.Edges); n != 280 || e < 700 || e > 780 {
				t.Fatalf("%d nodes, %d edges", n, e)
			}
			r := solve(p)
			if r.Status != Optimal {
				t.Errorf("%d labels, seed %d: %v by %s, gap %v", L, seed, r.Status, r.Method, gap(r))
			}
			if q := run(p, with(TRWS)); q.Bound > r.Energy+1e-6 || q.Energy < r.Energy-1e-6 {
				t.Errorf("%d labels, seed %d: TRW-S finds %v to %v, auto %v", L, seed, q.Bound, q.Energy, r.Energy)
			}
		}
	}
}

// Solving problem after problem allocates nothing.
func TestNoAllocations(t *testing.T) {
	var s Solver
	for _, L := range []int{2, 3, 8} {
		for _, tables := range []int{1 << 20, 0} {
			for _, m := range []Method{Auto, Tree, MaxFlow, Roof, TRWS, Expansion, Descent} {
				o := with(m)
				o.tables, o.rounds, o.iterations = tables, 2, 20
				var ps []*Problem
				for seed := range uint64(4) {
					ps = append(ps, superpixels(seed, L, 2))
				}
				solve := func() {
					for _, p := range ps {
						s.run(p, o)
					}
				}
				if n := testing.AllocsPerRun(2, solve); n != 0 { // the first of three runs warms up
					t.Errorf("%d labels, %s, tables %d: %v allocations", L, m, tables, n)
				}
			}
		}
	}
}

// Pictures of 200,000 pixels: nothing recurses, nothing takes quadratic time.
func TestLargeGrid(t *testing.T) {
	r := seeded(12)
	edges := grid(400, 500)
	cost := func(a, b int) float64 { return r.NormFloat64() }
	attract := func(a, b int) float64 { return math.Abs(float64(a-b)) * r.Float64() }
	mixed := func(a, b int) float64 { return 0.3 * r.NormFloat64() } // repels here and there
	for _, c := range []struct {
		L    int
		m    Method
		pair func(a, b int) float64
		gap  float64 // largest accepted
	}{
		{2, Auto, attract, 0},
		{2, Roof, attract, 0},
		{2, Auto, mixed, 0},
		{3, Auto, attract, 700}, // about 1%
	} {
		p := fill(r, 200_000, c.L, edges, cost, c.pair)
		o := with(c.m)
		o.iterations, o.rounds = 5, 1
		got := run(p, o)
		t.Logf("%d labels, %s: %v by %s, energy %.3f, gap %.3f, %d persistent", c.L, c.m, got.Status, got.Method, got.Energy, gap(got), got.Persistent)
		if gap(got) < 0 || gap(got) > c.gap {
			t.Errorf("%d labels, %s: gap %v, want at most %v", c.L, c.m, gap(got), c.gap)
		}
	}
}
