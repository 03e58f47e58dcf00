package mrf

import (
	"math"
	"slices"
	"testing"
)

// A fusion move is never worse than the labeling that it starts from, takes labels of the
// two labelings only, and is the best of all such labelings if the move is submodular.
func TestFuse(t *testing.T) {
	var s Solver
	r := seeded(16)
	exact := 0
	each(t, 17, 60, func(t *testing.T, p *Problem, _ float64) {
		n := p.N()
		y, z := make([]uint8, n), make([]uint8, n)
		for i := range y {
			y[i], z[i] = uint8(r.IntN(p.Labels)), uint8(r.IntN(p.Labels))
		}
		s.graph.of(n, p.Edges)
		got := slices.Clone(y)
		changed := s.fuse(p, got, z)
		if changed == slices.Equal(got, y) {
			t.Fatal("fuse does not know whether it changed anything")
		}
		if p.Energy(got) > p.Energy(y)+1e-6 {
			t.Fatalf("energy rose from %v to %v", p.Energy(y), p.Energy(got))
		}
		best, mix, choice := math.Inf(1), make([]uint8, n), make([]uint8, n)
		for more := true; more; more = next(choice, 2) {
			for i, c := range choice {
				mix[i] = [2]uint8{y[i], z[i]}[c]
			}
			best = min(best, p.Energy(mix))
		}
		for i, l := range got {
			if l != y[i] && l != z[i] {
				t.Fatalf("node %d took label %d of neither labeling", i, l)
			}
		}
		if !slices.Contains(s.take[:len(s.pair.id)], unlabeled) {
			exact++
			if !near(p.Energy(got), best) {
				t.Fatalf("energy %v with all nodes decided, want %v", p.Energy(got), best)
			}
		}
	})
	if exact < 200 {
		t.Errorf("only %d moves were decided", exact)
	}
}

// Random improvement repairs what roof duality leaves: on small spin glasses it must find
// most optima, and never lose energy.
func TestShake(t *testing.T) {
	var s Solver
	r := seeded(18)
	best := 0
	for range 100 {
		c := func(a, b int) float64 { return r.NormFloat64() }
		p := fill(r, 16, 2, graph(r, 16, 0.5), c, c)
		s.graph.of(16, p.Edges)
		y := make([]uint8, 16)
		before := p.Energy(y)
		s.shake(p, y, usual)
		after := p.Energy(y)
		if after > before {
			t.Fatalf("energy rose from %v to %v", before, after)
		}
		if near(after, BruteForce(p).Energy) {
			best++
		}
	}
	t.Logf("%d of 100 optimal", best)
	if best < 60 {
		t.Errorf("only %d of 100 optimal", best)
	}
}

// Random improvement depends on its seed and on nothing else.
func TestSeed(t *testing.T) {
	r := seeded(19)
	c := func(a, b int) float64 { return r.NormFloat64() }
	p := fill(r, 60, 3, graph(r, 60, 0.3), c, c)
	o := with(Auto)
	o.tables, o.iterations = 0, 5
	var s Solver
	a := s.run(p, o)
	first := slices.Clone(a.Labels)
	if b := s.run(p, o); !slices.Equal(first, b.Labels) {
		t.Error("two runs differ")
	}
	different := 0
	for seed := range uint64(10) {
		o.seed = seed
		if b := s.run(p, o); !slices.Equal(first, b.Labels) {
			different++
		}
	}
	if different == 0 {
		t.Error("ten seeds give the same labels: is there anything random?")
	}
}
