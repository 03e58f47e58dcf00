package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// apply writes a function that goes over the columns in blocks of a number of registers and then,
// with what is left, in narrow ones, each block a pass over x; per term one broadcast that converts
// to float64.
func apply(name, doc, suffix string, wide, narrow, lanes int, vector func() VecVirtual, convert func(x Mem, v VecVirtual)) {
	TEXT(name, NOSPLIT, "func(dst *float64, x *float32, w *float64, n, width int)")
	Doc(name + doc)
	dst, w := Load(Param("dst"), GP64()), Load(Param("w"), GP64())
	left, stride := Load(Param("width"), GP64()), GP64()
	MOVQ(left, stride)
	SHLQ(Imm(3), stride)
	block := func(label string, registers int, after string) {
		columns := registers * lanes
		Label(label)
		CMPQ(left, Imm(uint64(columns)))
		JLT(LabelRef(after))
		acc := make([]VecVirtual, registers)
		for i := range acc {
			acc[i] = vector()
			VMOVUPD(Mem{Base: dst, Disp: 8 * lanes * i}, acc[i])
		}
		x, n, at, v := Load(Param("x"), GP64()), Load(Param("n"), GP64()), GP64(), vector()
		MOVQ(w, at)
		Label(label + "term")
		convert(Mem{Base: x}, v)
		for i := range acc {
			VFMADD231PD(Mem{Base: at, Disp: 8 * lanes * i}, v, acc[i])
		}
		ADDQ(stride, at)
		ADDQ(Imm(4), x)
		DECQ(n)
		JNE(LabelRef(label + "term"))
		for i := range acc {
			VMOVUPD(acc[i], Mem{Base: dst, Disp: 8 * lanes * i})
		}
		ADDQ(U32(8*columns), dst)
		ADDQ(U32(8*columns), w)
		SUBQ(U32(columns), left)
		JMP(LabelRef(label))
	}
	block("wide"+suffix, wide, "narrow"+suffix)
	block("narrow"+suffix, narrow, "end"+suffix)
	Label("end" + suffix)
	VZEROUPPER()
	RET()
}

func applyAVX2() {
	apply("applyAVX2", " is applyGeneric with AVX2 and FMA; width is a multiple of 8 and n at least 1.", "apply2", 8, 2, 4,
		func() VecVirtual { return YMM() },
		func(x Mem, v VecVirtual) {
			half := XMM()
			VBROADCASTSS(x, half)
			VCVTPS2PD(half, v)
		})
}
