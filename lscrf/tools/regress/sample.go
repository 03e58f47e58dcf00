package regress

import (
	"fmt"
	"math/rand/v2"
)

// Paper's sampling rates of its tiers (b) and (c), section 4.4.
const (
	NodeFraction = 0.25
	EdgeFraction = 0.10
)

// SampleRates returns, given the rows of each output, the probability with which to keep a row so that a
// fraction of all rows is kept in the paper's way: nodes class-balanced; edges with the ratio of equal to
// different label pairs as it is, and within each of the two groups all pairs alike. A class with
// fewer rows than its share is kept whole.
func SampleRates(kind Kind, labels int, rows []int64, fraction float64) []float64 {
	if !(fraction > 0 && fraction <= 1) || len(rows) != outputs(kind, labels) {
		panic(fmt.Sprintf("regress: fraction %v of %d outputs, want above 0 to 1 of %d", fraction, len(rows), outputs(kind, labels)))
	}
	weights, seen := make([]float64, len(rows)), make([]bool, len(rows))
	for p, n := range rows {
		weights[p], seen[p] = float64(n), n > 0
	}
	rates := Balanced(BalancePaper, kind, labels, weights, seen)
	for p := range rates {
		rates[p] = min(1, fraction*rates[p])
	}
	return rates
}

// SampleNodes returns a weight for each node: 1 if it is kept, with the probability of its
// label, else 0. AddImage then takes the kept ones only.
func SampleNodes(y []uint8, rates []float64, rng *rand.Rand) []float32 {
	w := make([]float32, len(y))
	for s, l := range y {
		if u := rng.Float64(); l != Skip && u < rates[l] {
			w[s] = 1
		}
	}
	return w
}

// SampleEdges does the same for edges; an edge is kept with the mean of the probabilities of its two
// orientations, which are equal when the rates come from Edges.
func SampleEdges(edges [][2]int32, y []uint8, labels int, rates []float64, rng *rand.Rand) []float32 {
	w := make([]float32, len(edges))
	for e, st := range edges {
		j, k := y[st[0]], y[st[1]]
		if u := rng.Float64(); j != Skip && k != Skip && u < (rates[int(j)*labels+int(k)]+rates[int(k)*labels+int(j)])/2 {
			w[e] = 1
		}
	}
	return w
}
