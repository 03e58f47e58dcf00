package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// wide holds a constant eight times.
func wide(name string, v int32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(uint32(v)))
	}
	return m
}

// The constants of the decoder's idct.go.
type idctConstants struct{ c298, c390, c541, c765, c899, c1175, c1501, c1847, c1961, c2053, c2562, c3072 Mem }

// butterfly is the decoder's idct.go's, on eight columns at a time: x[k] holds value k of all of
// them. It returns the outputs, in the same registers.
func (c *idctConstants) butterfly(x [8]VecVirtual) [8]VecVirtual {
	// Even part.
	z1, t2, t3 := YMM(), YMM(), YMM()
	VPADDD(x[6], x[2], z1)
	VPMULLD(c.c541, z1, z1)
	VPMULLD(c.c1847, x[6], t2)
	VPSUBD(t2, z1, t2)
	VPMULLD(c.c765, x[2], t3)
	VPADDD(z1, t3, t3)
	t0, t1 := z1, YMM()
	VPSUBD(x[4], x[0], t1)
	VPSLLD(Imm(13), t1, t1)
	VPADDD(x[4], x[0], t0)
	VPSLLD(Imm(13), t0, t0)
	e0, e1, e2, e3 := x[0], x[2], x[4], x[6]
	VPADDD(t3, t0, e0)
	VPSUBD(t3, t0, e3)
	VPADDD(t2, t1, e1)
	VPSUBD(t2, t1, e2)
	// Odd part.
	x1, x3, x5, x7 := x[1], x[3], x[5], x[7]
	z5, a1, a2, a3, a4 := YMM(), YMM(), YMM(), YMM(), YMM()
	VPADDD(x3, x7, a3)
	VPADDD(x1, x5, a4)
	VPADDD(a3, a4, z5)
	VPMULLD(c.c1175, z5, z5)
	VPMULLD(c.c1961, a3, a3)
	VPSUBD(a3, z5, a3)
	VPMULLD(c.c390, a4, a4)
	VPSUBD(a4, z5, a4)
	VPADDD(x1, x7, a1)
	VPMULLD(c.c899, a1, a1)
	VPADDD(x3, x5, a2)
	VPMULLD(c.c2562, a2, a2)
	for _, o := range []struct {
		x           VecVirtual
		c           Mem
		minus, plus VecVirtual
	}{{x7, c.c298, a1, a3}, {x5, c.c2053, a2, a4}, {x3, c.c3072, a2, a3}, {x1, c.c1501, a1, a4}} {
		VPMULLD(o.c, o.x, o.x)
		VPSUBD(o.minus, o.x, o.x)
		VPADDD(o.plus, o.x, o.x)
	}
	o0, o1, o2, o3 := x7, x5, x3, x1
	y7, y6, y5, y4 := z5, a1, a2, a3
	VPSUBD(o3, e0, y7)
	VPADDD(o3, e0, e0)
	VPSUBD(o2, e1, y6)
	VPADDD(o2, e1, e1)
	VPSUBD(o1, e2, y5)
	VPADDD(o1, e2, e2)
	VPSUBD(o0, e3, y4)
	VPADDD(o0, e3, e3)
	return [8]VecVirtual{e0, e1, e2, e3, y4, y5, y6, y7}
}

// transpose exchanges rows and columns of 8 x 8 numbers of 32 bits.
func transpose(r [8]VecVirtual) (out [8]VecVirtual) {
	var pairs, quads [8]VecVirtual
	for k := 0; k < 8; k += 2 {
		pairs[k], pairs[k+1] = YMM(), YMM()
		VPUNPCKLDQ(r[k+1], r[k], pairs[k])
		VPUNPCKHDQ(r[k+1], r[k], pairs[k+1])
	}
	for k := 0; k < 8; k += 4 {
		for i := range 2 {
			lo, hi := YMM(), YMM()
			VPUNPCKLQDQ(pairs[k+2+i], pairs[k+i], lo)
			VPUNPCKHQDQ(pairs[k+2+i], pairs[k+i], hi)
			quads[k+2*i], quads[k+2*i+1] = lo, hi
		}
	}
	for i := range 4 {
		out[i], out[i+4] = YMM(), YMM()
		VPERM2I128(Imm(0x20), quads[i+4], quads[i], out[i])
		VPERM2I128(Imm(0x31), quads[i+4], quads[i], out[i+4])
	}
	return out
}

func inverse() {
	TEXT("inverseAVX2", NOSPLIT, "func(b *[64]int32, out *uint8, stride int)")
	Pragma("noescape")
	Doc("inverseAVX2 is inverseGeneric; b is left as it is, and out must hold 7*stride+8 bytes.")
	c := &idctConstants{
		c298: wide("c298", 2446), c390: wide("c390", 3196), c541: wide("c541", 4433), c765: wide("c765", 6270),
		c899: wide("c899", 7373), c1175: wide("c1175", 9633), c1501: wide("c1501", 12299), c1847: wide("c1847", 15137),
		c1961: wide("c1961", 16069), c2053: wide("c2053", 16819), c2562: wide("c2562", 20995), c3072: wide("c3072", 25172),
	}
	round1, round2 := wide("round1", 1<<10), wide("round2", 1<<17+128<<18)
	square := GLOBL("square", RODATA|NOPTR) // transposes 4 x 4 bytes in either half
	for i := range 32 {
		DATA(i, U8(i%4*4+i/4%4))
	}
	b, out, stride := Load(Param("b"), GP64()), Load(Param("out"), GP64()), Load(Param("stride"), GP64())
	var x [8]VecVirtual
	for k := range x {
		x[k] = YMM()
		VMOVDQU(Mem{Base: b, Disp: 32 * k}, x[k])
	}
	x = c.butterfly(x)
	for k := range x {
		VPADDD(round1, x[k], x[k])
		VPSRAD(Imm(11), x[k], x[k])
	}
	x = c.butterfly(transpose(x)) // lanes are rows now
	for k := range x {
		VPADDD(round2, x[k], x[k])
		VPSRAD(Imm(18), x[k], x[k])
	}
	// Saturate to bytes: x[0] and x[2] end as 4 x 4 bytes of columns 0..3 and 4..7, rows 0..3 and
	// 4..7 in their halves.
	for k := 0; k < 8; k += 2 {
		VPACKSSDW(x[k+1], x[k], x[k])
	}
	VPACKUSWB(x[2], x[0], x[0])
	VPACKUSWB(x[6], x[4], x[4])
	VPSHUFB(square, x[0], x[0])
	VPSHUFB(square, x[4], x[4])
	lo, hi := x[2], x[6] // rows 0, 1 | 4, 5 and 2, 3 | 6, 7
	VPUNPCKLDQ(x[4], x[0], lo)
	VPUNPCKHDQ(x[4], x[0], hi)
	top := GP64()
	LEAQ(Mem{Base: out, Index: stride, Scale: 4}, top)
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	half := XMM()
	for _, p := range []Register{out, top} {
		at := p.(GPVirtual)
		l, h := lo.AsX(), hi.AsX()
		if p == Register(top) {
			VEXTRACTI128(Imm(1), lo, half)
			l = half
			h = XMM()
			VEXTRACTI128(Imm(1), hi, h)
		}
		VMOVQ(l, Mem{Base: at})
		VMOVHPS(l, Mem{Base: at, Index: stride, Scale: 1})
		VMOVQ(h, Mem{Base: at, Index: stride, Scale: 2})
		VMOVHPS(h, Mem{Base: at, Index: stride3, Scale: 1})
	}
	VZEROUPPER()
	RET()
}
