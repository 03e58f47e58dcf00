//go:build ignore

// Command kernels writes the assembly of package regress: go generate ./lscrf/regress.
//
// What each function computes, and in which order, is said by its Go twin in
// kernel.go; the results are the same bit for bit.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	tileRows = 24
	tileCols = 16
)

func main() {
	tileAVX512()
	tileAVX2()
	sumRowsAVX512()
	sumRowsAVX2()
	maxBitsAVX2()
	applyAVX512()
	applyAVX2()
	Generate()
}

// tileAVX512 keeps the whole tile in 24 registers: one load, one multiplication by the weight and
// 24 fused multiply-adds with a broadcast operand per term.
func tileAVX512() {
	TEXT("addTileAVX512", NOSPLIT, "func(k int, a, b, w *float32, stride int, c *int64)")
	Doc("addTileAVX512 is addTileGeneric with AVX512F and AVX512DQ; k is at least 1.")
	k, a, b := Load(Param("k"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	w, stride, c := Load(Param("w"), GP64()), Load(Param("stride"), GP64()), Load(Param("c"), GP64())
	SHLQ(Imm(2), stride) // to bytes
	acc := make([]VecVirtual, tileRows)
	for r := range acc {
		acc[r] = ZMM()
		VPXORQ(acc[r], acc[r], acc[r])
	}
	Label("term512")
	bw := ZMM()
	VMOVUPS(Mem{Base: b}, bw)
	VMULPS_BCST(Mem{Base: w}, bw, bw)
	for r := range acc {
		VFMADD231PS_BCST(Mem{Base: a, Disp: 4 * r}, bw, acc[r])
	}
	ADDQ(stride, a)
	ADDQ(stride, b)
	ADDQ(Imm(4), w)
	DECQ(k)
	JNE(LabelRef("term512"))
	lo, hi, high := ZMM(), ZMM(), YMM()
	for r, v := range acc {
		VCVTPS2QQ(v.AsY(), lo)
		VEXTRACTF32X8(Imm(1), v, high)
		VCVTPS2QQ(high, hi)
		VPADDQ(Mem{Base: c, Disp: 128 * r}, lo, lo)
		VPADDQ(Mem{Base: c, Disp: 128*r + 64}, hi, hi)
		VMOVDQU64(lo, Mem{Base: c, Disp: 128 * r})
		VMOVDQU64(hi, Mem{Base: c, Disp: 128*r + 64})
	}
	VZEROUPPER()
	RET()
}

// tileAVX2 makes four passes of 6 rows, 12 registers each. There is no conversion from float to 64-bit integers, so
// a value v is split as H*2²⁴ + l with H the nearest integer to v/2²⁴: both parts are below 2⁵¹, where adding
// 1.5*2⁵² leaves the nearest integer in the low bits.
func tileAVX2() {
	const pass = 6
	magic := ConstData("magic", F64(1.5*(1<<52)))
	down := ConstData("down", F64(1.0/(1<<24)))
	up := ConstData("up", F64(1<<24))
	bits := uint64(0x4338000000000000)
	both := ConstData("both", U64(bits<<24+bits)) // what the two magic numbers leave in the sum
	TEXT("addTileAVX2", NOSPLIT, "func(k int, a, b, w *float32, stride int, c *int64)")
	Doc("addTileAVX2 is addTileGeneric with AVX2 and FMA; k is at least 1.")
	stride, c := Load(Param("stride"), GP64()), Load(Param("c"), GP64())
	SHLQ(Imm(2), stride)
	passes := GP64()
	MOVQ(U32(tileRows/pass), passes)
	first := Load(Param("a"), GP64())
	Label("pass2")
	k, b, w := Load(Param("k"), GP64()), Load(Param("b"), GP64()), Load(Param("w"), GP64())
	a := GP64()
	MOVQ(first, a)
	var acc [pass][2]VecVirtual
	for r := range acc {
		for h := range acc[r] {
			acc[r][h] = YMM()
			VPXOR(acc[r][h], acc[r][h], acc[r][h])
		}
	}
	b0, b1, v := YMM(), YMM(), YMM()
	Label("term2")
	VBROADCASTSS(Mem{Base: w}, v)
	VMULPS(Mem{Base: b}, v, b0)
	VMULPS(Mem{Base: b, Disp: 32}, v, b1)
	for r := range acc {
		VBROADCASTSS(Mem{Base: a, Disp: 4 * r}, v)
		VFMADD231PS(b0, v, acc[r][0])
		VFMADD231PS(b1, v, acc[r][1])
	}
	ADDQ(stride, a)
	ADDQ(stride, b)
	ADDQ(Imm(4), w)
	DECQ(k)
	JNE(LabelRef("term2"))
	t, h := YMM(), YMM()
	half := XMM()
	for r := range acc {
		for q := range 4 { // four float64 at a time
			src := acc[r][q/2]
			if q%2 == 0 {
				VCVTPS2PD(src.AsX(), t)
			} else {
				VEXTRACTF128(Imm(1), src, half)
				VCVTPS2PD(half, t)
			}
			at := Mem{Base: c, Disp: 128*r + 32*q}
			broadcast := func(m Mem) Op { VBROADCASTSD(m, v); return v }
			VMULPD(broadcast(down), t, h)
			VADDPD(broadcast(magic), h, h) // H in the low bits
			VSUBPD(v, h, b0)               // H
			VFNMADD231PD(broadcast(up), b0, t)
			VADDPD(broadcast(magic), t, t) // l in the low bits
			VPSLLQ(Imm(24), h, h)
			VPADDQ(h, t, t)
			VPSUBQ(broadcast(both), t, t)
			VPADDQ(at, t, t)
			VMOVDQU(t, at)
		}
	}
	ADDQ(Imm(4*pass), first)
	ADDQ(U32(128*pass), c)
	DECQ(passes)
	JNE(LabelRef("pass2"))
	VZEROUPPER()
	RET()
}

// sumRowsAVX512 goes over the columns in blocks of 144 and then of 48, each a pass over all rows.
func sumRowsAVX512() {
	TEXT("sumRowsAVX512", NOSPLIT, "func(dst, rows *float32, index *int32, w *float32, n, width int)")
	Doc("sumRowsAVX512 is sumRowsGeneric with AVX512F; width is a multiple of 48.")
	dst, rows := Load(Param("dst"), GP64()), Load(Param("rows"), GP64())
	left, bytes := Load(Param("width"), GP64()), GP64()
	MOVQ(left, bytes)
	SHLQ(Imm(2), bytes)
	block := func(name string, vectors int, after string) {
		Label(name)
		CMPQ(left, Imm(uint64(16*vectors)))
		JLT(LabelRef(after))
		acc := make([]VecVirtual, vectors)
		for i := range acc {
			acc[i] = ZMM()
			VPXORQ(acc[i], acc[i], acc[i])
		}
		index, w, n := Load(Param("index"), GP64()), Load(Param("w"), GP64()), Load(Param("n"), GP64())
		TESTQ(n, n)
		JEQ(LabelRef(name + "store"))
		Label(name + "row")
		at, v := GP64(), ZMM()
		MOVLQSX(Mem{Base: index}, at)
		IMULQ(bytes, at)
		ADDQ(rows, at)
		VBROADCASTSS(Mem{Base: w}, v)
		for i := range acc {
			VFMADD231PS(Mem{Base: at, Disp: 64 * i}, v, acc[i])
		}
		ADDQ(Imm(4), index)
		ADDQ(Imm(4), w)
		DECQ(n)
		JNE(LabelRef(name + "row"))
		Label(name + "store")
		for i := range acc {
			VMOVUPS(acc[i], Mem{Base: dst, Disp: 64 * i})
		}
		ADDQ(U32(64*vectors), dst)
		ADDQ(U32(64*vectors), rows)
		SUBQ(U32(16*vectors), left)
		JMP(LabelRef(name))
	}
	block("wide512", 9, "narrow512")
	block("narrow512", 3, "done512")
	Label("done512")
	VZEROUPPER()
	RET()
}

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

// maxBitsAVX2 compares absolute values as integers, which orders floats and puts NaN above infinity.
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

// apply writes a function that goes over the columns in blocks of a number of registers and then, with what is left,
// in narrow ones, each block a pass over x; per term one broadcast that converts to float64.
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

func applyAVX512() {
	apply("applyAVX512", " is applyGeneric with AVX512F; width is a multiple of 8 and n at least 1.", "apply512", 8, 1, 8,
		func() VecVirtual { return ZMM() },
		func(x Mem, v VecVirtual) { VCVTPS2PD_BCST(x, v) })
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
