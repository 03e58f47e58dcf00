//go:build ignore

// Asm_gen writes kernel_amd64.s. Run it with go generate.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Histogram sizes that addLines has code for: the distance of two lanes' histograms is
// part of the instructions. They hold 32, 64, 128 and 255 borders.
var sizes = []int{40, 72, 136, 256}

func main() {
	ConstraintExpr("amd64")
	for _, bins := range sizes {
		addLines(bins)
	}
	Generate()
}

// addLines adds cells of one word: per line two 8-byte loads give the bins of sixteen
// lanes, which are peeled off the registers two at a time.
func addLines(bins int) {
	TEXT(fmt.Sprintf("addLines%d", bins), NOSPLIT, "func(hist *int64, lanes *uint8, stride uint64, lines *uint32, cells *int64, n uint64)")
	Doc(fmt.Sprintf("addLines%d is addLines for bins = %d and words = 1.", bins, bins))
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
		MOVQ(Mem{Base: cells}, RDI)
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
				ADDQ(RDI, Mem{Base: hist, Index: RBX, Scale: 8, Disp: 8 * bins * (8*half + j)})
			}
		}
		ADDQ(Imm(4), lines)
		ADDQ(Imm(8), cells)
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
	RET()
}
