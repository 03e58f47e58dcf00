package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addTrees takes 64 rows through all trees: six byte comparisons give masks of 64 rows,
// which become 64 leaf numbers, which pick from tables of 64 values held in registers.
func addTrees() {
	TEXT("addTrees64", NOSPLIT, "func(sums *float32, bins *uint8, trees *uint32, n, width uint64)")
	Doc("addTrees64 is addTrees for one block of 64 rows; it needs AVX-512.")
	sums := Load(Param("sums"), R8)
	bins := Load(Param("bins"), R9)
	trees := Load(Param("trees"), R10)
	n := Load(Param("n"), R11)
	width := Load(Param("width"), R12)
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
