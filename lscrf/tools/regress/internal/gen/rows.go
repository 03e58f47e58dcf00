package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sumRowsAVX2 goes over the columns in blocks of 48.
func sumRowsAVX2() {
	TEXT("sumRowsAVX2", NOSPLIT, "func(dst, rows *float32, index *int32, w *float32, n, width int)")
	Doc("sumRowsAVX2 is sumRowsGeneric with AVX2 and FMA; width is a multiple of 48.")
	dst, rows := Load(Param("dst"), GP64()), Load(Param("rows"), GP64())
	left, bytes := Load(Param("width"), GP64()), GP64()
	MOVQ(left, bytes)
	SHLQ(Imm(2), bytes)
	Label("block2")
	TESTQ(left, left)
	JEQ(LabelRef("done2"))
	acc := make([]VecVirtual, 6)
	for i := range acc {
		acc[i] = YMM()
		VPXOR(acc[i], acc[i], acc[i])
	}
	index, w, n := Load(Param("index"), GP64()), Load(Param("w"), GP64()), Load(Param("n"), GP64())
	TESTQ(n, n)
	JEQ(LabelRef("store2"))
	Label("row2")
	at, v := GP64(), YMM()
	MOVLQSX(Mem{Base: index}, at)
	IMULQ(bytes, at)
	ADDQ(rows, at)
	VBROADCASTSS(Mem{Base: w}, v)
	for i := range acc {
		VFMADD231PS(Mem{Base: at, Disp: 32 * i}, v, acc[i])
	}
	ADDQ(Imm(4), index)
	ADDQ(Imm(4), w)
	DECQ(n)
	JNE(LabelRef("row2"))
	Label("store2")
	for i := range acc {
		VMOVUPS(acc[i], Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(U32(192), dst)
	ADDQ(U32(192), rows)
	SUBQ(Imm(48), left)
	JMP(LabelRef("block2"))
	Label("done2")
	VZEROUPPER()
	RET()
}

// maxBitsAVX2 compares absolute values as integers, which orders floats and puts NaN above
// infinity.
func maxBitsAVX2() {
	abs := ConstData("abs", U32(0x7fffffff))
	TEXT("maxBitsAVX2", NOSPLIT, "func(x *float32, n int) uint32")
	Doc("maxBitsAVX2 returns the largest of the bits of |x[i]|; n is a multiple of 32.")
	x, n := Load(Param("x"), GP64()), Load(Param("n"), GP64())
	mask := YMM()
	VPBROADCASTD(abs, mask)
	acc := make([]VecVirtual, 4)
	for i := range acc {
		acc[i] = YMM()
		VPXOR(acc[i], acc[i], acc[i])
	}
	Label("max2")
	CMPQ(n, Imm(32))
	JLT(LabelRef("fold2"))
	v := YMM()
	for i := range acc {
		VPAND(Mem{Base: x, Disp: 32 * i}, mask, v)
		VPMAXUD(v, acc[i], acc[i])
	}
	ADDQ(U32(128), x)
	SUBQ(Imm(32), n)
	JMP(LabelRef("max2"))
	Label("fold2")
	VPMAXUD(acc[1], acc[0], acc[0])
	VPMAXUD(acc[3], acc[2], acc[2])
	VPMAXUD(acc[2], acc[0], acc[0])
	half, other := acc[0].AsX(), XMM()
	VEXTRACTI128(Imm(1), acc[0], other)
	VPMAXUD(other, half, half)
	VPSHUFD(Imm(0x4e), half, other)
	VPMAXUD(other, half, half)
	VPSHUFD(Imm(0xb1), half, other)
	VPMAXUD(other, half, half)
	out := GP32()
	VMOVD(half, out)
	VZEROUPPER()
	Store(out, ReturnIndex(0))
	RET()
}
