package mrf

import (
	"math"
	"testing"
)

// sums returns P(yᵢ = 1) by adding up all labelings.
func sums(p *Problem) []float64 {
	out, z := make([]float64, p.N()), 0.0
	y := make([]uint8, p.N())
	for more := true; more; more = next(y, 2) {
		w := math.Exp(-p.Energy(y))
		z += w
		for i, l := range y {
			out[i] += w * float64(l)
		}
	}
	for i := range out {
		out[i] /= z
	}
	return out
}

// Two nodes, the table not symmetric: P(0,0) ∝ 1, P(0,1) ∝ 2, P(1,0) ∝ 3, P(1,1) ∝ 4 with
// costs -log of these; the first node is 1 in (3+4)/10, the second in (2+4)/10. A node without an
// edge and costs of log 4 and 0 is 1 in 4/5.
func TestMarginalsByHand(t *testing.T) {
	p := &Problem{Labels: 2, Unary: []float64{0, 0, 0, 0, math.Log(4), 0}, Edges: [][2]int32{{0, 1}},
		Pair: []float64{0, -math.Log(2), -math.Log(3), -math.Log(4)}}
	got := Marginals(p)
	for i, want := range []float64{0.7, 0.6, 0.8} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("node %d: got %v, want %v", i, got[i], want)
		}
	}
}

func TestMarginalsOnForests(t *testing.T) {
	r := seeded(8)
	c := func(a, b int) float64 { return 3 * r.NormFloat64() }
	for range 200 {
		n := 1 + r.IntN(10)
		p := fill(r, n, 2, tree(r, n, 0.8), c, c)
		got := Marginals(p)
		for i, want := range sums(p) {
			if math.Abs(got[i]-want) > 1e-6 {
				t.Fatalf("%d nodes, node %d: got %v, want %v", n, i, got[i], want)
			}
		}
	}
}

// On graphs with cycles the marginals are near the sums over all labelings: nearer the weaker the
// couplings are.
func TestMarginalsOnGraphs(t *testing.T) {
	for _, of := range []struct{ strength, mean, largest float64 }{{0.25, 0.001, 0.01}, {1, 0.01, 0.2}, {3, 0.04, 0.7}} {
		r := seeded(9)
		sum, largest, n := 0.0, 0.0, 0
		for range 300 {
			nodes := 3 + r.IntN(8)
			p := fill(r, nodes, 2, graph(r, nodes, 0.5), func(int, int) float64 { return r.NormFloat64() },
				func(int, int) float64 { return of.strength * r.NormFloat64() })
			got := Marginals(p)
			for i, want := range sums(p) {
				d := math.Abs(got[i] - want)
				sum, largest, n = sum+d, max(largest, d), n+1
			}
		}
		t.Logf("strength %v: mean error %.4f, largest %.3f of %d", of.strength, sum/float64(n), largest, n)
		if sum/float64(n) > of.mean || largest > of.largest {
			t.Errorf("strength %v: got mean error %.4f and largest %.3f, want at most %v and %v", of.strength, sum/float64(n), largest,
				of.mean, of.largest)
		}
	}
}

// Labels that change their names give the other probability, and nodes in another order the same.
func TestMarginalsDoNotDependOnNames(t *testing.T) {
	p := superpixels(4, 2, 0.5)
	got := Marginals(p)
	n := p.N()
	q := &Problem{Labels: 2, Unary: make([]float64, 2*n)}
	for i := range n { // node i becomes n-1-i, label l becomes 1-l
		q.Unary[2*(n-1-i)], q.Unary[2*(n-1-i)+1] = p.Unary[2*i+1], p.Unary[2*i]
	}
	for e, ij := range p.Edges {
		t := p.Pair[4*e : 4*e+4] // [a][b] becomes [1-b][1-a], as the ends change places too
		q.Edges = append(q.Edges, [2]int32{int32(n-1) - ij[1], int32(n-1) - ij[0]})
		q.Pair = append(q.Pair, t[3], t[1], t[2], t[0])
	}
	other := Marginals(q)
	for i, v := range got {
		if w := 1 - other[n-1-i]; math.Abs(v-w) > 1e-3 {
			t.Fatalf("node %d: got %v and %v", i, v, w)
		}
	}
}

func BenchmarkMarginals(b *testing.B) {
	p := superpixels(4, 2, 1)
	for b.Loop() {
		Marginals(p)
	}
}
