package transfer

import (
	"math"

	"hdseg/ingest/raster"
)

// leanBins is how finely lean looks at probabilities.
const leanBins = 1024

// lean returns probabilities shifted, by one amount in log odds, so that 0.5 divides figure from ground where the expected IoU
// is largest. Labeling the pixels of probability t and more gives an expected IoU of about
//
//	Σ_{p ≥ t} p / (|{p ≥ t}| + Σ_{p < t} p),
//
// which is largest below a half: at J/(1+J) if J is what it reaches (Nowozin, "Optimal decisions from probabilistic models: the
// intersection-over-union case", CVPR 2014). An unsure map so gives a generous figure and not an empty one. Only free (void) pixels
// count; soft is not changed. Cost: two passes.
func lean(soft []float32, fixed *raster.Mask) []float32 {
	var count, sum [leanBins]float64
	rest := 0.0
	for i, f := range fixed.Pix {
		if f == raster.Void {
			p := float64(soft[i])
			b := min(int(p*leanBins), leanBins-1)
			count[b]++
			sum[b] += p
			rest += p
		}
	}
	best, at := -1.0, 0.5
	var n, in float64
	for b := leanBins - 1; b > 0; b-- {
		n += count[b]
		in += sum[b]
		rest -= sum[b]
		if e := in / (n + max(rest, 0)); n > 0 && e > best {
			best, at = e, float64(b)/leanBins
		}
	}
	// p/(1-p) divided by at/(1-at).
	out := make([]float32, len(soft))
	for i, p := range soft {
		a, b := float64(p)*(1-at), (1-float64(p))*at
		out[i] = float32(a / math.Max(a+b, 1e-12))
	}
	return out
}
