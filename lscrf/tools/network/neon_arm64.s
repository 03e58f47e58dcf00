#include "textflag.h"

// What each function computes is said by its Go twin in kernel.go. It is written by hand: avo makes
// no arm64, and Go's assembler has no words for these instructions, of 16-bit values n and m:

// d += n * m[i] for the four lower or upper values of n; m is V0 to V15
#define LOW(n, m, i, d) WORD $(0x0F402000 | (((i)>>1&1)<<21) | (((i)&1)<<20) | ((m)<<16) | (((i)>>2)<<11) | ((n)<<5) | (d))
#define HIGH(n, m, i, d) WORD $(0x4F402000 | (((i)>>1&1)<<21) | (((i)&1)<<20) | ((m)<<16) | (((i)>>2)<<11) | ((n)<<5) | (d))

// d += n * m for the four lower or upper values
#define LOWS(n, m, d) WORD $(0x0E608000 | ((m)<<16) | ((n)<<5) | (d))
#define HIGHS(n, m, d) WORD $(0x4E608000 | ((m)<<16) | ((n)<<5) | (d))

// the four sums d shifted by those of m, to the right where it is negative
#define SHIFT(m, d) WORD $(0x4EA04400 | ((m)<<16) | ((d)<<5) | (d))

// the lower or upper four values of d are the sums n, within 16 bits
#define NARROW(n, d) WORD $(0x0E614800 | ((n)<<5) | (d))
#define NARROW2(n, d) WORD $(0x4E614800 | ((n)<<5) | (d))

// the values d are at least, or at most, those of m
#define LEAST(m, d) WORD $(0x4E606400 | ((m)<<16) | ((d)<<5) | (d))
#define MOST(m, d) WORD $(0x4E606C00 | ((m)<<16) | ((d)<<5) | (d))

// the values d are the sum of d and m, within 16 bits
#define SUM(m, d) WORD $(0x4E600C00 | ((m)<<16) | ((d)<<5) | (d))

// STORE writes the outputs of sums a to d at R0: shifted by V5, within V6 and V7.
#define STORE(a, b, c, d) \
	SHIFT(5, a); SHIFT(5, b); SHIFT(5, c); SHIFT(5, d) \
	NARROW(a, 0); NARROW2(c, 0); NARROW(b, 1); NARROW2(d, 1) \
	LEAST(6, 0); LEAST(6, 1); MOST(7, 0); MOST(7, 1) \
	VST1 [V0.H8, V1.H8], (R0)

// CELL adds what values i and i+1 of V4 give to the sums a to d.
#define CELL(i, a, b, c, d) \
	LOW(0, 4, i, a); HIGH(0, 4, i, b); LOW(2, 4, i, c); HIGH(2, 4, i, d) \
	LOW(1, 4, i+1, a); HIGH(1, 4, i+1, b); LOW(3, 4, i+1, c); HIGH(3, 4, i+1, d)

// func pointwiseNEON(dst *int16, to int, src *int16, from, pairs int, w *int16, add *int32, by int, low, top int16)
TEXT ·pointwiseNEON(SB), NOSPLIT, $0-68
	MOVD dst+0(FP), R0
	MOVD to+8(FP), R1
	MOVD src+16(FP), R2
	MOVD from+24(FP), R3
	MOVD pairs+32(FP), R4
	MOVD w+40(FP), R5
	MOVD add+48(FP), R6
	LSL  $1, R1
	ADD  R3<<1, R2, R7 // the four cells are at R2, R7, R8, R9
	ADD  R3<<1, R7, R8
	ADD  R3<<1, R8, R9
	VLD1 (R6), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1 (R6), [V20.S4, V21.S4, V22.S4, V23.S4]
	VLD1 (R6), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1 (R6), [V28.S4, V29.S4, V30.S4, V31.S4]

pair:
	VLD2.P 32(R5), [V0.H8, V1.H8]
	VLD2.P 32(R5), [V2.H8, V3.H8]
	VLD1.P 4(R2), V4.S[0]
	VLD1.P 4(R7), V4.S[1]
	VLD1.P 4(R8), V4.S[2]
	VLD1.P 4(R9), V4.S[3]
	CELL(0, 16, 17, 18, 19)
	CELL(2, 20, 21, 22, 23)
	CELL(4, 24, 25, 26, 27)
	CELL(6, 28, 29, 30, 31)
	SUBS $1, R4
	BNE  pair

	MOVD by+56(FP), R4
	NEG  R4, R4
	VDUP R4, V5.S4
	MOVH low+64(FP), R4
	VDUP R4, V6.H8
	MOVH top+66(FP), R4
	VDUP R4, V7.H8
	STORE(16, 17, 18, 19)
	ADD  R1, R0
	STORE(20, 21, 22, 23)
	ADD  R1, R0
	STORE(24, 25, 26, 27)
	ADD  R1, R0
	STORE(28, 29, 30, 31)
	RET

// TAP adds the products of 16 values of the row at R9 and the weights n and m to the sums V16 to V19.
#define TAP(n, m) \
	VLD1 (R9), [V24.H8, V25.H8] \
	VZIP1 V25.D2, V24.D2, V26.D2 \
	VZIP2 V25.D2, V24.D2, V27.D2 \
	LOWS(n, 26, 16); HIGHS(n, 26, 17); LOWS(m, 27, 18); HIGHS(m, 27, 19)

// func depthwiseNEON(dst *int16, to int, src *int16, from, n int, tap *int, pairs int, w *int16, add *int32, by int, low, top int16)
TEXT ·depthwiseNEON(SB), NOSPLIT, $0-84
	MOVD dst+0(FP), R0
	MOVD to+8(FP), R1
	MOVD src+16(FP), R2
	MOVD from+24(FP), R3
	MOVD n+32(FP), R4
	MOVD add+64(FP), R8
	LSL  $1, R1
	LSL  $1, R3
	VLD1 (R8), [V20.S4, V21.S4, V22.S4, V23.S4]
	MOVD by+72(FP), R8
	NEG  R8, R8
	VDUP R8, V5.S4
	MOVH low+80(FP), R8
	VDUP R8, V6.H8
	MOVH top+82(FP), R8
	VDUP R8, V7.H8

cell:
	VMOV V20.B16, V16.B16
	VMOV V21.B16, V17.B16
	VMOV V22.B16, V18.B16
	VMOV V23.B16, V19.B16
	MOVD tap+40(FP), R5
	MOVD pairs+48(FP), R6
	MOVD w+56(FP), R7

tap:
	VLD2.P 32(R7), [V0.H8, V1.H8]
	VLD2.P 32(R7), [V2.H8, V3.H8]
	MOVD.P 8(R5), R9
	ADD    R9<<1, R2, R9
	TAP(0, 2)
	MOVD.P 8(R5), R9
	ADD    R9<<1, R2, R9
	TAP(1, 3)
	SUBS   $1, R6
	BNE    tap
	STORE(16, 17, 18, 19)
	ADD    R1, R0
	ADD    R3, R2
	SUBS   $1, R4
	BNE    cell
	RET

// func addNEON(dst, src *int16, n int)
TEXT ·addNEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2

vector:
	VLD1   (R0), [V0.H8, V1.H8]
	VLD1.P 32(R1), [V2.H8, V3.H8]
	SUM(2, 0)
	SUM(3, 1)
	VST1.P [V0.H8, V1.H8], 32(R0)
	SUBS   $1, R2
	BNE    vector
	RET
