package mrf

import (
	"fmt"
	"math"
)

// A Problem is the pairwise energy
//
//	E(y) = Σᵢ Unary[i*L+yᵢ] + Σₑ Pair[e*L*L + yᵢ*L + yⱼ],   e = (i, j),
//
// over labelings y ∈ {0..L-1}ᴺ, L = Labels, which solvers minimize. Costs are negative
// log-probabilities up to a constant, of any sign, finite and at most 1e15 in size. Write a
// forbidden label as a large cost (1e6 is plenty beside log-probabilities): an infinite one
// would make bounds and gaps meaningless, and one far above the others costs them digits.
//
// Edges[e] = {i, j} with i < j, each pair of nodes at most once, in any order. Rows of a
// Pair table belong to i and columns to j, so a table need not be symmetric, and naming the
// edge from its other end would transpose it. Solvers only read a Problem, and trust that it
// is one.
type Problem struct {
	Labels int        // L, from 1 to 256, because labelings are []uint8
	Unary  []float64  // N*L costs, node by node
	Edges  [][2]int32 // E pairs
	Pair   []float64  // E*L*L costs, edge by edge, row by row
}

// N returns the number of nodes, len(Unary)/Labels.
func (p *Problem) N() int {
	if p.Labels <= 0 {
		return 0
	}
	return len(p.Unary) / p.Labels
}

// Energy returns E(y). It panics unless y holds one label below p.Labels for each node.
func (p *Problem) Energy(y []uint8) float64 {
	L := p.Labels
	if n := p.N(); len(y) != n {
		panic(fmt.Sprintf("mrf: len(y) = %d, want %d nodes", len(y), n))
	}
	e := 0.0
	for i, l := range y {
		if int(l) >= L {
			panic(fmt.Sprintf("mrf: y[%d] = %d, want a label below %d", i, l, L))
		}
		e += p.Unary[i*L+int(l)]
	}
	for k, ij := range p.Edges {
		e += p.Pair[(k*L+int(y[ij[0]]))*L+int(y[ij[1]])]
	}
	return e
}

// A half is an edge seen from one of its ends.
type half struct{ edge, other int32 }

// An incidence lists the edges of every node, in the order of Problem.Edges but those to
// earlier nodes first: node i's early ones are half[first[i]:mid[i]], its later ones
// half[mid[i]:first[i+1]].
type incidence struct {
	first []int32 // n+1
	mid   []int32 // n
	half  []half  // 2E
}

// of builds the incidence of a graph of n nodes in time O(n + len(edges)).
func (c *incidence) of(n int, edges [][2]int32) {
	c.first, c.mid = grow(c.first, n+1), grow(c.mid, n)
	c.half = grow(c.half, 2*len(edges))
	clear(c.first)
	clear(c.mid)
	for _, ij := range edges {
		c.first[ij[1]]++
		c.mid[ij[0]]++
		c.mid[ij[1]]++
	}
	sum := int32(0)
	for i, d := range c.mid { // now first and mid are the ends of the two ranges ...
		c.first[i] += sum
		sum += d
		c.mid[i] = sum
	}
	c.first[n] = sum
	// ... and filling those from behind makes them the starts
	for e := len(edges) - 1; e >= 0; e-- {
		i, j := edges[e][0], edges[e][1]
		c.mid[i]--
		c.half[c.mid[i]] = half{int32(e), j}
		c.first[j]--
		c.half[c.first[j]] = half{int32(e), i}
	}
}

// edges returns the edges of node i.
func (c *incidence) edges(i int) []half { return c.half[c.first[i]:c.first[i+1]] }

// early returns the edges from node i to earlier nodes.
func (c *incidence) early(i int) []half { return c.half[c.first[i]:c.mid[i]] }

// later returns the edges from node i to later nodes.
func (c *incidence) later(i int) []half { return c.half[c.mid[i]:c.first[i+1]] }

// scaleFor returns the largest power of two s ≤ 2⁵² with s·total < 2^bits, and 1 for
// total = 0. A power of two only moves the exponent, so numbers lose nothing but what lies
// below one unit when they are scaled and truncated.
func scaleFor(total float64, bits int) float64 {
	if total == 0 {
		return 1
	}
	_, exp := math.Frexp(total) // total < 2^exp
	return math.Ldexp(1, min(bits-exp, 52))
}

// sumAbs returns Σ|x|.
func sumAbs(x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += math.Abs(x[0])
		b += math.Abs(x[1])
		c += math.Abs(x[2])
		d += math.Abs(x[3])
	}
	for _, v := range x {
		a += math.Abs(v)
	}
	return a + b + c + d
}

// grow returns s with length n and unspecified contents, reusing its memory.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
