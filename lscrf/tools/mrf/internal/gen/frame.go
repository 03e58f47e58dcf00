package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

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
