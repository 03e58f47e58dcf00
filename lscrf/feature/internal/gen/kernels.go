//go:build ignore

// Command kernels writes the assembly of package feature: go generate ./lscrf/feature.
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

// orientRow computes 8 pixels at a time: the angle in one vector, then for each of the 8 orientations
// magnitude * max(0, 1 - distance around the circle), then a transposition.
func orientRow() {
	TEXT("orientRowAVX2", NOSPLIT, "func(dst, up, on, down *float32, n int)")
	Doc("orientRowAVX2 is orientRowGeneric with AVX2, all 8 orientations of a pixel stored; n is a positive multiple of 8.")
	dst, up := Load(Param("dst"), GP64()), Load(Param("up"), GP64())
	on, down := Load(Param("on"), GP64()), Load(Param("down"), GP64())
	n := Load(Param("n"), GP64())
	poly := [6]float32{1.27321054, -0.423508539, 0.246423262, -0.148238801, 0.0670326865, -0.014921265} // octantPoly
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

// sumColumns sums 4 rows of the field at a time, so that additions need not wait for each other.
func sumColumns() {
	TEXT("sumColumnsAVX2", NOSPLIT, "func(dst, pix *float32, stride, rows int, lo, hi *float32, run *int)")
	Doc("sumColumnsAVX2 writes the sums of 4 x 8 bins across, one after the other, of every field row; stride is in floats, rows a positive multiple of 4.")
	dst, g := Load(Param("dst"), GP64()), Load(Param("pix"), GP64())
	stride, rows := Load(Param("stride"), GP64()), Load(Param("rows"), GP64())
	run := Load(Param("run"), GP64())
	SHLQ(Imm(2), stride)
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	Label("four")
	p, lo, hi := GP64(), Load(Param("lo"), GP64()), Load(Param("hi"), GP64())
	MOVQ(g, p)
	var below, above [4]VecVirtual
	for r := range below {
		below[r], above[r] = YMM(), YMM()
		VXORPS(above[r], above[r], above[r])
	}
	for k := range 5 {
		for r := range below {
			if k > 0 {
				VMOVAPS(above[r], below[r])
				VXORPS(above[r], above[r], above[r])
			}
		}
		n := GP64()
		MOVQ(Mem{Base: run, Disp: 8 * k}, n)
		TESTQ(n, n)
		JE(LabelRef("done" + string(rune('0'+k))))
		Label("column" + string(rune('0'+k)))
		wl, wh, v, t := YMM(), YMM(), YMM(), YMM()
		VBROADCASTSS(Mem{Base: lo}, wl)
		VBROADCASTSS(Mem{Base: hi}, wh)
		for r, m := range []Mem{{Base: p}, {Base: p, Index: stride, Scale: 1}, {Base: p, Index: stride, Scale: 2}, {Base: p, Index: stride3, Scale: 1}} {
			VMOVUPS(m, v)
			if k > 0 {
				VMULPS(v, wl, t)
				VADDPS(t, below[r], below[r])
			}
			if k < 4 {
				VMULPS(v, wh, t)
				VADDPS(t, above[r], above[r])
			}
		}
		ADDQ(Imm(32), p)
		ADDQ(Imm(4), lo)
		ADDQ(Imm(4), hi)
		DECQ(n)
		JNE(LabelRef("column" + string(rune('0'+k))))
		Label("done" + string(rune('0'+k)))
		if k > 0 {
			for r := range below {
				VMOVUPS(below[r], Mem{Base: dst, Disp: 128*r + 32*(k-1)})
			}
		}
	}
	ADDQ(U32(512), dst)
	LEAQ(Mem{Base: g, Index: stride, Scale: 4}, g)
	SUBQ(Imm(4), rows)
	JNE(LabelRef("four"))
	VZEROUPPER()
	RET()
}

// sumRows does down the window what sumColumns does across it.
func sumRows() {
	TEXT("sumRowsAVX2", NOSPLIT, "func(hist, sums *float32, lo, hi *float32, run *int)")
	Doc("sumRowsAVX2 sums the rows that sumColumnsAVX2 wrote into the 4 x 4 x 8 bins of hist.")
	hist, p := Load(Param("hist"), GP64()), Load(Param("sums"), GP64())
	lo, hi := Load(Param("lo"), GP64()), Load(Param("hi"), GP64())
	run := Load(Param("run"), GP64())
	var below, above [4]VecVirtual
	for c := range below {
		below[c], above[c] = YMM(), YMM()
		VXORPS(above[c], above[c], above[c])
	}
	for k := range 5 {
		for c := range below {
			if k > 0 {
				VMOVAPS(above[c], below[c])
				VXORPS(above[c], above[c], above[c])
			}
		}
		n := GP64()
		MOVQ(Mem{Base: run, Disp: 8 * k}, n)
		TESTQ(n, n)
		JE(LabelRef("end" + string(rune('0'+k))))
		Label("line" + string(rune('0'+k)))
		wl, wh, v, t := YMM(), YMM(), YMM(), YMM()
		VBROADCASTSS(Mem{Base: lo}, wl)
		VBROADCASTSS(Mem{Base: hi}, wh)
		for c := range below {
			VMOVUPS(Mem{Base: p, Disp: 32 * c}, v)
			if k > 0 {
				VMULPS(v, wl, t)
				VADDPS(t, below[c], below[c])
			}
			if k < 4 {
				VMULPS(v, wh, t)
				VADDPS(t, above[c], above[c])
			}
		}
		ADDQ(Imm(128), p)
		ADDQ(Imm(4), lo)
		ADDQ(Imm(4), hi)
		DECQ(n)
		JNE(LabelRef("line" + string(rune('0'+k))))
		Label("end" + string(rune('0'+k)))
		if k > 0 {
			for c := range below {
				VMOVUPS(below[c], Mem{Base: hist, Disp: 128*(k-1) + 32*c})
			}
		}
	}
	VZEROUPPER()
	RET()
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
	v, t := YMM(), YMM()
	Label("dimension")
	VBROADCASTSS(Mem{Base: x}, v)
	for k := range acc {
		t = YMM()
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
