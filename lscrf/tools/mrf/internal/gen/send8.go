package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// open8 computes from = share - m.
func (f *frame) open8() (from [2]VecVirtual) {
	for h := range from {
		from[h] = YMM()
		VMOVUPD(Mem{Base: f.share, Disp: 32 * h}, from[h])
		VSUBPD(Mem{Base: f.m, Disp: 32 * h}, from[h], from[h])
	}
	return from
}

// close8 stores a message less its least entry, which it returns.
func (f *frame) close8(to [2]VecVirtual) {
	VMINPD(to[0], to[1], f.least)
	reduce(f.least)
	for h := range to {
		VSUBPD(f.least, to[h], to[h])
		VMOVUPD(to[h], Mem{Base: f.m, Disp: 32 * h})
	}
	Store(f.least.AsX(), ReturnIndex(0))
}

func columns8(f *frame) {
	for h, v := range f.open8() {
		VMOVUPD(v, Mem{Base: f.from, Disp: 32 * h})
	}
	to := [2]VecVirtual{YMM(), YMM()}
	for k := range 8 {
		one, v := YMM(), [2]VecVirtual{YMM(), YMM()}
		VBROADCASTSD(Mem{Base: f.from, Disp: 8 * k}, one)
		for h := range to {
			row := Mem{Base: f.table, Disp: 64*k + 32*h}
			if k == 0 {
				VADDPD(row, one, to[h])
				continue
			}
			VADDPD(row, one, v[h])
			VMINPD(v[h], to[h], to[h])
		}
	}
	f.close8(to)
}

func rows8(f *frame) {
	from := f.open8()
	var to [2]VecVirtual
	for h := range to {
		var acc [4]VecVirtual
		for r := range acc {
			row := 64 * (4*h + r)
			acc[r] = YMM()
			v := YMM()
			VADDPD(Mem{Base: f.table, Disp: row}, from[0], acc[r])
			VADDPD(Mem{Base: f.table, Disp: row + 32}, from[1], v)
			VMINPD(v, acc[r], acc[r])
		}
		to[h] = across(acc)
	}
	f.close8(to)
}
