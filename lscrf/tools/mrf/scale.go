package mrf

import "math"

// scaleFor returns the largest power of two s ≤ 2⁵² with s·total < 2^bits, and 1 for
// total = 0. A power of two only moves the exponent, so numbers lose nothing but what lies
// below one unit when they are scaled and truncated.
func scaleFor(total float64, bits int) float64 {
	if total == 0 {
		return 1
	}
	_, exp := math.Frexp(total) // total < 2^exp
	return math.Ldexp(1, min(bits-exp, 52))
}

// sumAbs returns Σ|x|.
func sumAbs(x []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += math.Abs(x[0])
		b += math.Abs(x[1])
		c += math.Abs(x[2])
		d += math.Abs(x[3])
	}
	for _, v := range x {
		a += math.Abs(v)
	}
	return a + b + c + d
}

// grow returns s with length n and unspecified contents, reusing its memory.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
