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
	small, large, n := Load(Param("small"), R8), Load(Param("large"), R9), Load(Param("n"), R10)
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
	small, large, n := Load(Param("small"), R8), Load(Param("large"), R9), Load(Param("n"), R10)
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
	small, large, n := Load(Param("small"), R8), Load(Param("large"), R9), Load(Param("n"), R10)
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
