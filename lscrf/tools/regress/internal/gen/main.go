// Gen writes the assembly of package regress; go generate runs it.
//
// What each function computes, and in which order, is said by its Go twin in
// kernel.go; the results are the same bit for bit.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	tileAVX2()
	applyAVX2()
	Generate()
}
