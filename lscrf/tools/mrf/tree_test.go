package mrf

import (
	"math"
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
		o := defaults()
		o.Method = m
		r := run(chain, o)
		if r.Energy != 4 || string(r.Labels) != "\x00\x00\x01" {
			t.Errorf("%s: %v of energy %v, want [0 0 1] of 4", m, r.Labels, r.Energy)
		}
	}
}

// The marginals of the chain are sums of e⁻ᴱ over the table above.
func TestMarginalsByHand(t *testing.T) {
	node, edge, logZ, ok := Marginals(chain)
	if !ok {
		t.Fatal("a chain is a tree")
	}
	z := 0.0
	var p [8]float64
	for k, e := range chainEnergies {
		p[k] = math.Exp(-e)
		z += p[k]
	}
	if math.Abs(logZ-math.Log(z)) > 1e-12 {
		t.Errorf("log Z = %v, want %v", logZ, math.Log(z))
	}
	wantNode := []float64{p[0] + p[1] + p[2] + p[3], p[4] + p[5] + p[6] + p[7], p[0] + p[1] + p[4] + p[5], p[2] + p[3] + p[6] + p[7], p[0] + p[2] + p[4] + p[6], p[1] + p[3] + p[5] + p[7]}
	wantEdge := []float64{p[0] + p[1], p[2] + p[3], p[4] + p[5], p[6] + p[7], p[0] + p[4], p[1] + p[5], p[2] + p[6], p[3] + p[7]}
	for k, v := range wantNode {
		if math.Abs(node[k]-v/z) > 1e-12 {
			t.Errorf("node[%d] = %v, want %v", k, node[k], v/z)
		}
	}
	for k, v := range wantEdge {
		if math.Abs(edge[k]-v/z) > 1e-12 {
			t.Errorf("edge[%d] = %v, want %v", k, edge[k], v/z)
		}
	}
}

// On random forests the marginals are the sums over all labelings, and on every tree
// Σ log f_st/(f_s f_t) + Σ log f_s is the log of the joint distribution.
func TestMarginalsAgainstSums(t *testing.T) {
	r := seeded(8)
	for range 200 {
		L := 2 + r.IntN(2)
		n := 1 + r.IntN(7)
		c := func(a, b int) float64 { return 2 * r.NormFloat64() }
		p := fill(r, n, L, tree(r, n, 0.8), c, c)
		node, edge, logZ, ok := Marginals(p)
		if !ok {
			t.Fatal("a forest was refused")
		}
		wantNode, wantEdge := make([]float64, len(node)), make([]float64, len(edge))
		sum := 0.0
		y := make([]uint8, n)
		for more := true; more; more = next(y, L) {
			e := p.Energy(y)
			w := math.Exp(-e - logZ)
			sum += w
			joint := 0.0
			for i, l := range y {
				wantNode[i*L+int(l)] += w
				joint += math.Log(node[i*L+int(l)])
			}
			for k, ij := range p.Edges {
				a, b := int(y[ij[0]]), int(y[ij[1]])
				wantEdge[(k*L+a)*L+b] += w
				joint += math.Log(edge[(k*L+a)*L+b] / node[int(ij[0])*L+a] / node[int(ij[1])*L+b])
			}
			if math.Abs(joint-(-e-logZ)) > 1e-8 {
				t.Fatalf("labels %v: log of the tree formula %v, log P %v", y, joint, -e-logZ)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("probabilities sum to %v", sum)
		}
		for k, v := range wantNode {
			if math.Abs(node[k]-v) > 1e-9 {
				t.Fatalf("node[%d] = %v, want %v", k, node[k], v)
			}
		}
		for k, v := range wantEdge {
			if math.Abs(edge[k]-v) > 1e-9 {
				t.Fatalf("edge[%d] = %v, want %v", k, edge[k], v)
			}
		}
	}
}

func TestCycleIsNoTree(t *testing.T) {
	p := &Problem{Labels: 2, Unary: make([]float64, 8), Edges: [][2]int32{{1, 2}, {2, 3}, {1, 3}}, Pair: make([]float64, 12)}
	if _, _, _, ok := Marginals(p); ok {
		t.Error("marginals of a triangle")
	}
	o := defaults()
	o.Method = Tree
	if r := run(p, o); r.Status != Inapplicable || r.Labels != nil {
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
	o := defaults()
	for _, m := range []Method{Auto, Tree} { // auto swaps every second node's labels and cuts
		o.Method = m
		r := run(p, o)
		if r.Energy != 0 || r.Status != Optimal || r.Labels[0] != 1 || r.Labels[n-1] != 0 {
			t.Errorf("%s: energy %v, %v, ends %d %d", m, r.Energy, r.Status, r.Labels[0], r.Labels[n-1])
		}
	}
	node, _, _, ok := Marginals(p)
	if !ok || math.IsNaN(node[n]) || math.Abs(node[n]+node[n+1]-1) > 1e-9 {
		t.Errorf("marginals in the middle: %v %v", node[n], node[n+1])
	}
}
