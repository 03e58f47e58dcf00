package feature

import (
	"math"

	"hdseg/manifests/arith"
)

// blur returns the picture smoothed by a Gaussian of sigma pixels, cut at 4 sigma, with the nearest
// pixel beyond the border.
func blur(in []float32, w, h int, sigma float64) []float32 {
	r := int(math.Ceil(4 * sigma))
	taps := make([]float32, r+1) // taps[d] for distance d
	sum := 0.0
	for d := range taps {
		v := arith.Exp(-float64(d*d) / (2 * sigma * sigma))
		taps[d] = float32(v)
		sum += v
		if d > 0 {
			sum += v
		}
	}
	for d := range taps {
		taps[d] /= float32(sum)
	}
	pad := newPadder(in, w, h, r)
	across := make([]float32, len(in))
	for y := range h {
		row, out := pad.row(y), across[y*w:(y+1)*w]
		scale(out, row[r:], taps[0])
		for d, t := range taps[1:] {
			addPair(out, row[r-d-1:], row[r+d+1:], t)
		}
	}
	out := make([]float32, len(in))
	for y := range h {
		to := out[y*w : (y+1)*w]
		scale(to, across[y*w:], taps[0])
		for d, t := range taps[1:] {
			addPair(to, across[max(y-d-1, 0)*w:], across[min(y+d+1, h-1)*w:], t)
		}
	}
	return out
}

func scale(dst, a []float32, t float32) {
	a = a[:len(dst)]
	for i := range dst {
		dst[i] = float32(t * a[i])
	}
}

// addPairGeneric adds t*(a+b) to dst, over its length.
func addPairGeneric(dst, a, b []float32, t float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] += float32(t * (a[i] + b[i]))
	}
}
