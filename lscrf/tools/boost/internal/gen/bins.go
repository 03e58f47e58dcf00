package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// orAbove: v > border where the saturating difference v - border is not zero.
func orAbove() {
	TEXT("orAbove32", NOSPLIT, "func(bits, col *uint8, border, bit uint8, n uint64)")
	Doc("orAbove32 is orAbove for n rows, a multiple of 32.")
	bits := Load(Param("bits"), R8)
	col := Load(Param("col"), R9)
	border, bit, zero := YMM(), YMM(), YMM()
	VPBROADCASTB(NewParamAddr("border", 16), border)
	VPBROADCASTB(NewParamAddr("bit", 17), bit)
	VPXOR(zero, zero, zero)
	n := Load(Param("n"), R10)
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
	dst := Load(Param("dst"), R8)
	x := Load(Param("x"), R9)
	table := Load(Param("table"), R10)
	n := Load(Param("n"), R11)
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
