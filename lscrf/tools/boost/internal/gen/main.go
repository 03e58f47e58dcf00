// Gen writes the assembly of package boost; go generate runs it.
//
// What each function computes is said by its Go twin in kernel.go; the results are the same
// bit for bit.
package main

import . "github.com/mmcloughlin/avo/build"

// sizes are the lengths of histograms that addLines has code for: the distance of two
// lanes' histograms is part of the instructions.
var sizes = []int{40, 136, 256}

func main() {
	for _, words := range []int{1, 4} {
		for _, bins := range sizes {
			addLines(bins, words)
		}
	}
	addScores(1)
	addScores(4)
	orAbove()
	Generate()
}
