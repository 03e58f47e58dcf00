// Gen writes the AVX2 message kernels of package mrf; go generate runs it.
//
// Each kernel exists twice: for any number of labels from 4, in loops over four lanes, and
// unrolled for 8. The last four lanes of a row may overlap the four before them, which
// needs no masks and does no harm: entries are computed twice, and minima taken twice.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	send = "func(m, from, share, table *float64, n int) float64"
	sum  = "func(r, share, unary, msg *float64, edges *int32, degree int, part float64, n int) float64"
)

func main() {
	ConstraintExpr("amd64")
	kernel("sendColumnsAVX2", "sendColumnsAVX2 is sendColumns for n of at least 4 labels.", columns)
	kernel("sendColumns8AVX2", "sendColumns8AVX2 is sendColumns for 8 labels.", columns8)
	kernel("sendRowsAVX2", "sendRowsAVX2 is sendRows for n of at least 4 labels.", rows)
	kernel("sendRows8AVX2", "sendRows8AVX2 is sendRows for 8 labels.", rows8)
	collect("collectAVX2", "collectAVX2 is collect for n of at least 4 labels.", gather)
	collect("collect8AVX2", "collect8AVX2 is collect for 8 labels.", gather8)
	Generate()
}

// A frame holds a kernel's arguments.
type frame struct {
	m, from, share, table Register
	n                     Register
	least                 VecVirtual // minimum of what was stored
	labels                int        // used so far
}

func kernel(name, doc string, body func(f *frame)) {
	TEXT(name, NOSPLIT, send)
	Doc(doc)
	f := &frame{}
	f.m = Load(Param("m"), GP64())
	f.from = Load(Param("from"), GP64())
	f.share = Load(Param("share"), GP64())
	f.table = Load(Param("table"), GP64())
	f.n = Load(Param("n"), GP64())
	f.least = YMM()
	body(f)
	VZEROUPPER()
	RET()
}

func (f *frame) label() string {
	f.labels++
	return fmt.Sprintf("l%d", f.labels)
}

// blocks runs body for i = 0, 4, 8 ... and, if n is no multiple of 4, for i = n-4.
func (f *frame) blocks(body func(i Register)) {
	i, end := GP64(), GP64()
	loop, done := f.label(), f.label()
	XORQ(i, i)
	Label(loop)
	body(i)
	ADDQ(Imm(4), i)
	LEAQ(Mem{Base: i, Disp: 4}, end)
	CMPQ(end, f.n)
	JLE(LabelRef(loop))
	CMPQ(i, f.n)
	JGE(LabelRef(done))
	LEAQ(Mem{Base: f.n, Disp: -4}, i)
	JMP(LabelRef(loop))
	Label(done)
}

// front runs four for i = 0, 4, 8 ... while four entries are left, then one for each of the
// last ones: for what must not be done twice.
func (f *frame) front(four, one func(i Register)) {
	i, end := GP64(), GP64()
	fours, ones, done := f.label(), f.label(), f.label()
	XORQ(i, i)
	LEAQ(Mem{Base: f.n, Disp: -4}, end)
	Label(fours)
	four(i)
	ADDQ(Imm(4), i)
	CMPQ(i, end)
	JLE(LabelRef(fours))
	Label(ones)
	CMPQ(i, f.n)
	JGE(LabelRef(done))
	one(i)
	INCQ(i)
	JMP(LabelRef(ones))
	Label(done)
}

// infinite fills v with +Inf.
func infinite(v VecVirtual) {
	inf := GP64()
	MOVQ(U64(0x7ff0000000000000), inf)
	VMOVQ(inf, v.AsX())
	VBROADCASTSD(v.AsX(), v)
}

// open computes from = share - m and sets least to +Inf.
func (f *frame) open() {
	f.blocks(func(i Register) {
		v := YMM()
		VMOVUPD(at(f.share, i, 0), v)
		VSUBPD(at(f.m, i, 0), v, v)
		VMOVUPD(v, at(f.from, i, 0))
	})
	infinite(f.least)
}

// close subtracts the least entry from m and returns it.
func (f *frame) close() {
	reduce(f.least)
	f.front(func(i Register) {
		v := YMM()
		VMOVUPD(at(f.m, i, 0), v)
		VSUBPD(f.least, v, v)
		VMOVUPD(v, at(f.m, i, 0))
	}, func(i Register) {
		x := XMM()
		VMOVSD(at(f.m, i, 0), x)
		VSUBSD(f.least.AsX(), x, x)
		VMOVSD(x, at(f.m, i, 0))
	})
	Store(f.least.AsX(), ReturnIndex(0))
}

// reduce fills v with its least lane.
func reduce(v VecVirtual) {
	hi := XMM()
	VEXTRACTF128(Imm(1), v, hi)
	VMINPD(hi, v.AsX(), v.AsX())
	VPERMILPD(Imm(1), v.AsX(), hi)
	VMINPD(hi, v.AsX(), v.AsX())
	VBROADCASTSD(v.AsX(), v)
}

func at(base, index Register, disp int) Mem {
	return Mem{Base: base, Index: index, Scale: 8, Disp: disp}
}

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
