package mrf

import (
	"math"
	"testing"
)

// Elimination of random open nodes with random label subsets finds the best labeling among
// those that keep the settled labels, for every order of table sizes.
func TestEliminate(t *testing.T) {
	var c core
	var e eliminator
	var g incidence
	r := seeded(13)
	ran := 0
	each(t, 14, 60, func(t *testing.T, p *Problem, _ float64) {
		n, L := p.N(), p.Labels
		g.of(n, p.Edges)
		y := make([]uint8, n)
		allowed := make([][]bool, n)
		c.begin(n)
		for i := range n {
			y[i] = uint8(r.IntN(L))
			allowed[i] = make([]bool, L)
			if r.IntN(3) == 0 {
				allowed[i][y[i]] = true
				continue
			}
			for l := range L {
				if r.IntN(3) > 0 {
					allowed[i][l] = true
					c.keep(l)
				}
			}
			if c.kept() == 0 {
				allowed[i][y[i]] = true
				continue
			}
			c.open(i)
		}
		if len(c.id) == 0 {
			return
		}
		best := math.Inf(1)
		z := make([]uint8, n)
	labelings:
		for more := true; more; more = next(z, L) {
			for i, l := range z {
				if !allowed[i][l] {
					continue labelings
				}
			}
			best = min(best, p.Energy(z))
		}
		if !c.fold(p, &g, y, 1<<20) || !e.plan(&c, 1<<20) {
			t.Fatal("refused a small problem")
		}
		e.run(y)
		for i, l := range y {
			if !allowed[i][l] {
				t.Fatalf("node %d took label %d, which is not open", i, l)
			}
		}
		if got := p.Energy(y); !near(got, best) {
			t.Fatalf("energy %v, want %v", got, best)
		}
		ran++
	})
	if ran < 200 {
		t.Errorf("only %d problems had open nodes", ran)
	}
}

// The size of a plan by hand: a chain of three nodes of two labels is eliminated from an
// end, with tables of 2·2, 2·2 and 2 entries, 10 in all; a triangle takes 8 + 4 + 2 = 14.
func TestEliminationLimit(t *testing.T) {
	for name, c := range map[string]struct {
		edges [][2]int32
		size  int
	}{
		"chain":    {[][2]int32{{0, 1}, {1, 2}}, 10},
		"triangle": {[][2]int32{{0, 1}, {0, 2}, {1, 2}}, 14},
	} {
		r := seeded(15)
		cost := func(a, b int) float64 { return r.NormFloat64() }
		p := fill(r, 3, 2, c.edges, cost, cost)
		var k core
		k.begin(3)
		for i := range 3 {
			k.keep(0)
			k.keep(1)
			k.open(i)
		}
		var g incidence
		g.of(3, p.Edges)
		k.fold(p, &g, make([]uint8, 3), 1000)
		var e eliminator
		if e.plan(&k, c.size-1) || !e.plan(&k, c.size) {
			t.Errorf("%s: a limit of %d entries is not met exactly", name, c.size)
		}
	}
}
