package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// words holds constants of 16 bits, repeated to 32 bytes.
func words(name string, v ...int16) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		DATA(2*i, U16(uint16(v[i%len(v)])))
	}
	return m
}

// yccToRGB converts 16 pixels at a time. Products by constants over 1/2 are split into a whole and
// a small part, so that 16 bits hold them: (c*x + 1<<15)>>16 is ((c*2x)>>16 + 1)>>1 exactly, for c
// below 1/2.
func yccToRGB() {
	TEXT("yccToRGBAVX2", NOSPLIT, "func(out, luma, cb, cr *uint8, n int)")
	Pragma("noescape")
	Doc("yccToRGBAVX2 is yccToRGBGeneric; n is a positive multiple of 16.")
	out, luma := Load(Param("out"), GP64()), Load(Param("luma"), GP64())
	cb, cr := Load(Param("cb"), GP64()), Load(Param("cr"), GP64())
	n := Load(Param("n"), GP64())
	center := words("center", 128)
	one := words("one", 1)
	toR := words("toR", 26345)         // 91881 - 65536
	toB := words("toB", -14942)        // 116130 - 2*65536
	toG := words("toG", -22554, 18734) // of cb; of cr: -46802 + 65536
	half := wide("half", 1<<15)
	var spread [3][3]Mem // which byte of a color goes to byte i of the k-th 16
	for k := range spread {
		for color := range spread[k] {
			m := GLOBL("spread"+string(rune('0'+k))+string(rune('0'+color)), RODATA|NOPTR)
			for i := range 16 {
				from := 0x80
				if at := 16*k + i; at%3 == color {
					from = at / 3
				}
				DATA(i, U8(from))
			}
			spread[k][color] = m
		}
	}
	Label("pixels")
	y, u, v := YMM(), YMM(), YMM()
	VPMOVZXBW(Mem{Base: luma}, y)
	VPMOVZXBW(Mem{Base: cb}, u)
	VPSUBW(center, u, u)
	VPMOVZXBW(Mem{Base: cr}, v)
	VPSUBW(center, v, v)
	r, g, b := YMM(), YMM(), YMM()
	VPADDW(v, v, r)
	VPMULHW(toR, r, r)
	VPADDW(one, r, r)
	VPSRAW(Imm(1), r, r)
	VPADDW(v, r, r)
	VPADDW(y, r, r)
	u2 := YMM()
	VPADDW(u, u, u2)
	VPMULHW(toB, u2, b)
	VPADDW(one, b, b)
	VPSRAW(Imm(1), b, b)
	VPADDW(u2, b, b)
	VPADDW(y, b, b)
	hi := YMM()
	VPUNPCKLWD(v, u, g)
	VPUNPCKHWD(v, u, hi)
	for _, x := range []VecVirtual{g, hi} {
		VPMADDWD(toG, x, x)
		VPADDD(half, x, x)
		VPSRAD(Imm(16), x, x)
	}
	VPACKSSDW(hi, g, g)
	VPSUBW(v, g, g)
	VPADDW(y, g, g)
	for _, x := range []VecVirtual{r, g, b} {
		VPACKUSWB(x, x, x)
		VPERMQ(Imm(0xd8), x, x)
	}
	for k := range spread {
		sum, part := XMM(), XMM()
		VPSHUFB(spread[k][0], r.AsX(), sum)
		VPSHUFB(spread[k][1], g.AsX(), part)
		VPOR(part, sum, sum)
		VPSHUFB(spread[k][2], b.AsX(), part)
		VPOR(part, sum, sum)
		VMOVDQU(sum, Mem{Base: out, Disp: 16 * k})
	}
	for _, p := range []Register{luma, cb, cr} {
		ADDQ(Imm(16), p.(GPVirtual))
	}
	ADDQ(Imm(48), out)
	SUBQ(Imm(16), n)
	JNE(LabelRef("pixels"))
	VZEROUPPER()
	RET()
}
