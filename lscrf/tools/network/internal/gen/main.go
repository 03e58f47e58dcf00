// Gen writes the assembly of package network; go generate runs it.
//
// What each function computes is said by its Go twin in kernel.go; integers have the same bits in
// any order.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	pointwise()
	pointwiseAVX512()
	depthwise()
	Generate()
}

// vectors returns n of 8 int32.
func vectors(n int) []VecVirtual {
	out := make([]VecVirtual, n)
	for i := range out {
		out[i] = YMM()
	}
	return out
}

// store shifts 16 sums, clamps them to low..top and stores them as int16.
func store(a, b, shift, limit Op, at Mem) {
	VPSRAD(shift, a, a)
	VPSRAD(shift, b, b)
	VPACKSSDW(b, a, a)
	VPBROADCASTW(argument("low"), limit)
	VPMAXSW(limit, a, a)
	VPBROADCASTW(argument("top"), limit)
	VPMINSW(limit, a, a)
	VMOVDQU(a, at)
}

// argument is where an argument lies.
func argument(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// pointwise keeps the sums of 6 cells and 16 outputs in 12 registers.
func pointwise() {
	TEXT("pointwiseAVX2", NOSPLIT,
		"func(dst *int16, to int, src *int16, from, pairs int, w *int16, add *int32, by int, low, top int16)")
	Doc("pointwiseAVX2 is pointwiseGeneric with AVX2 for 6 cells; pairs is at least 1.")
	dst, to := Load(Param("dst"), GP64()), Load(Param("to"), GP64())
	src, from := Load(Param("src"), GP64()), Load(Param("from"), GP64())
	pairs, w := Load(Param("pairs"), GP64()), Load(Param("w"), GP64())
	bias := Load(Param("add"), GP64())
	SHLQ(Imm(1), to)
	SHLQ(Imm(1), from)
	far := GP64() // three cells on
	LEAQ(Mem{Base: from, Index: from, Scale: 2}, far)
	ADDQ(src, far)
	acc := vectors(12)
	for i := range 6 {
		VMOVDQU(Mem{Base: bias}, acc[2*i])
		VMOVDQU(Mem{Base: bias, Disp: 32}, acc[2*i+1])
	}
	w0, w1, x, p := YMM(), YMM(), YMM(), YMM()
	Label("pair")
	VMOVDQU(Mem{Base: w}, w0)
	VMOVDQU(Mem{Base: w, Disp: 32}, w1)
	for i, at := range []Mem{{Base: src}, {Base: src, Index: from, Scale: 1}, {Base: src, Index: from, Scale: 2},
		{Base: far}, {Base: far, Index: from, Scale: 1}, {Base: far, Index: from, Scale: 2}} {
		VPBROADCASTD(at, x)
		VPMADDWD(w0, x, p)
		VPADDD(p, acc[2*i], acc[2*i])
		VPMADDWD(w1, x, p)
		VPADDD(p, acc[2*i+1], acc[2*i+1])
	}
	ADDQ(Imm(64), w)
	ADDQ(Imm(4), src)
	ADDQ(Imm(4), far)
	DECQ(pairs)
	JNE(LabelRef("pair"))
	VMOVQ(argument("by"), w0.AsX())
	for i := range 6 {
		store(acc[2*i], acc[2*i+1], w0.AsX(), p, Mem{Base: dst})
		ADDQ(to, dst)
	}
	VZEROUPPER()
	RET()
}

// pointwiseAVX512 keeps the sums of 12 cells and 16 outputs in 12 registers.
func pointwiseAVX512() {
	TEXT("pointwiseAVX512", NOSPLIT,
		"func(dst *int16, to int, src *int16, from, pairs int, w *int16, add *int32, by int, low, top int16)")
	Doc("pointwiseAVX512 is pointwiseGeneric with AVX-512BW for 12 cells; pairs is at least 1.")
	dst, to := Load(Param("dst"), GP64()), Load(Param("to"), GP64())
	src, from := Load(Param("src"), GP64()), Load(Param("from"), GP64())
	pairs, w := Load(Param("pairs"), GP64()), Load(Param("w"), GP64())
	bias := Load(Param("add"), GP64())
	SHLQ(Imm(1), to)
	SHLQ(Imm(1), from)
	rows := []Register{src, GP64(), GP64(), GP64()} // three cells apart
	for i, row := range rows[1:] {
		LEAQ(Mem{Base: from, Index: from, Scale: 2}, row)
		ADDQ(rows[i], row)
	}
	acc := make([]VecVirtual, 12)
	for i := range acc {
		acc[i] = ZMM()
		VMOVDQU32(Mem{Base: bias}, acc[i])
	}
	u, x, p := ZMM(), ZMM(), ZMM()
	Label("pair")
	VMOVDQU32(Mem{Base: w}, u)
	for i, row := range rows {
		for j, at := range []Mem{{Base: row}, {Base: row, Index: from, Scale: 1}, {Base: row, Index: from, Scale: 2}} {
			VPBROADCASTD(at, x)
			VPMADDWD(u, x, p)
			VPADDD(p, acc[3*i+j], acc[3*i+j])
		}
	}
	ADDQ(Imm(64), w)
	for _, row := range rows {
		ADDQ(Imm(4), row)
	}
	DECQ(pairs)
	JNE(LabelRef("pair"))
	shift, high := YMM(), YMM()
	VMOVQ(argument("by"), shift.AsX())
	for _, a := range acc {
		VEXTRACTI64X4(Imm(1), a, high)
		store(a.AsY(), high, shift.AsX(), u.AsY(), Mem{Base: dst})
		ADDQ(to, dst)
	}
	VZEROUPPER()
	RET()
}

// depthwise goes over the cells of a row for 16 channels at a time.
func depthwise() {
	TEXT("depthwiseAVX2", NOSPLIT,
		"func(dst *int16, to int, src *int16, from, n int, tap *int, pairs int, w *int16, add *int32, by int, low, top int16)")
	Doc("depthwiseAVX2 is depthwiseGeneric with AVX2; n and pairs are at least 1.")
	dst, to := Load(Param("dst"), GP64()), Load(Param("to"), GP64())
	src, from := Load(Param("src"), GP64()), Load(Param("from"), GP64())
	cells, taps := Load(Param("n"), GP64()), Load(Param("tap"), GP64())
	first, bias := Load(Param("w"), GP64()), Load(Param("add"), GP64())
	SHLQ(Imm(1), to)
	SHLQ(Imm(1), from)
	b, shift := vectors(2), YMM()
	VMOVDQU(Mem{Base: bias}, b[0])
	VMOVDQU(Mem{Base: bias, Disp: 32}, b[1])
	VMOVQ(argument("by"), shift.AsX())
	acc, in, both := vectors(2), vectors(2), vectors(2)
	Label("cell")
	VMOVDQA(b[0], acc[0])
	VMOVDQA(b[1], acc[1])
	w, at, pairs := GP64(), GP64(), Load(Param("pairs"), GP64())
	MOVQ(first, w)
	MOVQ(taps, at)
	Label("tap")
	for i := range in {
		offset := GP64()
		MOVQ(Mem{Base: at, Disp: 8 * i}, offset)
		VMOVDQU(Mem{Base: src, Index: offset, Scale: 2}, in[i])
	}
	VPUNPCKLWD(in[1], in[0], both[0])
	VPUNPCKHWD(in[1], in[0], both[1])
	for i := range both {
		VPMADDWD(Mem{Base: w, Disp: 32 * i}, both[i], both[i])
		VPADDD(both[i], acc[i], acc[i])
	}
	ADDQ(Imm(64), w)
	ADDQ(Imm(16), at)
	DECQ(pairs)
	JNE(LabelRef("tap"))
	store(acc[0], acc[1], shift.AsX(), in[0], Mem{Base: dst})
	ADDQ(from, src)
	ADDQ(to, dst)
	DECQ(cells)
	JNE(LabelRef("cell"))
	VZEROUPPER()
	RET()
}
