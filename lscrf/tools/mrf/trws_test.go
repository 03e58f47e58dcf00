package mrf

import (
	"math"
	"slices"
	"testing"
)

// No pass lowers the bound, the bound stays below the minimum, decoded energies are those
// of the labels, and labels that pruning excludes are in no labeling at or below the limit.
func TestTRWSPasses(t *testing.T) {
	var w trws
	var g incidence
	var c core
	pruned := 0
	each(t, 9, 60, func(t *testing.T, p *Problem, want float64) {
		n, L := p.N(), p.Labels
		g.of(n, p.Edges)
		w.load(p, &g)
		y, z := make([]uint8, n), make([]uint8, n)
		bound, upper := math.Inf(-1), math.Inf(1)
		for it := range 12 {
			up := w.forward()
			if up < bound-w.slack {
				t.Fatalf("iteration %d: forward bound %v after %v", it, up, bound)
			}
			w.floor = bound
			if it > 0 {
				w.prune(&c, z, upper)
				closed := slices.Clone(z)
				for more := true; more; more = next(z, L) {
					if p.Energy(z) > want+1e-9 {
						continue
					}
					for i, l := range z { // an optimum: it must have survived
						if v := c.of[i]; v >= 0 && !slices.Contains(c.labels(v), l) || v < 0 && closed[i] != l {
							t.Fatalf("iteration %d: label %d of node %d pruned, an optimum has it", it, l, i)
						}
					}
				}
				pruned += n - len(c.id)
			}
			down := w.backward()
			if down < up-w.slack {
				t.Fatalf("iteration %d: backward bound %v after %v", it, down, up)
			}
			if bound = down; bound > want+1e-6 {
				t.Fatalf("iteration %d: bound %v above the minimum %v", it, bound, want)
			}
			e := w.decode(y)
			if !near(e, p.Energy(y)) {
				t.Fatalf("decoded energy %v, of the labels %v", e, p.Energy(y))
			}
			upper = min(upper, e)
		}
	})
	if pruned == 0 {
		t.Error("pruning never closed a node")
	}
}

// On trees the bound is tight after one iteration: the chains cover them.
func TestTRWSOnChains(t *testing.T) {
	r := seeded(10)
	for range 100 {
		L, n := 2+r.IntN(3), 2+r.IntN(6)
		var edges [][2]int32
		for i := range int32(n - 1) {
			edges = append(edges, [2]int32{i, i + 1})
		}
		c := func(a, b int) float64 { return r.NormFloat64() }
		p := fill(r, n, L, edges, c, c)
		want := BruteForce(p).Energy
		o := with(TRWS)
		o.iterations = 1
		if got := run(p, o); !near(got.Bound, want) || got.Status != Optimal {
			t.Fatalf("bound %v, %v, want %v", got.Bound, got.Status, want)
		}
	}
}

// A frustrated triangle by hand: two labels, every pair of equal labels costs 1. Two nodes
// must agree, so the optimum is 1, but the relaxation that TRW-S solves is 0 (every node
// half 0, half 1), so the bound stays at 0 and the gap at 1, and only elimination proves 1.
func TestFrustratedTriangle(t *testing.T) {
	p := &Problem{Labels: 2, Unary: make([]float64, 6), Edges: [][2]int32{{0, 1}, {0, 2}, {1, 2}}}
	for range 3 {
		p.Pair = append(p.Pair, 1, 0, 0, 1)
	}
	o := with(Auto)
	if r := run(p, o); r.Status != Optimal || r.Energy != 1 || r.Bound != 1 || r.Method != Exact {
		t.Errorf("auto: %+v, want energy 1 by elimination", r)
	}
	for _, m := range []Method{TRWS, Roof} {
		o.Method = m
		r := run(p, o)
		if r.Status != Converged || r.Energy != 1 || math.Abs(r.Bound) > 1e-4 || r.Persistent != 0 {
			t.Errorf("%s: %+v, want energy 1, bound 0, no persistent node", m, r)
		}
		if g := gap(r); math.Abs(g-1) > 1e-4 {
			t.Errorf("%s: gap %v, want 1", m, g)
		}
	}
	o.Method, o.iterations = TRWS, 3
	if r := run(p, o); r.Status != IterationLimit || r.Iterations != 3 {
		t.Errorf("three iterations: %v after %d", r.Status, r.Iterations)
	}
}

func TestMessages(t *testing.T) {
	// By hand: from = share - m = (1, 4); columns: min(1+0, 4+5) = 1, min(1+7, 4+2) = 6,
	// so m = (0, 5), least 1. rows: min(1+0, 4+7) = 1, min(1+5, 4+2) = 6.
	for what, f := range map[string]func(m, from, share, table []float64) float64{"columns": sendColumns, "rows": sendRows} {
		m := []float64{1, -1}
		if least := f(m, make([]float64, 2), []float64{2, 3}, []float64{0, 7, 5, 2}); least != 1 || m[0] != 0 || m[1] != 5 {
			t.Errorf("%s: %v %v, want 1 [0 5]", what, least, m)
		}
	}
}
