package jpeg

import "encoding/binary"

// The inverse transform is the one of Loeffler, Ligtenberg and Moschytz (ICASSP 1989), 12
// multiplications a row, with constants of 13 fractional bits and 2 extra bits between the passes:
// libjpeg's "islow", bit for bit, which decoders everywhere are compared with. Constants are
// round(c * 8192).
const (
	idct0_298631336 = 2446
	idct0_390180644 = 3196
	idct0_541196100 = 4433
	idct0_765366865 = 6270
	idct0_899976223 = 7373
	idct1_175875602 = 9633
	idct1_501321110 = 12299
	idct1_847759065 = 15137
	idct1_961570560 = 16069
	idct2_053119869 = 16819
	idct2_562915447 = 20995
	idct3_072711026 = 25172

	idctBits = 13
	passBits = 2
)

// butterfly transforms eight values; results are scaled by 2^13.
func butterfly(x0, x1, x2, x3, x4, x5, x6, x7 int32) (y0, y1, y2, y3, y4, y5, y6, y7 int32) {
	// Even part.
	z1 := (x2 + x6) * idct0_541196100
	t2 := z1 - x6*idct1_847759065
	t3 := z1 + x2*idct0_765366865
	t0 := (x0 + x4) << idctBits
	t1 := (x0 - x4) << idctBits
	e0, e3, e1, e2 := t0+t3, t0-t3, t1+t2, t1-t2
	// Odd part.
	z5 := (x7 + x3 + x5 + x1) * idct1_175875602
	a1 := (x7 + x1) * -idct0_899976223
	a2 := (x5 + x3) * -idct2_562915447
	a3 := (x7+x3)*-idct1_961570560 + z5
	a4 := (x5+x1)*-idct0_390180644 + z5
	o0 := x7*idct0_298631336 + a1 + a3
	o1 := x5*idct2_053119869 + a2 + a4
	o2 := x3*idct3_072711026 + a2 + a3
	o3 := x1*idct1_501321110 + a1 + a4
	return e0 + o3, e1 + o2, e2 + o1, e3 + o0, e3 - o0, e2 - o1, e1 - o2, e0 - o3
}

// inverseGeneric writes the 8 x 8 samples of dequantized coefficients (natural order) to out, whose
// rows are stride apart. Bit x of columns must be set if column x has a coefficient below the first
// row. The coefficients are used up.
func inverseGeneric(b *[64]int32, columns uint, out []uint8, stride int) {
	const round1 = 1 << (idctBits - passBits - 1)
	const shift1 = idctBits - passBits
	for x := range 8 {
		if columns>>x&1 == 0 {
			// what the butterfly gives, for damaged data too
			v := (b[x]<<idctBits + round1) >> shift1
			b[x], b[x+8], b[x+16], b[x+24], b[x+32], b[x+40], b[x+48], b[x+56] = v, v, v, v, v, v, v, v
			continue
		}
		y0, y1, y2, y3, y4, y5, y6, y7 := butterfly(b[x], b[x+8], b[x+16], b[x+24], b[x+32], b[x+40], b[x+48], b[x+56])
		b[x] = (y0 + round1) >> shift1
		b[x+8] = (y1 + round1) >> shift1
		b[x+16] = (y2 + round1) >> shift1
		b[x+24] = (y3 + round1) >> shift1
		b[x+32] = (y4 + round1) >> shift1
		b[x+40] = (y5 + round1) >> shift1
		b[x+48] = (y6 + round1) >> shift1
		b[x+56] = (y7 + round1) >> shift1
	}
	const shift2 = idctBits + passBits + 3
	const round2 = 1<<(shift2-1) + 128<<shift2 // samples are centred on 128
	for y := range 8 {
		w := b[8*y : 8*y+8 : 8*y+8]
		y0, y1, y2, y3, y4, y5, y6, y7 := butterfly(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])
		o := out[y*stride:][:8:8]
		o[0] = clamp8((y0 + round2) >> shift2)
		o[1] = clamp8((y1 + round2) >> shift2)
		o[2] = clamp8((y2 + round2) >> shift2)
		o[3] = clamp8((y3 + round2) >> shift2)
		o[4] = clamp8((y4 + round2) >> shift2)
		o[5] = clamp8((y5 + round2) >> shift2)
		o[6] = clamp8((y6 + round2) >> shift2)
		o[7] = clamp8((y7 + round2) >> shift2)
	}
}

// flatBlock is inverse for a block that has only its first coefficient.
func flatBlock(dc int32, out []uint8, stride int) {
	v := uint64(clamp8((dc+4)>>3+128)) * 0x0101010101010101
	for y := range 8 {
		binary.LittleEndian.PutUint64(out[y*stride:], v)
	}
}

// clamp8 holds v to 0..255.
func clamp8(v int32) uint8 {
	if uint32(v) > 255 {
		v = ^(v >> 31)
	}
	return uint8(v)
}
