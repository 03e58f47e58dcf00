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
				if err := p.Validate(); err != nil {
					t.Fatal(err)
				}
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
				o := Defaults()
				o.Method = m
				r := s.Solve(p, o)
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
		o := Defaults()
		o.Tables = 0
		r := s.Solve(p, o)
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

// What does not change the problem does not change the least energy.
func TestInvariances(t *testing.T) {
	var s Solver
	r := seeded(3)
	o := Defaults()
	each(t, 3, 40, func(t *testing.T, p *Problem, want float64) {
		n, L := p.N(), p.Labels
		same := func(what string, q *Problem, shift float64, back func(y []uint8)) {
			t.Helper()
			if err := q.Validate(); err != nil {
				t.Fatal(err)
			}
			got := s.Solve(q, o)
			if !near(got.Energy, want+shift) {
				t.Fatalf("%s: energy %v, want %v", what, got.Energy, want+shift)
			}
			back(got.Labels)
			if e := p.Energy(got.Labels); !near(e, want) {
				t.Fatalf("%s: labels of energy %v, want %v", what, e, want)
			}
		}

		// Nodes renumbered: the edges whose ends change order get transposed tables.
		name := r.Perm(n)
		q := &Problem{Labels: L, Unary: make([]float64, n*L)}
		for i := range n {
			copy(q.Unary[name[i]*L:name[i]*L+L], p.Unary[i*L:i*L+L])
		}
		for e, ij := range p.Edges {
			a, b := int32(name[ij[0]]), int32(name[ij[1]])
			table := slices.Clone(p.Pair[e*L*L : (e+1)*L*L])
			if a > b {
				a, b = b, a
				for k := range L {
					for l := range L {
						table[l*L+k] = p.Pair[(e*L+k)*L+l]
					}
				}
			}
			q.Edges, q.Pair = append(q.Edges, [2]int32{a, b}), append(q.Pair, table...)
		}
		same("renumbered", q, 0, func(y []uint8) {
			z := slices.Clone(y)
			for i := range n {
				y[i] = z[name[i]]
			}
		})

		// Labels permuted, differently at every node.
		perm := make([][]int, n)
		for i := range perm {
			perm[i] = r.Perm(L)
		}
		q = &Problem{Labels: L, Unary: make([]float64, n*L), Edges: p.Edges, Pair: make([]float64, len(p.Pair))}
		for i := range n {
			for k := range L {
				q.Unary[i*L+perm[i][k]] = p.Unary[i*L+k]
			}
		}
		for e, ij := range p.Edges {
			for k := range L {
				for l := range L {
					q.Pair[(e*L+perm[ij[0]][k])*L+perm[ij[1]][l]] = p.Pair[(e*L+k)*L+l]
				}
			}
		}
		same("relabeled", q, 0, func(y []uint8) {
			for i := range y {
				y[i] = uint8(slices.Index(perm[i], int(y[i])))
			}
		})

		// Costs moved between edges and nodes, and a constant added to each table.
		q = &Problem{Labels: L, Unary: slices.Clone(p.Unary), Edges: p.Edges, Pair: slices.Clone(p.Pair)}
		shift := 0.0
		for e, ij := range p.Edges {
			c := r.NormFloat64()
			shift += c
			for k := range L {
				d := r.NormFloat64()
				q.Unary[int(ij[1])*L+k] -= d
				for l := range L {
					q.Pair[(e*L+l)*L+k] += d + c
				}
			}
		}
		same("reparametrized", q, shift, func([]uint8) {})

		// Isolated nodes in between.
		q = &Problem{Labels: L, Pair: p.Pair}
		for i := range n {
			q.Unary = append(q.Unary, p.Unary[i*L:i*L+L]...)
			q.Unary = append(q.Unary, make([]float64, L)...)
			q.Unary[len(q.Unary)-1] = -2 // its last label
		}
		for _, ij := range p.Edges {
			q.Edges = append(q.Edges, [2]int32{2 * ij[0], 2 * ij[1]})
		}
		got := s.Solve(q, o)
		if !near(got.Energy, want-2*float64(n)) {
			t.Fatalf("isolated: energy %v, want %v", got.Energy, want-2*float64(n))
		}
		for i := 1; i < 2*n; i += 2 {
			if int(got.Labels[i]) != L-1 {
				t.Fatalf("isolated: label %d at node %d, want %d", got.Labels[i], i, L-1)
			}
		}
	})
}

// A Solver gives what a fresh one gives, whatever it solved before, and reads only.
func TestReuse(t *testing.T) {
	var s Solver
	each(t, 4, 30, func(t *testing.T, p *Problem, want float64) {
		unary, pair := slices.Clone(p.Unary), slices.Clone(p.Pair)
		for _, tables := range []int{0, 1 << 20} {
			for _, m := range []Method{Auto, Roof, TRWS, Expansion, Descent} {
				o := Defaults()
				o.Method, o.Tables = m, tables
				a, b := s.Solve(p, o), Solve(p, o)
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
		// Strong persistency: every optimum has these labels.
		z, best := make([]uint8, n), 0
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
	for _, huge := range []float64{1e6, 1e9, 1e12, MaxCost} {
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
			got := Solve(p, Defaults())
			// A cut sees costs in units of about 2⁻⁵⁷ of their sum.
			if tol := math.Max(1e-9, 100*huge*0x1p-50); math.Abs(got.Energy-want) > tol {
				t.Errorf("cost %g: energy %v, want %v", huge, got.Energy, want)
			}
		}
	}
}
