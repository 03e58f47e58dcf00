//go:build ignore

// Command kernels writes the assembly of package boost: go generate ./lscrf/boost.
//
// What each function computes is said by its Go twin in kernel.go and bins.go; the results
// are the same bit for bit.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sizes are the lengths of histograms that addLines has code for: the distance of two
// lanes' histograms is part of the instructions.
var sizes = []int{40, 72, 136, 256}

func main() {
	for _, words := range []int{1, 2, 4} {
		for _, bins := range sizes {
			addLines(bins, words)
		}
	}
	settle1()
	settle2()
	settle4()
	for _, words := range []int{1, 2, 4} {
		addScores(words)
	}
	orAbove()
	for levels := 5; levels <= 8; levels++ {
		binColumn(levels)
	}
	addTrees()
	Generate()
}

// addLines: per line two 8-byte loads give the bins of sixteen lanes, which are peeled off
// the registers two at a time.
func addLines(bins, words int) {
	name := fmt.Sprintf("addLines%dx%d", bins, words)
	TEXT(name, NOSPLIT, "func(hist *int64, lanes *uint8, stride uint64, lines *uint32, cells *int64, n uint64)")
	Doc(fmt.Sprintf("%s is addLines for bins = %d and words = %d.", name, bins, words))
	hist := Load(Param("hist"), R8).(Register)
	lanes := Load(Param("lanes"), R9).(Register)
	stride := Load(Param("stride"), R10).(Register)
	lines := Load(Param("lines"), R11).(Register)
	cells := Load(Param("cells"), R12).(Register)
	n := Load(Param("n"), R13).(Register)

	const ahead = 12 // lines whose bins are fetched in advance
	one := func() {
		MOVL(Mem{Base: lines}, EAX)
		IMULQ(stride, RAX)
		switch words {
		case 1:
			MOVQ(Mem{Base: cells}, RDI)
		case 2:
			MOVOU(Mem{Base: cells}, X0)
		case 4:
			VMOVDQU(Mem{Base: cells}, Y0)
		}
		for half := range 2 {
			r, lo, hi := RDX, DL, DH
			if half == 1 {
				r, lo, hi = RCX, CL, CH
			}
			MOVQ(Mem{Base: lanes, Index: RAX, Scale: 1, Disp: 8 * half}, r)
			for j := range 8 {
				if j%2 == 0 {
					MOVBLZX(lo, EBX)
				} else {
					MOVBLZX(hi, EBX)
					if j < 7 {
						SHRQ(Imm(16), r)
					}
				}
				lane := 8*half + j
				cell := Mem{Base: hist, Index: RBX, Scale: 8, Disp: 8 * bins * words * lane}
				switch words {
				case 1:
					ADDQ(RDI, cell)
				case 2:
					x := []VecPhysical{X1, X2, X3, X4}[lane%4]
					ADDL(EBX, EBX)
					MOVOU(cell, x)
					PADDQ(X0, x)
					MOVOU(x, cell)
				case 4:
					y := []VecPhysical{Y1, Y2, Y3, Y4}[lane%4]
					SHLL(Imm(2), EBX)
					VPADDQ(cell, Y0, y)
					VMOVDQU(y, cell)
				}
			}
		}
		ADDQ(Imm(4), lines)
		ADDQ(Imm(uint64(8*words)), cells)
	}
	SUBQ(Imm(ahead), n)
	JLE(LabelRef("last"))
	Label("loop")
	MOVL(Mem{Base: lines, Disp: 4 * ahead}, EAX)
	IMULQ(stride, RAX)
	PREFETCHT0(Mem{Base: lanes, Index: RAX, Scale: 1})
	one()
	DECQ(n)
	JNE(LabelRef("loop"))
	Label("last")
	ADDQ(Imm(ahead), n)
	JEQ(LabelRef("done"))
	Label("tail")
	one()
	DECQ(n)
	JNE(LabelRef("tail"))
	Label("done")
	if words == 4 {
		VZEROUPPER()
	}
	RET()
}

const settleSignature = "func(small, large *int64, n uint64)"

func settle1() {
	TEXT("settle1", NOSPLIT, settleSignature)
	Doc("settle1 is settle for words = 1; n counts cells.")
	small, large, n := Load(Param("small"), R8).(Register), Load(Param("large"), R9).(Register), Load(Param("n"), R10).(Register)
	XORL(EAX, EAX)
	XORL(ECX, ECX)
	Label("loop")
	ADDQ(Mem{Base: small, Index: RCX, Scale: 8}, RAX)
	MOVQ(RAX, Mem{Base: small, Index: RCX, Scale: 8})
	SUBQ(RAX, Mem{Base: large, Index: RCX, Scale: 8})
	INCQ(RCX)
	CMPQ(RCX, n)
	JNE(LabelRef("loop"))
	RET()
}

func settle2() {
	TEXT("settle2", NOSPLIT, settleSignature)
	Doc("settle2 is settle for words = 2; n counts cells.")
	small, large, n := Load(Param("small"), R8).(Register), Load(Param("large"), R9).(Register), Load(Param("n"), R10).(Register)
	PXOR(X0, X0)
	Label("loop")
	MOVOU(Mem{Base: small}, X1)
	PADDQ(X1, X0)
	MOVOU(X0, Mem{Base: small})
	MOVOU(Mem{Base: large}, X2)
	PSUBQ(X0, X2)
	MOVOU(X2, Mem{Base: large})
	ADDQ(Imm(16), small)
	ADDQ(Imm(16), large)
	DECQ(n)
	JNE(LabelRef("loop"))
	RET()
}

func settle4() {
	TEXT("settle4", NOSPLIT, settleSignature)
	Doc("settle4 is settle for words = 4; n counts cells.")
	small, large, n := Load(Param("small"), R8).(Register), Load(Param("large"), R9).(Register), Load(Param("n"), R10).(Register)
	VPXOR(Y0, Y0, Y0)
	Label("loop")
	VPADDQ(Mem{Base: small}, Y0, Y0)
	VMOVDQU(Y0, Mem{Base: small})
	VMOVDQU(Mem{Base: large}, Y1)
	VPSUBQ(Y0, Y1, Y1)
	VMOVDQU(Y1, Mem{Base: large})
	ADDQ(Imm(32), small)
	ADDQ(Imm(32), large)
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// addScores: four borders at a time.
func addScores(words int) {
	name := fmt.Sprintf("addScores%d", words)
	TEXT(name, NOSPLIT, "func(scores *float64, run, total *int64, l2 float64, n uint64)")
	Doc(fmt.Sprintf("%s is addScores for words = %d and n borders, a multiple of 4.", name, words))
	scores := Load(Param("scores"), R8).(Register)
	run := Load(Param("run"), R9).(Register)
	total, l2 := YMM(), YMM()
	at := Load(Param("total"), RAX).(Register)
	VBROADCASTSD(NewParamAddr("l2", 24), l2)
	n := Load(Param("n"), R10).(Register)
	split := splitCells
	switch words {
	case 1:
		VPBROADCASTQ(Mem{Base: at}, total)
		split = splitWords
	case 2:
		VBROADCASTI128(Mem{Base: at}, total)
	case 4:
		VMOVDQU(Mem{Base: at}, total)
	}
	Label("loop")
	ns, nw := split(words, run, nil)
	ys, yw := split(words, run, total)
	VADDPD(l2, nw, nw)
	VADDPD(l2, yw, yw)
	VMULPD(yw, ns, ns)
	VMULPD(nw, ys, ys)
	VADDPD(ys, ns, ns)
	VMULPD(nw, yw, yw)
	VDIVPD(yw, ns, ns)
	VADDPD(Mem{Base: scores}, ns, ns)
	VMOVUPD(ns, Mem{Base: scores})
	ADDQ(U32(32*words), run)
	ADDQ(Imm(32), scores)
	SUBQ(Imm(4), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// splitWords gives the squared gradients and the weights of four cells of one word, or of
// total minus these.
func splitWords(_ int, run Register, total Op) (squares, weights VecVirtual) {
	v := YMM()
	VMOVDQU(Mem{Base: run}, v)
	if total != nil {
		VPSUBQ(v, total, v)
	}
	high, low, grads := XMM(), XMM(), XMM()
	squares, weights = YMM(), YMM()
	VEXTRACTI128(Imm(1), v, high)
	VSHUFPS(Imm(0x88), high, v.AsX(), low)
	VSHUFPS(Imm(0xdd), high, v.AsX(), grads)
	VCVTDQ2PD(low, weights)
	VCVTDQ2PD(grads, squares)
	VMULPD(squares, squares, squares)
	return squares, weights
}

// splitCells is splitWords for cells of two or four words: the squares of a cell are added
// lane by lane, then in pairs.
func splitCells(words int, run Register, total Op) (squares, weights VecVirtual) {
	var first, sum [4]VecVirtual // weight in lane 0; squares
	zero := YMM()
	VXORPD(zero, zero, zero)
	for i := range 4 {
		v, borrow := YMM(), YMM()
		cell := Mem{Base: run, Disp: 8 * words * i}
		low := YMM()
		if words == 2 {
			VMOVDQU(cell, v.AsX())
			if total != nil {
				VPSUBQ(v.AsX(), total.(VecVirtual).AsX(), v.AsX())
			}
			// A negative low field has taken one from the high field.
			VPSRAD(Imm(31), v.AsX(), borrow.AsX())
			VPSLLQ(Imm(32), borrow.AsX(), borrow.AsX())
			VPSUBD(borrow.AsX(), v.AsX(), v.AsX())
		} else {
			VMOVDQU(cell, v)
			if total != nil {
				VPSUBQ(v, total, v)
			}
			VPSRAD(Imm(31), v, borrow)
			VPSLLQ(Imm(32), borrow, borrow)
			VPSUBD(borrow, v, v)
		}
		VCVTDQ2PD(v.AsX(), low)
		first[i], sum[i] = low, YMM()
		VMULPD(low, low, sum[i])
		VBLENDPD(Imm(1), zero, sum[i], sum[i])
		if words == 4 {
			high := YMM()
			VEXTRACTI128(Imm(1), v, v.AsX())
			VCVTDQ2PD(v.AsX(), high)
			VMULPD(high, high, high)
			VADDPD(high, sum[i], sum[i])
		}
	}
	join := func(a, b VecVirtual, control uint64) VecVirtual {
		z := YMM()
		VPERM2F128(Imm(control), b, a, z)
		return z
	}
	for _, i := range []int{0, 2} {
		VUNPCKLPD(first[i+1], first[i], first[i])
		VHADDPD(sum[i+1], sum[i], sum[i])
	}
	weights = join(first[0], first[2], 0x20)
	squares = join(sum[0], sum[2], 0x20)
	VADDPD(join(sum[0], sum[2], 0x31), squares, squares)
	return squares, weights
}

// orAbove: v > border where the saturating difference v - border is not zero.
func orAbove() {
	TEXT("orAbove32", NOSPLIT, "func(bits, col *uint8, border, bit uint8, n uint64)")
	Doc("orAbove32 is orAbove for n rows, a multiple of 32.")
	bits := Load(Param("bits"), R8).(Register)
	col := Load(Param("col"), R9).(Register)
	border, bit, zero := YMM(), YMM(), YMM()
	VPBROADCASTB(NewParamAddr("border", 16), border)
	VPBROADCASTB(NewParamAddr("bit", 17), bit)
	VPXOR(zero, zero, zero)
	n := Load(Param("n"), R10).(Register)
	Label("loop")
	v := YMM()
	VMOVDQU(Mem{Base: col}, v)
	VPSUBUSB(border, v, v)
	VPCMPEQB(zero, v, v)
	VPANDN(bit, v, v)
	VPOR(Mem{Base: bits}, v, v)
	VMOVDQU(v, Mem{Base: bits})
	ADDQ(Imm(32), bits)
	ADDQ(Imm(32), col)
	SUBQ(Imm(32), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// binColumn finds bins by bisection: the borders of each level of the search tree are kept
// in registers and looked up by the position so far, sixteen values at a time.
func binColumn(levels int) {
	name := fmt.Sprintf("binColumn%d", levels)
	TEXT(name, NOSPLIT, "func(dst *uint8, x, table *float32, n uint64)")
	Doc(fmt.Sprintf("%s is binColumn for %d levels and n values, a multiple of 16; it needs AVX-512.", name, levels))
	dst := Load(Param("dst"), R8).(Register)
	x := Load(Param("x"), R9).(Register)
	table := Load(Param("table"), R10).(Register)
	n := Load(Param("n"), R11).(Register)
	ones, bit5, bit6 := ZMM(), ZMM(), ZMM()
	broadcast := func(v uint64, z VecVirtual) {
		MOVL(U32(v), EAX)
		MOVD(EAX, z.AsX())
		VPBROADCASTD(z.AsX(), z)
	}
	broadcast(1, ones)
	if levels > 6 {
		broadcast(32, bit5)
	}
	if levels > 7 {
		broadcast(64, bit6)
	}
	node := make([][]VecVirtual, levels)
	at := 0
	for l := range node {
		for range max(1, 1<<l/16) {
			z := ZMM()
			VMOVUPS(Mem{Base: table, Disp: 4 * at}, z)
			node[l] = append(node[l], z)
			at += 16
		}
	}
	Label("loop")
	v, p := ZMM(), ZMM()
	VMOVUPS(Mem{Base: x}, v)
	VPXORD(p, p, p)
	for _, t := range node {
		border := ZMM()
		// pick looks positions up in two tables of sixteen by their low five bits.
		pick := func(a, b VecVirtual) VecVirtual {
			z := ZMM()
			VMOVDQA32(p, z)
			VPERMI2PS(b, a, z)
			return z
		}
		switch len(t) {
		case 1:
			VPERMPS(t[0], p, border)
		case 2:
			border = pick(t[0], t[1])
		case 4:
			border = pick(t[0], t[1])
			k := K()
			VPTESTMD(bit5, p, k)
			VMOVAPS(pick(t[2], t[3]), k, border)
		case 8:
			border = pick(t[0], t[1])
			k5, k6 := K(), K()
			VPTESTMD(bit5, p, k5)
			VPTESTMD(bit6, p, k6)
			VMOVAPS(pick(t[2], t[3]), k5, border)
			upper := pick(t[4], t[5])
			VMOVAPS(pick(t[6], t[7]), k5, upper)
			VMOVAPS(upper, k6, border)
		}
		above := K()
		VCMPPS(Imm(0x1e), border, v, above) // v > border, false for NaN
		VPADDD(p, p, p)
		VPADDD(ones, p, above, p)
	}
	VPMOVDB(p, Mem{Base: dst})
	ADDQ(Imm(64), x)
	ADDQ(Imm(16), dst)
	SUBQ(Imm(16), n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// addTrees takes 64 rows through all trees: six byte comparisons give masks of 64 rows,
// which become 64 leaf numbers, which pick from tables of 64 values held in registers.
func addTrees() {
	TEXT("addTrees64", NOSPLIT, "func(sums *float32, bins *uint8, trees *uint32, n, width uint64)")
	Doc("addTrees64 is addTrees for one block of 64 rows; it needs AVX-512.")
	sums := Load(Param("sums"), R8).(Register)
	bins := Load(Param("bins"), R9).(Register)
	trees := Load(Param("trees"), R10).(Register)
	n := Load(Param("n"), R11).(Register)
	width := Load(Param("width"), R12).(Register)
	bit := make([]VecVirtual, 5) // the sixth question picks a half of the table
	for l := range bit {
		bit[l] = ZMM()
		MOVL(U32(1<<l), EAX)
		MOVD(EAX, bit[l].AsX())
		VPBROADCASTB(bit[l].AsX(), bit[l])
	}
	Label("tree")
	leaf := ZMM()
	VPXORD(leaf, leaf, leaf)
	var top OpmaskVirtual
	for l := range 6 {
		border, k := ZMM(), K()
		MOVL(Mem{Base: trees, Disp: 4 * l}, EAX)
		VPBROADCASTB(Mem{Base: trees, Disp: 24 + l}, border)
		VPCMPUB(Imm(1), Mem{Base: bins, Index: RAX, Scale: 1}, border, k) // border < bin
		if l < 5 {
			VPADDB(bit[l], leaf, k, leaf)
		}
		top = k
	}
	var index [4]VecVirtual
	var half [4]OpmaskVirtual
	for q := range index {
		index[q] = ZMM()
		if q == 0 {
			VPMOVZXBD(leaf.AsX(), index[q])
			half[q] = top
			continue
		}
		part := XMM()
		VEXTRACTI32X4(Imm(uint64(q)), leaf, part)
		VPMOVZXBD(part, index[q])
		half[q] = K()
		KSHIFTRQ(Imm(uint64(16*q)), top, half[q])
	}
	ADDQ(Imm(64), trees)
	MOVQ(sums, RDI)
	MOVQ(width, RCX)
	Label("output")
	var table [4]VecVirtual
	for i := range table {
		table[i] = ZMM()
		VMOVUPS(Mem{Base: trees, Disp: 64 * i}, table[i])
	}
	for q := range index {
		low, high := ZMM(), ZMM()
		VMOVDQA32(index[q], low)
		VMOVDQA32(index[q], high)
		VPERMI2PS(table[1], table[0], low)
		VPERMI2PS(table[3], table[2], high)
		VMOVAPS(high, half[q], low)
		VADDPS(Mem{Base: RDI, Disp: 64 * q}, low, low)
		VMOVUPS(low, Mem{Base: RDI, Disp: 64 * q})
	}
	ADDQ(U32(256), RDI)
	ADDQ(U32(256), trees)
	DECQ(RCX)
	JNE(LabelRef("output"))
	DECQ(n)
	JNE(LabelRef("tree"))
	VZEROUPPER()
	RET()
}
