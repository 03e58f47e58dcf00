package mrf

import (
	"math"
	"slices"
	"testing"
)

// each calls f with random problems of every family, of 2 to 4 labels and up to 9 nodes,
// and their least energy.
func each(t *testing.T, seed uint64, rounds int, f func(t *testing.T, p *Problem, want float64)) {
	ran := 0
	for k, fam := range families {
		t.Run(fam.name, func(t *testing.T) {
			r := seeded(seed*100 + uint64(k))
			for range rounds {
				L := 2 + r.IntN(3)
				n := 1 + r.IntN([]int{0, 0, 9, 7, 6}[L])
				p := fam.draw(r, n, L)
				f(t, p, BruteForce(p).Energy)
				ran++
			}
		})
	}
	if ran == 0 {
		t.Fatal("no problem was tried")
	}
}

// Every method is consistent, and right whenever it says that it is.
func TestMethodsAgainstBruteForce(t *testing.T) {
	type tally struct{ runs, optimal, best int }
	score := map[Method]*tally{}
	for _, m := range []Method{Auto, Tree, MaxFlow, Roof, TRWS, Expansion, Descent} {
		var s Solver
		score[m] = new(tally)
		t.Run(string(m), func(t *testing.T) {
			each(t, 1, 60, func(t *testing.T, p *Problem, want float64) {
				r := s.run(p, with(m))
				if r.Status == Inapplicable {
					if r.Labels != nil || m == Auto || m == TRWS || m == Expansion || m == Descent {
						t.Fatalf("inapplicable, labels %v", r.Labels)
					}
					return
				}
				check(t, p, r, want)
				score[m].runs++
				if r.Status == Optimal {
					score[m].optimal++
				}
				if near(r.Energy, want) {
					score[m].best++
				}
			})
		})
	}
	for m, c := range score {
		t.Logf("%-9s %3d runs, %3d proved optimal, %3d optimal", m, c.runs, c.optimal, c.best)
		switch m {
		case Auto, Tree, MaxFlow:
			if c.optimal != c.runs || c.runs == 0 {
				t.Errorf("%s: %d of %d optimal, want all of them", m, c.optimal, c.runs)
			}
		case Roof, TRWS:
			if c.optimal < c.runs/3 {
				t.Errorf("%s: only %d of %d optimal", m, c.optimal, c.runs)
			}
		}
	}
}

// Without elimination, the approximate part of auto is at work.
func TestAutoWithoutElimination(t *testing.T) {
	var s Solver
	runs, best, proved := 0, 0, 0
	each(t, 2, 60, func(t *testing.T, p *Problem, want float64) {
		o := with(Auto)
		o.tables = 0
		r := s.run(p, o)
		check(t, p, r, want)
		runs++
		if near(r.Energy, want) {
			best++
		}
		if r.Status == Optimal {
			proved++
		}
	})
	t.Logf("%d of %d optimal, %d proved", best, runs, proved)
	if best < runs*95/100 {
		t.Errorf("only %d of %d optimal", best, runs)
	}
}

// A Solver gives what a fresh one gives, whatever it solved before, and reads only.
func TestReuse(t *testing.T) {
	var s Solver
	each(t, 4, 30, func(t *testing.T, p *Problem, want float64) {
		unary, pair := slices.Clone(p.Unary), slices.Clone(p.Pair)
		for _, tables := range []int{0, 1 << 20} {
			for _, m := range []Method{Auto, Roof, TRWS, Expansion, Descent} {
				o := with(m)
				o.tables = tables
				a, b := s.run(p, o), run(p, o)
				if !slices.Equal(a.Labels, b.Labels) || a.Energy != b.Energy || a.Bound != b.Bound || a.Status != b.Status ||
					a.Iterations != b.Iterations || a.Persistent != b.Persistent || a.Method != b.Method {
					t.Fatalf("%s: reused %+v, fresh %+v", m, a, b)
				}
			}
		}
		if !slices.Equal(unary, p.Unary) || !slices.Equal(pair, p.Pair) {
			t.Fatal("a solver changed its problem")
		}
	})
}

// Labels of roof duality and of pruning are those of an optimum, also where there are many.
func TestPersistency(t *testing.T) {
	var b boolean
	var f Flow
	labeled, nodes := 0, 0
	each(t, 5, 80, func(t *testing.T, p *Problem, want float64) {
		if p.Labels != 2 {
			return
		}
		n := p.N()
		y := make([]uint8, n)
		b.flip = make([]uint8, n)
		b.load(p)
		open, twice := b.roof(p, &f, y)
		if bound := float64(twice) / 2 / b.scale; bound > want+1e-6 {
			t.Fatalf("roof dual %v above the minimum %v", bound, want)
		}
		nodes, labeled = nodes+n, labeled+n-open
		// solve takes the short ways first, and returns the minimum if nothing is open.
		z := make([]uint8, n)
		if open, bound := b.solve(p, &f, z); open == 0 && !near(bound, want) || bound > want+1e-6 {
			t.Fatalf("%d open, bound %v, the minimum is %v", open, bound, want)
		}
		// Strong persistency: every optimum has these labels.
		best := 0
		clear(z)
		for more := true; more; more = next(z, 2) {
			if !near(p.Energy(z), want) {
				continue
			}
			best++
			for i, l := range y {
				if l != unlabeled && l != z[i] {
					t.Fatalf("node %d persistently %d, an optimum has %d", i, l, z[i])
				}
			}
		}
		if best == 0 {
			t.Fatal("no optimum seen")
		}
	})
	t.Logf("%d of %d nodes persistent", labeled, nodes)
	if labeled < nodes/3 {
		t.Errorf("only %d of %d nodes persistent", labeled, nodes)
	}
}

// Costs of very different sizes in one problem, up to the largest allowed.
func TestHugeCosts(t *testing.T) {
	r := seeded(6)
	for _, huge := range []float64{1e6, 1e9, 1e12, 1e15} {
		for range 50 {
			L := 2 + r.IntN(2)
			c := func(a, b int) float64 { return r.NormFloat64() }
			p := fill(r, 8-L, L, graph(r, 8-L, 0.5), c, func(a, b int) float64 {
				if a != b && r.IntN(3) == 0 {
					return huge
				}
				return c(a, b)
			})
			want := BruteForce(p).Energy
			got := solve(p)
			// A cut sees costs in units of about 2⁻⁵⁷ of their sum.
			if tol := math.Max(1e-9, 100*huge*0x1p-50); math.Abs(got.Energy-want) > tol {
				t.Errorf("cost %g: energy %v, want %v", huge, got.Energy, want)
			}
		}
	}
}
