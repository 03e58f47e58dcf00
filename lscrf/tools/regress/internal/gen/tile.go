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

// tileAVX2 makes four passes of 6 rows, 12 registers each. There is no conversion from float to
// 64-bit integers, so a value v is split as H*2²⁴ + l with H the nearest integer to v/2²⁴: both
// parts are below 2⁵¹, where adding 1.5*2⁵² leaves the nearest integer in the low bits.
func tileAVX2() {
	const pass = 6
	magic := ConstData("magic", F64(1.5*(1<<52)))
	down := ConstData("down", F64(1.0/(1<<24)))
	up := ConstData("up", F64(1<<24))
	bits := uint64(0x4338000000000000)
	both := ConstData("both", U64(bits<<24+bits)) // what the two magic numbers leave in the sum
	TEXT("addTileAVX2", NOSPLIT, "func(k int, a, b, w *float32, stride int, c *int64)")
	Doc("addTileAVX2 is addTileGeneric with AVX2; k is at least 1.")
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
	b0, b1, v, p := YMM(), YMM(), YMM(), YMM()
	Label("term2")
	VBROADCASTSS(Mem{Base: w}, v)
	VMULPS(Mem{Base: b}, v, b0)
	VMULPS(Mem{Base: b, Disp: 32}, v, b1)
	for r := range acc {
		VBROADCASTSS(Mem{Base: a, Disp: 4 * r}, v)
		VMULPS(b0, v, p)
		VADDPS(p, acc[r][0], acc[r][0])
		VMULPS(b1, v, v)
		VADDPS(v, acc[r][1], acc[r][1])
	}
	ADDQ(stride, a)
	ADDQ(stride, b)
	ADDQ(Imm(4), w)
	DECQ(k)
	JNE(LabelRef("term2"))
	// The sums, four at a time, from the stack.
	sums := AllocLocal(64 * pass)
	for r := range acc {
		VMOVUPS(acc[r][0], sums.Offset(64*r))
		VMOVUPS(acc[r][1], sums.Offset(64*r+32))
	}
	at, t, h := GP64(), YMM(), YMM()
	LEAQ(sums, at)
	MOVQ(U32(4*pass), k)
	Label("four2")
	VCVTPS2PD(Mem{Base: at}, t)
	VBROADCASTSD(magic, v)
	VBROADCASTSD(down, h)
	VMULPD(h, t, h)
	VADDPD(v, h, h)  // H in the low bits
	VSUBPD(v, h, b0) // H
	VBROADCASTSD(up, b1)
	VMULPD(b1, b0, b0) // H*2²⁴, exactly
	VSUBPD(b0, t, t)
	VADDPD(v, t, t) // l in the low bits
	VPSLLQ(Imm(24), h, h)
	VPADDQ(h, t, t)
	VBROADCASTSD(both, v)
	VPSUBQ(v, t, t)
	VPADDQ(Mem{Base: c}, t, t)
	VMOVDQU(t, Mem{Base: c})
	ADDQ(Imm(16), at)
	ADDQ(Imm(32), c)
	DECQ(k)
	JNE(LabelRef("four2"))
	ADDQ(Imm(4*pass), first)
	DECQ(passes)
	JNE(LabelRef("pass2"))
	VZEROUPPER()
	RET()
}
