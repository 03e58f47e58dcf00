package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// orientRow computes 8 pixels at a time: the angle in one vector, then for each of the 8
// orientations magnitude * max(0, 1 - distance around the circle), then a transposition.
func orientRow() {
	TEXT("orientRowAVX2", NOSPLIT, "func(dst, up, on, down *float32, n int)")
	Doc("orientRowAVX2 is orientRowGeneric with AVX2, all 8 orientations of a pixel stored;",
		"n is a positive multiple of 8.")
	dst, up := Load(Param("dst"), GP64()), Load(Param("up"), GP64())
	on, down := Load(Param("on"), GP64()), Load(Param("down"), GP64())
	n := Load(Param("n"), GP64())
	// octantPoly
	poly := [6]float32{1.27321054, -0.423508539, 0.246423262, -0.148238801, 0.0670326865, -0.014921265}
	var coef [6]Mem
	for k, c := range poly {
		coef[k] = constant("poly"+string(rune('0'+k)), math.Float32bits(c))
	}
	tiny := constant("tiny", math.Float32bits(1e-30))
	one := all("one", 1)
	eight := all("eight", 8)
	noSign := YMM()
	VBROADCASTSS(constant("nosign", 0x7fffffff), noSign)
	zero := YMM()
	VXORPS(zero, zero, zero)
	Label("orient")
	a, m := YMM(), YMM()
	{
		gx, gy := YMM(), YMM()
		VMOVUPS(Mem{Base: on, Disp: 8}, gx)
		VSUBPS(Mem{Base: on}, gx, gx)
		VMOVUPS(Mem{Base: down, Disp: 4}, gy)
		VSUBPS(Mem{Base: up, Disp: 4}, gy, gy)
		yy := YMM()
		VMULPS(gx, gx, m)
		VMULPS(gy, gy, yy)
		VADDPS(yy, m, m)
		VSQRTPS(m, m)
		ax, ay, lo, hi := YMM(), YMM(), YMM(), YMM()
		VANDPS(noSign, gx, ax)
		VANDPS(noSign, gy, ay)
		VMINPS(ax, ay, lo)
		VMAXPS(ax, ay, hi)
		t, c := YMM(), YMM()
		VBROADCASTSS(tiny, c)
		VMAXPS(c, hi, hi)
		VDIVPS(hi, lo, t)
		u, p := YMM(), YMM()
		VMULPS(t, t, u)
		VBROADCASTSS(coef[5], p)
		for k := 4; k >= 0; k-- {
			VMULPS(u, p, p)
			VBROADCASTSS(coef[k], c)
			VADDPS(c, p, p)
		}
		VMULPS(t, p, a)
		// a = angle in the octant; unfold: past 45 degrees 2-a, left 4-a, above 8-a.
		unfold := func(mask VecVirtual, from VecVirtual) {
			b := YMM()
			VSUBPS(a, from, b)
			VBLENDVPS(mask, b, a, a)
		}
		mask, two := YMM(), YMM()
		VCMPPS(Imm(17), ay, ax, mask) // ax < ay
		VADDPS(one, one, two)
		unfold(mask, two)
		VADDPS(two, two, two)
		VCMPPS(Imm(17), zero, gx, mask)
		unfold(mask, two)
		VCMPPS(Imm(17), zero, gy, mask)
		unfold(mask, eight)
	}
	var hat [8]VecVirtual
	at := YMM()
	VMOVAPS(zero, at)
	for o := range hat {
		d, e := YMM(), YMM()
		VSUBPS(at, a, d)
		VANDPS(noSign, d, d)
		VSUBPS(d, eight, e)
		VMINPS(e, d, d)
		VSUBPS(d, one, d)
		VMAXPS(zero, d, d)
		VMULPS(m, d, d)
		hat[o] = d
		if o < 7 {
			VADDPS(one, at, at)
		}
	}
	// Transposition of the 8 x 8 matrix: pairs, then fours, then halves.
	var s [8]VecVirtual
	for k := 0; k < 8; k += 2 {
		s[k], s[k+1] = YMM(), YMM()
		VUNPCKLPS(hat[k+1], hat[k], s[k])
		VUNPCKHPS(hat[k+1], hat[k], s[k+1])
	}
	var q [8]VecVirtual
	for k := 0; k < 8; k += 4 {
		for j := range 2 {
			q[k+2*j], q[k+2*j+1] = YMM(), YMM()
			VSHUFPS(U8(0x44), s[k+j+2], s[k+j], q[k+2*j])
			VSHUFPS(U8(0xee), s[k+j+2], s[k+j], q[k+2*j+1])
		}
	}
	for k := range 4 {
		r := YMM()
		VPERM2F128(Imm(0x20), q[k+4], q[k], r)
		VMOVUPS(r, Mem{Base: dst, Disp: 32 * k})
	}
	for k := range 4 {
		r := YMM()
		VPERM2F128(Imm(0x31), q[k+4], q[k], r)
		VMOVUPS(r, Mem{Base: dst, Disp: 128 + 32*k})
	}
	ADDQ(U32(256), dst)
	for _, p := range []Register{up, on, down} {
		ADDQ(Imm(32), p.(GPVirtual))
	}
	SUBQ(Imm(8), n)
	JNE(LabelRef("orient"))
	VZEROUPPER()
	RET()
}
