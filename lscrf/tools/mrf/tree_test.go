package mrf

import (
	"testing"
)

// A chain of three nodes by hand: E = unary + pair with tables (rows of the first node)
//
//	edge 0-1: 0 2 / 1 5    edge 1-2: 3 0 / 4 1
//
// and unaries (0 1) (2 0) (0 2). The best is y = (0, 1, 1): 0+0+2 + 2+1 = 5, against
// (0,0,1): 0+2+2+0+0 = 4. The others: 000 0+2+0+0+3 = 5, 010 0+0+0+2+4 = 6, 011 = 5,
// 100 1+2+0+1+3 = 7, 101 1+2+2+1+0 = 6, 110 1+0+0+5+4 = 10, 111 1+0+2+5+1 = 9.
var chain = &Problem{
	Labels: 2,
	Unary:  []float64{0, 1, 2, 0, 0, 2},
	Edges:  [][2]int32{{0, 1}, {1, 2}},
	Pair:   []float64{0, 2, 1, 5, 3, 0, 4, 1},
}

var chainEnergies = []float64{5, 4, 6, 5, 7, 6, 10, 9} // of 000 001 010 ... 111

func TestEnergyByHand(t *testing.T) {
	y, k := make([]uint8, 3), 0
	for more := true; more; more = next(y, 2) {
		if e := chain.Energy(y); e != chainEnergies[k] {
			t.Errorf("E(%v) = %v, want %v", y, e, chainEnergies[k])
		}
		k++
	}
	if k != 8 {
		t.Errorf("%d labelings, want 8", k)
	}
}

func TestChainByHand(t *testing.T) {
	for _, m := range []Method{Auto, Brute, Tree, Roof, TRWS, Expansion} {
		r := run(chain, with(m))
		if r.Energy != 4 || string(r.Labels) != "\x00\x00\x01" {
			t.Errorf("%s: %v of energy %v, want [0 0 1] of 4", m, r.Labels, r.Energy)
		}
	}
}

func TestCycleIsNoTree(t *testing.T) {
	p := &Problem{Labels: 2, Unary: make([]float64, 8), Edges: [][2]int32{{1, 2}, {2, 3}, {1, 3}}, Pair: make([]float64, 12)}
	if r := run(p, with(Tree)); r.Status != Inapplicable || r.Labels != nil {
		t.Errorf("dynamic programming on a triangle: %v", r.Status)
	}
}

// A chain of 200,000 nodes, which recursion would not survive. Its labels must alternate:
// equal neighbors cost 1, and node 0 prefers label 1.
func TestLongChain(t *testing.T) {
	const n = 200_000
	p := &Problem{Labels: 2, Unary: make([]float64, 2*n)}
	p.Unary[0] = 0.5
	for i := range int32(n - 1) {
		p.Edges = append(p.Edges, [2]int32{i, i + 1})
		p.Pair = append(p.Pair, 1, 0, 0, 1)
	}
	o := with(Auto)
	for _, m := range []Method{Auto, Tree} { // auto swaps every second node's labels and cuts
		o.Method = m
		r := run(p, o)
		if r.Energy != 0 || r.Status != Optimal || r.Labels[0] != 1 || r.Labels[n-1] != 0 {
			t.Errorf("%s: energy %v, %v, ends %d %d", m, r.Energy, r.Status, r.Labels[0], r.Labels[n-1])
		}
	}
}
