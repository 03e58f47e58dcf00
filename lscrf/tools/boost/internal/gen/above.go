package main

import (
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
