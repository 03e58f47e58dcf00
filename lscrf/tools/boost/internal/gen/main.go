// Gen writes the assembly of package boost; go generate runs it.
//
// What each function computes is said by its Go twin in kernel.go, search.go and trees.go; the results
// are the same bit for bit.
package main

import . "github.com/mmcloughlin/avo/build"

// sizes are the lengths of histograms that addLines has code for: the distance of two
// lanes' histograms is part of the instructions.
var sizes = []int{40, 72, 136, 256}

func main() {
	for _, words := range []int{1, 2, 4} {
		for _, bins := range sizes {
			addLines(bins, words)
		}
	}
	settle1()
	settle2()
	settle4()
	for _, words := range []int{1, 2, 4} {
		addScores(words)
	}
	orAbove()
	for levels := 5; levels <= 8; levels++ {
		binColumn(levels)
	}
	addTrees()
	Generate()
}
