package mrf

import (
	"math/rand/v2"
	"testing"
)

// seeded returns a generator that depends on the seed only.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6d7266)) }

// random returns a problem of n nodes and L labels whose edges are each present with the
// given probability. Costs are normal, asymmetric, of both signs; attraction is taken off
// the tables' diagonals, so that 0 gives spin glasses and a large value submodular tables.
func random(r *rand.Rand, n, L int, density, attraction float64) *Problem {
	p := &Problem{Labels: L, Unary: make([]float64, n*L)}
	for i := range p.Unary {
		p.Unary[i] = r.NormFloat64()
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if r.Float64() >= density {
				continue
			}
			p.Edges = append(p.Edges, [2]int32{int32(i), int32(j)})
			for a := range L {
				for b := range L {
					c := r.NormFloat64()
					if a == b {
						c -= attraction
					}
					p.Pair = append(p.Pair, c)
				}
			}
		}
	}
	r.Shuffle(len(p.Edges), func(a, b int) { // the order of edges is free
		p.Edges[a], p.Edges[b] = p.Edges[b], p.Edges[a]
		for k := range L * L {
			p.Pair[a*L*L+k], p.Pair[b*L*L+k] = p.Pair[b*L*L+k], p.Pair[a*L*L+k]
		}
	})
	return p
}

// near reports whether two energies agree up to rounding.
func near(a, b float64) bool {
	d := a - b
	return -1e-9 < d && d < 1e-9
}

func mustValid(t *testing.T, p *Problem) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
}
