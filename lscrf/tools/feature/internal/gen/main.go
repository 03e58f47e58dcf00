// Gen writes the assembly of package feature; go generate runs it.
//
// What each function computes, and in which order, is said by its Go twin in orient.go,
// field.go and blur.go; the results are the same bit for bit.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	orientRow()
	sumColumns()
	sumRows()
	addPair()
	score()
	Generate()
}

// all returns a vector of 8 equal constants.
func all(name string, v float32) VecVirtual {
	y := YMM()
	VBROADCASTSS(constant(name, math.Float32bits(v)), y)
	return y
}

func constant(name string, bits uint32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U32(bits))
	return m
}

func addPair() {
	TEXT("addPairAVX2", NOSPLIT, "func(dst, a, b *float32, t float32, n int)")
	Doc("addPairAVX2 adds t*(a+b) to dst; n is a positive multiple of 8.")
	dst, a, b := Load(Param("dst"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	t, v := YMM(), YMM()
	one := XMM()
	MOVSS(NewParamAddr("t", 24), one)
	VBROADCASTSS(one, t)
	Label("pair")
	VMOVUPS(Mem{Base: a}, v)
	VADDPS(Mem{Base: b}, v, v)
	VMULPS(t, v, v)
	VADDPS(Mem{Base: dst}, v, v)
	VMOVUPS(v, Mem{Base: dst})
	for _, p := range []Register{dst, a, b} {
		ADDQ(Imm(32), p.(GPVirtual))
	}
	SUBQ(Imm(8), n)
	JNE(LabelRef("pair"))
	VZEROUPPER()
	RET()
}

// score keeps 64 sums in 8 registers: a load, a multiplication and an addition each per dimension.
func score() {
	TEXT("scoreAVX2", NOSPLIT, "func(scores, table, x *float32, dim int)")
	Doc("scoreAVX2 is scoreGeneric with AVX2; dim is at least 1.")
	scores, table := Load(Param("scores"), GP64()), Load(Param("table"), GP64())
	x, dim := Load(Param("x"), GP64()), Load(Param("dim"), GP64())
	acc := make([]VecVirtual, 8)
	for k := range acc {
		acc[k] = YMM()
		VMOVUPS(Mem{Base: scores, Disp: 32 * k}, acc[k])
	}
	v := YMM()
	Label("dimension")
	VBROADCASTSS(Mem{Base: x}, v)
	for k := range acc {
		t := YMM()
		VMULPS(Mem{Base: table, Disp: 32 * k}, v, t)
		VADDPS(t, acc[k], acc[k])
	}
	ADDQ(U32(256), table)
	ADDQ(Imm(4), x)
	DECQ(dim)
	JNE(LabelRef("dimension"))
	for k := range acc {
		VMOVUPS(acc[k], Mem{Base: scores, Disp: 32 * k})
	}
	VZEROUPPER()
	RET()
}
