package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A node holds the arguments of collect.
type node struct {
	frame                        // blocks, and least
	r, unary, msg, edges, degree Register
	part                         VecVirtual
}

func collect(name, doc string, body func(c *node)) {
	TEXT(name, NOSPLIT, sum)
	Doc(doc)
	c := new(node)
	c.r = Load(Param("r"), GP64())
	c.share = Load(Param("share"), GP64())
	c.unary = Load(Param("unary"), GP64())
	c.msg = Load(Param("msg"), GP64())
	c.edges = Load(Param("edges"), GP64())
	c.degree = Load(Param("degree"), GP64())
	c.n = Load(Param("n"), GP64())
	part := XMM()
	Load(Param("part"), part)
	c.part, c.least = YMM(), YMM()
	VBROADCASTSD(part, c.part)
	body(c)
	VZEROUPPER()
	RET()
}

// each runs body with the address of each edge's message; scale turns the edge's number
// into an offset.
func (c *node) each(scale func(e Register), body func(message Register)) {
	k, e := GP64(), GP64()
	loop, done := c.label(), c.label()
	XORQ(k, k)
	Label(loop)
	CMPQ(k, c.degree)
	JGE(LabelRef(done))
	MOVLQSX(Mem{Base: c.edges, Index: k, Scale: 8}, e)
	scale(e)
	ADDQ(c.msg, e)
	body(e)
	INCQ(k)
	JMP(LabelRef(loop))
	Label(done)
}

// finish subtracts the least entry from v and stores it and its share.
func (c *node) finish(v VecVirtual, r, share Mem) {
	VSUBPD(c.least, v, v)
	VMOVUPD(v, r)
	VMULPD(c.part, v, v)
	VMOVUPD(v, share)
}

func gather(c *node) {
	stride := GP64()
	MOVQ(c.n, stride)
	SHLQ(Imm(3), stride)
	infinite(c.least)
	c.blocks(func(i Register) {
		v := YMM()
		VMOVUPD(at(c.unary, i, 0), v)
		c.each(func(e Register) { IMULQ(stride, e) }, func(message Register) {
			VADDPD(at(message, i, 0), v, v)
		})
		VMOVUPD(v, at(c.share, i, 0)) // not to be subtracted from twice
		VMINPD(v, c.least, c.least)
	})
	reduce(c.least)
	c.front(func(i Register) {
		v := YMM()
		VMOVUPD(at(c.share, i, 0), v)
		c.finish(v, at(c.r, i, 0), at(c.share, i, 0))
	}, func(i Register) {
		x := XMM()
		VMOVSD(at(c.share, i, 0), x)
		VSUBSD(c.least.AsX(), x, x)
		VMOVSD(x, at(c.r, i, 0))
		VMULSD(c.part.AsX(), x, x)
		VMOVSD(x, at(c.share, i, 0))
	})
	Store(c.least.AsX(), ReturnIndex(0))
}

func gather8(c *node) {
	v := [2]VecVirtual{YMM(), YMM()}
	for h := range v {
		VMOVUPD(Mem{Base: c.unary, Disp: 32 * h}, v[h])
	}
	c.each(func(e Register) { SHLQ(Imm(6), e) }, func(message Register) {
		for h := range v {
			VADDPD(Mem{Base: message, Disp: 32 * h}, v[h], v[h])
		}
	})
	VMINPD(v[0], v[1], c.least)
	reduce(c.least)
	for h := range v {
		c.finish(v[h], Mem{Base: c.r, Disp: 32 * h}, Mem{Base: c.share, Disp: 32 * h})
	}
	Store(c.least.AsX(), ReturnIndex(0))
}
