package mrf

import "testing"

func TestBinaryAgainstBruteForce(t *testing.T) {
	r := seeded(1)
	var s Solver
	optimal, labeled, nodes := 0, 0, 0
	for k := range 600 {
		p := random(r, 2+r.IntN(10), 2, r.Float64(), 3*r.Float64()-1)
		mustValid(t, p)
		want := BruteForce(p)
		got := s.Solve(p, Defaults())
		if got.Bound > want.Energy+1e-9 {
			t.Fatalf("problem %d: bound %v above the minimum %v", k, got.Bound, want.Energy)
		}
		if !near(got.Energy, p.Energy(got.Labels)) {
			t.Fatalf("problem %d: energy %v, of the labels %v", k, got.Energy, p.Energy(got.Labels))
		}
		if got.Status == Optimal {
			optimal++
			if !near(got.Energy, want.Energy) {
				t.Fatalf("problem %d: %v energy %v, want %v", k, got.Method, got.Energy, want.Energy)
			}
		}
		b := &s.binary
		b.flip = make([]uint8, p.N())
		b.load(p)
		y := make([]uint8, p.N())
		open, twice := b.roof(p, &s.flow, y)
		nodes += p.N()
		labeled += p.N() - open
		if bound := float64(twice) / 2 / b.scale; bound > want.Energy+1e-9 {
			t.Fatalf("problem %d: roof dual %v above the minimum %v", k, bound, want.Energy)
		}
		for i, l := range y { // costs are generic, so the optimum is unique
			if l != unlabeled && l != want.Labels[i] {
				t.Fatalf("problem %d: node %d persistently %d, the optimum has %d", k, i, l, want.Labels[i])
			}
		}
	}
	t.Logf("%d of 600 optimal, %d of %d nodes persistent", optimal, labeled, nodes)
	if optimal < 200 || labeled < nodes/3 {
		t.Errorf("only %d of 600 optimal, %d of %d nodes persistent", optimal, labeled, nodes)
	}
}
