// Gen writes the assembly of package pool; go generate runs it.
//
// What the function computes, and in which order, is said by dot; the results are the same bit for bit.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	TEXT("dotsAVX2", NOSPLIT, "func(sums *[32]float32, a, b, c, d, x *float32, n int)")
	Doc("dotsAVX2 sets sums[8k:8k+8] to the eight interleaved parts of the inner product of row k of a, b, c and d with x; n, the values of each, is",
		"a multiple of 8 and not 0.")
	Pragma("noescape")
	sums := Load(Param("sums"), GP64())
	var rows [4]Register
	for k, name := range []string{"a", "b", "c", "d"} {
		rows[k] = Load(Param(name), GP64())
	}
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	SHLQ(Imm(2), n) // from here on in bytes
	var sum [4]VecVirtual
	for k := range sum {
		sum[k] = YMM()
		VXORPS(sum[k], sum[k], sum[k])
	}
	i, v := GP64(), YMM()
	XORQ(i, i)
	Label("eight")
	VMOVUPS(Mem{Base: x, Index: i, Scale: 1}, v)
	for k := range sum {
		t := YMM()
		VMULPS(Mem{Base: rows[k], Index: i, Scale: 1}, v, t)
		VADDPS(t, sum[k], sum[k])
	}
	ADDQ(Imm(32), i)
	CMPQ(i, n)
	JL(LabelRef("eight"))
	for k := range sum {
		VMOVUPS(sum[k], Mem{Base: sums, Disp: 32 * k})
	}
	VZEROUPPER()
	RET()
	Generate()
}
