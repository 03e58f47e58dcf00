// Gen writes the assembly of package superpixel; go generate runs it.
//
// What the function computes, and in which order, is said by assignGeneric; the results are
// the same bit for bit.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	TEXT("assignAVX2", NOSPLIT, "func(best *float32, labels *int32, l, a, b *float32, stride int, across *float32, cols int, "+
		"down *float32, rows int, mean *float32, id int32)")
	Doc("assignAVX2 is assignGeneric with AVX2; cols is at least 8 and rows at least 1.")
	best, labels := Load(Param("best"), GP64()), Load(Param("labels"), GP64())
	l, a, b := Load(Param("l"), GP64()), Load(Param("a"), GP64()), Load(Param("b"), GP64())
	across, cols := Load(Param("across"), GP64()), Load(Param("cols"), GP64())
	down, rows := Load(Param("down"), GP64()), Load(Param("rows"), GP64())
	ml, ma, mb, id := YMM(), YMM(), YMM(), YMM()
	mean := Load(Param("mean"), GP64())
	VBROADCASTSS(Mem{Base: mean}, ml)
	VBROADCASTSS(Mem{Base: mean, Disp: 4}, ma)
	VBROADCASTSS(Mem{Base: mean, Disp: 8}, mb)
	one := XMM()
	VMOVD(Load(Param("id"), GP32()), one)
	VPBROADCASTD(one, id)
	SHLQ(Imm(2), cols) // from here on in bytes
	SUBQ(Imm(32), cols)

	dy, x := YMM(), GP64()
	Label("row")
	VBROADCASTSS(Mem{Base: down}, dy)
	XORQ(x, x)
	Label("eight")
	at := func(base Register) Mem { return Mem{Base: base, Index: x, Scale: 1} }
	d, t := YMM(), YMM()
	VMOVUPS(at(l), d)
	VSUBPS(ml, d, d)
	VMULPS(d, d, d)
	VMOVUPS(at(a), t)
	VSUBPS(ma, t, t)
	VMULPS(t, t, t)
	VADDPS(t, d, d)
	VMOVUPS(at(b), t)
	VSUBPS(mb, t, t)
	VMULPS(t, t, t)
	VADDPS(t, d, d)
	VADDPS(at(across), dy, t)
	VADDPS(t, d, d)
	least, nearer, old := YMM(), YMM(), YMM()
	VMOVUPS(at(best), least)
	VCMPPS(Imm(17), least, d, nearer) // d < least
	VMINPS(least, d, least)
	VMOVUPS(least, at(best))
	VMOVUPS(at(labels), old)
	VBLENDVPS(nearer, id, old, old)
	VMOVUPS(old, at(labels))
	CMPQ(x, cols)
	JGE(LabelRef("next"))
	ADDQ(Imm(32), x)
	CMPQ(x, cols)
	JLE(LabelRef("eight"))
	MOVQ(cols, x) // the last eight columns overlap: to look twice changes nothing
	JMP(LabelRef("eight"))
	Label("next")
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(2), stride)
	for _, p := range []Register{best, labels, l, a, b} {
		ADDQ(stride, p.(GPVirtual))
	}
	ADDQ(Imm(4), down)
	DECQ(rows)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
	Generate()
}
