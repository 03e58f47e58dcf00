// Gen writes the assembly of package feature; go generate runs it.
//
// What each function computes, and in which order, is said by its Go twin in orient.go,
// field.go, blur.go and dense.go; the results are the same bit for bit.
package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	orientRow()
	sumColumns()
	sumRows()
	add("addPairAVX2", "t*(a+b)", "a", "b")
	add("addTimesAVX2", "t*a", "a")
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

// add makes a kernel that adds to dst t times the sum of its other arguments.
func add(name, doc string, args ...string) {
	TEXT(name, NOSPLIT, "func(dst, "+strings.Join(args, ", ")+" *float32, t float32, n int)")
	Doc(name + " adds " + doc + " to dst; n is a positive multiple of 8.")
	dst, from := Load(Param("dst"), GP64()), make([]Register, len(args))
	for i, arg := range args {
		from[i] = Load(Param(arg), GP64())
	}
	n := Load(Param("n"), GP64())
	t, v := YMM(), YMM()
	one := XMM()
	MOVSS(NewParamAddr("t", 8+8*len(args)), one)
	VBROADCASTSS(one, t)
	Label("vector")
	VMOVUPS(Mem{Base: from[0]}, v)
	for _, more := range from[1:] {
		VADDPS(Mem{Base: more}, v, v)
	}
	VMULPS(t, v, v)
	VADDPS(Mem{Base: dst}, v, v)
	VMOVUPS(v, Mem{Base: dst})
	for _, p := range append(from, dst) {
		ADDQ(Imm(32), p.(GPVirtual))
	}
	SUBQ(Imm(8), n)
	JNE(LabelRef("vector"))
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
