package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columns takes the minimum over rows of from[k] + row k, four columns at a time.
func columns(f *frame) {
	f.open()
	stride := GP64()
	MOVQ(f.n, stride)
	SHLQ(Imm(3), stride)
	f.blocks(func(i Register) {
		row, k := GP64(), GP64()
		LEAQ(at(f.table, i, 0), row)
		acc, v := YMM(), YMM()
		VBROADCASTSD(Mem{Base: f.from}, acc)
		VADDPD(Mem{Base: row}, acc, acc)
		MOVQ(U32(1), k)
		loop := f.label()
		Label(loop)
		ADDQ(stride, row)
		VBROADCASTSD(at(f.from, k, 0), v)
		VADDPD(Mem{Base: row}, v, v)
		VMINPD(v, acc, acc)
		INCQ(k)
		CMPQ(k, f.n)
		JLT(LabelRef(loop))
		VMOVUPD(acc, at(f.m, i, 0))
		VMINPD(acc, f.least, f.least)
	})
	f.close()
}

// rows takes the minimum over columns of from[k] + column k, four rows at a time.
func rows(f *frame) {
	f.open()
	stride := GP64()
	MOVQ(f.n, stride)
	SHLQ(Imm(3), stride)
	top := YMM() // +Inf
	VMOVAPD(f.least, top)
	f.blocks(func(i Register) {
		var row [4]Register
		var acc [4]VecVirtual
		for r := range row {
			row[r], acc[r] = GP64(), YMM()
		}
		MOVQ(i, row[0])
		IMULQ(stride, row[0])
		ADDQ(f.table, row[0])
		for r := range row {
			if r > 0 {
				LEAQ(Mem{Base: row[r-1], Index: stride, Scale: 1}, row[r])
			}
			VMOVAPD(top, acc[r])
		}
		f.blocks(func(k Register) {
			from := YMM()
			VMOVUPD(at(f.from, k, 0), from)
			for r := range row {
				v := YMM()
				VADDPD(at(row[r], k, 0), from, v)
				VMINPD(v, acc[r], acc[r])
			}
		})
		least := across(acc)
		VMOVUPD(least, at(f.m, i, 0))
		VMINPD(least, f.least, f.least)
	})
	f.close()
}

// across returns the least lane of each of four registers, in order.
func across(a [4]VecVirtual) VecVirtual {
	pair := func(a, b VecVirtual) VecVirtual { // minima of even and odd lanes: a b a b
		lo, hi := YMM(), YMM()
		VUNPCKLPD(b, a, lo)
		VUNPCKHPD(b, a, hi)
		VMINPD(hi, lo, lo)
		return lo
	}
	ab, cd := pair(a[0], a[1]), pair(a[2], a[3])
	lo, hi := YMM(), YMM()
	VPERM2F128(Imm(0x20), cd, ab, lo)
	VPERM2F128(Imm(0x31), cd, ab, hi)
	VMINPD(hi, lo, lo)
	return lo
}
