package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// applyAVX2 goes over the columns in blocks of 32 and then, with what is left, of 8, each block a
// pass over x; per term one broadcast that converts to float64.
func applyAVX2() {
	TEXT("applyAVX2", NOSPLIT, "func(dst *float64, x *float32, w *float64, n, width int)")
	Doc("applyAVX2 is applyGeneric with AVX2; width is a multiple of 8 and n at least 1.")
	dst, w := Load(Param("dst"), GP64()), Load(Param("w"), GP64())
	left, stride := Load(Param("width"), GP64()), GP64()
	MOVQ(left, stride)
	SHLQ(Imm(3), stride)
	block := func(label string, registers int, after string) {
		columns := registers * 4
		Label(label)
		CMPQ(left, Imm(uint64(columns)))
		JLT(LabelRef(after))
		acc := make([]VecVirtual, registers)
		for i := range acc {
			acc[i] = YMM()
			VMOVUPD(Mem{Base: dst, Disp: 32 * i}, acc[i])
		}
		x, n, at, v, half, p := Load(Param("x"), GP64()), Load(Param("n"), GP64()), GP64(), YMM(), XMM(), YMM()
		MOVQ(w, at)
		Label(label + "term")
		VBROADCASTSS(Mem{Base: x}, half)
		VCVTPS2PD(half, v)
		for i := range acc {
			VMULPD(Mem{Base: at, Disp: 32 * i}, v, p)
			VADDPD(p, acc[i], acc[i])
		}
		ADDQ(stride, at)
		ADDQ(Imm(4), x)
		DECQ(n)
		JNE(LabelRef(label + "term"))
		for i := range acc {
			VMOVUPD(acc[i], Mem{Base: dst, Disp: 32 * i})
		}
		ADDQ(U32(8*columns), dst)
		ADDQ(U32(8*columns), w)
		SUBQ(U32(columns), left)
		JMP(LabelRef(label))
	}
	block("wide", 8, "narrow")
	block("narrow", 2, "end")
	Label("end")
	VZEROUPPER()
	RET()
}
