package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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
