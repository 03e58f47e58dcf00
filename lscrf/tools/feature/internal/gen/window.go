package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sumColumns sums 4 rows of the field at a time, so that additions need not wait for each other.
func sumColumns() {
	TEXT("sumColumnsAVX2", NOSPLIT, "func(dst, pix *float32, stride, rows int, lo, hi *float32, run *int)")
	Doc("sumColumnsAVX2 writes the sums of 4 x 8 bins across, one after the other, of every field row;",
		"stride is in floats, rows a positive multiple of 4.")
	dst, g := Load(Param("dst"), GP64()), Load(Param("pix"), GP64())
	stride, rows := Load(Param("stride"), GP64()), Load(Param("rows"), GP64())
	run := Load(Param("run"), GP64())
	SHLQ(Imm(2), stride)
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	Label("four")
	p, lo, hi := GP64(), Load(Param("lo"), GP64()), Load(Param("hi"), GP64())
	MOVQ(g, p)
	lines := [4]Mem{{Base: p}, {Base: p, Index: stride, Scale: 1}, {Base: p, Index: stride, Scale: 2}, {Base: p, Index: stride3, Scale: 1}}
	bands("column", run, p, lo, hi, lines, Imm(32), func(k, r int) Mem { return Mem{Base: dst, Disp: 128*r + 32*k} })
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
	bins := [4]Mem{{Base: p}, {Base: p, Disp: 32}, {Base: p, Disp: 64}, {Base: p, Disp: 96}}
	bands("line", run, p, lo, hi, bins, Imm(128), func(k, c int) Mem { return Mem{Base: hist, Disp: 128*k + 32*c} })
	VZEROUPPER()
	RET()
}

// bands goes over five runs of terms, each of four vectors with p moving on by step bytes: weighted
// by lo they count for the band that began with the run before, by hi for the one that begins. Band
// k, of four, is stored at to(k, 0..3).
func bands(name string, run, p, lo, hi Register, term [4]Mem, step Op, to func(k, i int) Mem) {
	var below, above [4]VecVirtual
	for i := range below {
		below[i], above[i] = YMM(), YMM()
		VXORPS(above[i], above[i], above[i])
	}
	for k := range 5 {
		if k > 0 {
			for i := range below {
				VMOVAPS(above[i], below[i])
				VXORPS(above[i], above[i], above[i])
			}
		}
		loop, end := fmt.Sprint(name, k), fmt.Sprint(name, "end", k)
		n := GP64()
		MOVQ(Mem{Base: run, Disp: 8 * k}, n)
		TESTQ(n, n)
		JE(LabelRef(end))
		Label(loop)
		wl, wh, v, t := YMM(), YMM(), YMM(), YMM()
		VBROADCASTSS(Mem{Base: lo}, wl)
		VBROADCASTSS(Mem{Base: hi}, wh)
		for i, m := range term {
			VMOVUPS(m, v)
			if k > 0 {
				VMULPS(v, wl, t)
				VADDPS(t, below[i], below[i])
			}
			if k < 4 {
				VMULPS(v, wh, t)
				VADDPS(t, above[i], above[i])
			}
		}
		ADDQ(step, p)
		ADDQ(Imm(4), lo)
		ADDQ(Imm(4), hi)
		DECQ(n)
		JNE(LabelRef(loop))
		Label(end)
		if k > 0 {
			for i := range below {
				VMOVUPS(below[i], to(k-1, i))
			}
		}
	}
}
