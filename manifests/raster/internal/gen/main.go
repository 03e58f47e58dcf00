// Gen writes the assembly of package raster; go generate runs it.
//
// What each function computes is said by its Go twin in jpegidct.go and jpegcolor.go; the results are the same bit for bit.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	inverse()
	yccToRGB()
	Generate()
}
