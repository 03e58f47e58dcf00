// Gen writes the AVX2 message kernels of package mrf; go generate runs it.
//
// Each kernel exists twice: for any number of labels from 4, in loops over four lanes, and
// unrolled for 8. The last four lanes of a row may overlap the four before them, which
// needs no masks and does no harm: entries are computed twice, and minima taken twice.
package main

import . "github.com/mmcloughlin/avo/build"

const (
	send = "func(m, from, share, table *float64, n int) float64"
	sum  = "func(r, share, unary, msg *float64, edges *int32, degree int, part float64, n int) float64"
)

func main() {
	ConstraintExpr("amd64")
	kernel("sendColumnsAVX2", "sendColumnsAVX2 is sendColumns for n of at least 4 labels.", columns)
	kernel("sendColumns8AVX2", "sendColumns8AVX2 is sendColumns for 8 labels.", columns8)
	kernel("sendRowsAVX2", "sendRowsAVX2 is sendRows for n of at least 4 labels.", rows)
	kernel("sendRows8AVX2", "sendRows8AVX2 is sendRows for 8 labels.", rows8)
	collect("collectAVX2", "collectAVX2 is collect for n of at least 4 labels.", gather)
	collect("collect8AVX2", "collect8AVX2 is collect for 8 labels.", gather8)
	Generate()
}
