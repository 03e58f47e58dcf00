package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// addLines: per line two 8-byte loads give the bins of sixteen lanes, which are peeled off
// the registers two at a time.
func addLines(bins, words int) {
	name := fmt.Sprintf("addLines%dx%d", bins, words)
	TEXT(name, NOSPLIT, "func(hist *int64, lanes *uint8, stride uint64, lines *uint32, cells *int64, n uint64)")
	Doc(fmt.Sprintf("%s is addLines for bins = %d and words = %d.", name, bins, words))
	hist := Load(Param("hist"), R8)
	lanes := Load(Param("lanes"), R9)
	stride := Load(Param("stride"), R10)
	lines := Load(Param("lines"), R11)
	cells := Load(Param("cells"), R12)
	n := Load(Param("n"), R13)

	const ahead = 12 // lines whose bins are fetched in advance
	Label("loop")
	CMPQ(n, Imm(ahead))
	JLE(LabelRef("near"))
	MOVL(Mem{Base: lines, Disp: 4 * ahead}, EAX)
	IMULQ(stride, RAX)
	PREFETCHT0(Mem{Base: lanes, Index: RAX, Scale: 1})
	Label("near")
	MOVL(Mem{Base: lines}, EAX)
	IMULQ(stride, RAX)
	if words == 1 {
		MOVQ(Mem{Base: cells}, RDI)
	} else {
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
			if words == 1 {
				ADDQ(RDI, cell)
			} else {
				y := []VecPhysical{Y1, Y2, Y3, Y4}[lane%4]
				SHLL(Imm(2), EBX)
				VPADDQ(cell, Y0, y)
				VMOVDQU(y, cell)
			}
		}
	}
	ADDQ(Imm(4), lines)
	ADDQ(Imm(uint64(8*words)), cells)
	DECQ(n)
	JNE(LabelRef("loop"))
	if words == 4 {
		VZEROUPPER()
	}
	RET()
}
