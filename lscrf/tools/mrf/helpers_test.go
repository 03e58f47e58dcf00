package mrf

import (
	"math"
	"math/rand/v2"
	"testing"
)

// seeded returns a generator that depends on the seed only.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6d7266)) }

// fill returns the problem on the given edges whose costs cost draws; the order of the
// edges is shuffled, because it is free.
func fill(r *rand.Rand, n, L int, edges [][2]int32, unary, pair func(a, b int) float64) *Problem {
	p := &Problem{Labels: L}
	for range n {
		for a := range L {
			p.Unary = append(p.Unary, unary(a, a))
		}
	}
	p.Edges = append(p.Edges, edges...)
	r.Shuffle(len(p.Edges), func(a, b int) { p.Edges[a], p.Edges[b] = p.Edges[b], p.Edges[a] })
	for range p.Edges {
		for a := range L {
			for b := range L {
				p.Pair = append(p.Pair, pair(a, b))
			}
		}
	}
	return p
}

// graph returns the edges between n nodes that are each present with the given probability.
func graph(r *rand.Rand, n int, density float64) (edges [][2]int32) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			if r.Float64() < density {
				edges = append(edges, [2]int32{int32(i), int32(j)})
			}
		}
	}
	return edges
}

// tree returns the edges of a random forest: each node but the first hangs on an earlier
// one with the given probability; node numbers are shuffled.
func tree(r *rand.Rand, n int, density float64) (edges [][2]int32) {
	name := r.Perm(n)
	for i := 1; i < n; i++ {
		if r.Float64() < density {
			a, b := name[i], name[r.IntN(i)]
			edges = append(edges, [2]int32{int32(min(a, b)), int32(max(a, b))})
		}
	}
	return edges
}

// grid returns the 4-neighbor edges of a picture.
func grid(width, height int) (edges [][2]int32) {
	for y := range height {
		for x := range width {
			i := int32(y*width + x)
			if x+1 < width {
				edges = append(edges, [2]int32{i, i + 1})
			}
			if y+1 < height {
				edges = append(edges, [2]int32{i, i + int32(width)})
			}
		}
	}
	return edges
}

// A family is a kind of random problem.
type family struct {
	name string
	draw func(r *rand.Rand, n, L int) *Problem
}

// families are the kinds of tables that solvers must get right: none of them is the same
// read by rows and by columns, except the last two.
var families = []family{
	{"glass", func(r *rand.Rand, n, L int) *Problem { // no structure at all
		c := func(a, b int) float64 { return r.NormFloat64() }
		return fill(r, n, L, graph(r, n, r.Float64()), c, c)
	}},
	{"attractive", func(r *rand.Rand, n, L int) *Problem { // like learned potentials
		c := func(a, b int) float64 { return r.NormFloat64() }
		return fill(r, n, L, graph(r, n, r.Float64()), c, func(a, b int) float64 {
			if a == b {
				return -2 * r.Float64()
			}
			return r.NormFloat64()
		})
	}},
	{"logs", func(r *rand.Rand, n, L int) *Problem { // clamped log-probabilities, no unaries
		zero := func(a, b int) float64 { return 0 }
		return fill(r, n, L, graph(r, n, r.Float64()), zero, func(a, b int) float64 {
			return -math.Log(max(1e-9, min(1, r.NormFloat64()/2)))
		})
	}},
	{"forbidding", func(r *rand.Rand, n, L int) *Problem { // some pairs cost 1e6
		c := func(a, b int) float64 { return r.NormFloat64() }
		return fill(r, n, L, graph(r, n, r.Float64()/2), c, func(a, b int) float64 {
			if r.IntN(4) == 0 {
				return 1e6
			}
			return r.NormFloat64()
		})
	}},
	{"forest", func(r *rand.Rand, n, L int) *Problem {
		c := func(a, b int) float64 { return 2 * r.NormFloat64() }
		return fill(r, n, L, tree(r, n, 0.9), c, c)
	}},
	{"ties", func(r *rand.Rand, n, L int) *Problem { // small integers: many optima
		c := func(a, b int) float64 { return float64(r.IntN(3) - 1) }
		return fill(r, n, L, graph(r, n, r.Float64()), c, c)
	}},
	{"Potts", func(r *rand.Rand, n, L int) *Problem {
		c := func(a, b int) float64 { return r.NormFloat64() }
		w := 2*r.Float64() - 0.5
		return fill(r, n, L, graph(r, n, r.Float64()), c, func(a, b int) float64 {
			if a == b {
				return 0
			}
			return w
		})
	}},
	{"zero", func(r *rand.Rand, n, L int) *Problem {
		c := func(a, b int) float64 { return 0 }
		return fill(r, n, L, graph(r, n, r.Float64()), c, c)
	}},
}

// near reports whether two energies agree up to rounding, for costs that sum to less than
// about 1e9.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// check fails the test unless r is a consistent result for p, whose least energy is want.
func check(t *testing.T, p *Problem, r Result, want float64) {
	t.Helper()
	if len(r.Labels) != p.N() {
		t.Fatalf("%d labels, want %d", len(r.Labels), p.N())
	}
	if e := p.Energy(r.Labels); !near(r.Energy, e) {
		t.Fatalf("energy %v, of the labels %v", r.Energy, e)
	}
	if r.Energy < want-1e-6 {
		t.Fatalf("energy %v below the minimum %v", r.Energy, want)
	}
	if r.Bound > want+1e-6 || r.Bound > r.Energy {
		t.Fatalf("bound %v above the minimum %v or the energy %v", r.Bound, want, r.Energy)
	}
	if r.Persistent < 0 || r.Persistent > p.N() {
		t.Fatalf("%d persistent nodes of %d", r.Persistent, p.N())
	}
	switch r.Status {
	case Optimal:
		if !near(r.Energy, want) || r.Bound != r.Energy || r.Persistent != p.N() {
			t.Fatalf("%v %v: energy %v, bound %v, %d persistent, want %v", r.Method, r.Status, r.Energy, r.Bound, r.Persistent, want)
		}
	case Converged, IterationLimit:
	default:
		t.Fatalf("status %v with labels", r.Status)
	}
}
