// Gen writes the assembly of package network; go generate runs it.
//
// What each function computes is said by its Go twin in kernel.go; integers have the same bits in
// any order.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	pointwise("pointwiseAVX2", "AVX2", YMM, 6)
	pointwise("pointwiseVNNI", "AVX-512 VNNI", ZMM, 12)
	depthwise("depthwiseAVX2", "AVX2", YMM)
	depthwise("depthwiseVNNI", "AVX-512 VNNI", ZMM)
	add()
	Generate()
}

// store shifts 16 or 32 sums, clamps them to low..top and stores them as int16.
func store(a, b, shift, limit Op, at Mem) {
	VPSRAD(shift, a, a)
	VPSRAD(shift, b, b)
	VPACKSSDW(b, a, a)
	VPBROADCASTW(argument("low"), limit)
	VPMAXSW(limit, a, a)
	VPBROADCASTW(argument("top"), limit)
	VPMINSW(limit, a, a)
	move(a, at)
}

// argument is where an argument lies.
func argument(name string) Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// dot adds to each sum of 32 bits the products of two pairs of 16 bits, of w and x; in memory there
// is a single pair of x. avo does not know the instruction.
func dot(x, w, sum Op) {
	all := []Op{x, w, sum}
	i := ir.Instruction{Opcode: "VPDPWSSD", Operands: all, Inputs: all, Outputs: []Op{sum}, ISA: []string{"AVX512VNNI"}}
	if _, ok := x.(Mem); ok {
		i.Suffixes = []string{"BCST"}
	}
	Instruction(&i)
}

// pointwise keeps the sums of cells and 16 outputs in 12 registers, of which a cell has one of 512
// bits or two of 256.
func pointwise(name, set string, vector func() VecVirtual, cells int) {
	TEXT(name, NOSPLIT,
		"func(dst *int16, to int, src *int16, from, pairs int, w *int16, add *int32, by int, low, top int16)")
	Doc(fmt.Sprintf("%s is pointwiseGeneric with %s for %d cells; pairs is at least 1.", name, set, cells))
	dst, to := Load(Param("dst"), GP64()), Load(Param("to"), GP64())
	src, from := Load(Param("src"), GP64()), Load(Param("from"), GP64())
	pairs, w := Load(Param("pairs"), GP64()), Load(Param("w"), GP64())
	bias := Load(Param("add"), GP64())
	SHLQ(Imm(1), to)
	SHLQ(Imm(1), from)
	rows := make([]Register, cells/3) // three cells apart
	rows[0] = src
	for i := range rows[1:] {
		rows[i+1] = GP64()
		LEAQ(Mem{Base: from, Index: from, Scale: 2}, rows[i+1])
		ADDQ(rows[i], rows[i+1])
	}
	const sums = 12
	bytes := 64 * cells / sums // of a register
	each := sums / cells       // registers of a cell
	acc, u := make([]VecVirtual, sums), make([]VecVirtual, each)
	for i := range acc {
		acc[i] = vector()
		move(Mem{Base: bias, Disp: i % each * bytes}, acc[i])
	}
	for i := range u {
		u[i] = vector()
	}
	x, p := vector(), vector()
	Label("pair")
	for i := range u {
		move(Mem{Base: w, Disp: i * bytes}, u[i])
	}
	for c := range cells {
		at := Mem{Base: rows[c/3]}
		if c%3 > 0 {
			at.Index, at.Scale = from, uint8(c%3)
		}
		if each == 1 {
			dot(at, u[0], acc[c])
			continue
		}
		VPBROADCASTD(at, x)
		for i := range u {
			VPMADDWD(u[i], x, p)
			VPADDD(p, acc[c*each+i], acc[c*each+i])
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
	for c := range cells {
		if each == 1 {
			VEXTRACTI64X4(Imm(1), acc[c], high)
			store(acc[c].AsY(), high, shift.AsX(), p.AsY(), Mem{Base: dst})
		} else {
			store(acc[2*c], acc[2*c+1], shift.AsX(), p, Mem{Base: dst})
		}
		ADDQ(to, dst)
	}
	VZEROUPPER()
	RET()
}

// depthwise goes over the cells of a row for 16 channels at a time, or for two such blocks.
func depthwise(name, set string, vector func() VecVirtual) {
	wide := vector().Size() == 64
	TEXT(name, NOSPLIT,
		"func(dst *int16, to int, src *int16, from, n int, tap *int, pairs int, w *int16, add *int32, by int, low, top int16)")
	Doc(fmt.Sprintf("%s is depthwiseGeneric with %s for %d channels; n and pairs are at least 1.", name, set, vector().Size()/2))
	dst, to := Load(Param("dst"), GP64()), Load(Param("to"), GP64())
	src, from := Load(Param("src"), GP64()), Load(Param("from"), GP64())
	cells, taps := Load(Param("n"), GP64()), Load(Param("tap"), GP64())
	first, bias := Load(Param("w"), GP64()), Load(Param("add"), GP64())
	SHLQ(Imm(1), to)
	SHLQ(Imm(1), from)
	next := GP64() // bytes from a block's weights to those of the next
	if wide {
		Load(Param("pairs"), next)
		SHLQ(Imm(6), next)
	}
	two := func() []VecVirtual { return []VecVirtual{vector(), vector()} }
	b, shift := two(), YMM()
	for i, v := range b {
		load(Mem{Base: bias, Disp: 32 * i}, Mem{Base: bias, Disp: 64 + 32*i}, v)
	}
	VMOVQ(argument("by"), shift.AsX())
	acc, in, both, u := two(), two(), two(), two()
	Label("cell")
	for i := range acc {
		move(b[i], acc[i])
	}
	w, at, pairs := GP64(), GP64(), Load(Param("pairs"), GP64())
	MOVQ(first, w)
	MOVQ(taps, at)
	Label("tap")
	for i := range in {
		offset := GP64()
		MOVQ(Mem{Base: at, Disp: 8 * i}, offset)
		move(Mem{Base: src, Index: offset, Scale: 2}, in[i])
	}
	VPUNPCKLWD(in[1], in[0], both[0])
	VPUNPCKHWD(in[1], in[0], both[1])
	for i := range both {
		if wide {
			load(Mem{Base: w, Disp: 32 * i}, Mem{Base: w, Index: next, Scale: 1, Disp: 32 * i}, u[i])
			dot(both[i], u[i], acc[i])
			continue
		}
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

// move copies a vector, from or to memory too.
func move(from, to Op) {
	for _, op := range []Op{from, to} {
		if v, ok := op.(VecVirtual); ok && v.Size() == 64 {
			VMOVDQU32(from, to)
			return
		}
	}
	VMOVDQU(from, to)
}

// load fills a vector of 256 bits from a, or one of 512 from a and then b.
func load(a, b Mem, to VecVirtual) {
	if to.Size() == 64 {
		VMOVDQU(a, to.AsY())
		VINSERTI64X4(Imm(1), b, to, to)
	} else {
		VMOVDQU(a, to)
	}
}

// add goes over vectors of 16 values.
func add() {
	TEXT("addAVX2", NOSPLIT, "func(dst, src *int16, n int)")
	Doc("addAVX2 is addGeneric with AVX2 for n times 16 values; n is at least 1.")
	dst, src, n, v := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64()), YMM()
	Label("vector")
	VMOVDQU(Mem{Base: src}, v)
	VPADDSW(Mem{Base: dst}, v, v)
	VMOVDQU(v, Mem{Base: dst})
	ADDQ(Imm(32), src)
	ADDQ(Imm(32), dst)
	DECQ(n)
	JNE(LabelRef("vector"))
	VZEROUPPER()
	RET()
}
