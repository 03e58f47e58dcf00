package mrf

import "math"

// BruteForce returns the minimum of p by trying all Lᴺ labelings, the lexicographically
// first of them where several are best (node 0 counts most). It is the oracle that the
// other solvers are tested against; each labeling costs O(N + E). It panics when there are
// more than 2²⁴ labelings.
func BruteForce(p *Problem) Result {
	n, L := p.N(), p.Labels
	if float64(n)*math.Log2(float64(L)) > 24 {
		panic("mrf: BruteForce: more than 2^24 labelings")
	}
	y := make([]uint8, n)
	best := append([]uint8(nil), y...)
	min := p.Energy(y)
	for next(y, L) {
		if e := p.Energy(y); e < min {
			min = e
			copy(best, y)
		}
	}
	return Result{Labels: best, Energy: min, Bound: min, Status: Optimal, Method: Brute, Persistent: n}
}

// next advances y to the lexicographically next labeling and reports whether there is one.
func next(y []uint8, labels int) bool {
	for i := len(y) - 1; i >= 0; i-- {
		if int(y[i]) < labels-1 {
			y[i]++
			return true
		}
		y[i] = 0
	}
	return false
}
