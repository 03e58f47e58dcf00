// Gen writes the assembly of package jpeg; go generate runs it.
//
// What each function computes is said by its Go twin in idct.go and color.go; the results are the
// same bit for bit.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	inverse()
	yccToRGB()
	Generate()
}
