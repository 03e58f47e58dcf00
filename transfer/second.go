package transfer

import (
	"math"

	"hdseg/manifests/raster"
	"hdseg/transfer/pool"
)

// lookShare is the share of all of a mask's figure from which an object is worth a second look.
const lookShare = 0.1

// sureOf looks again at the objects of a mask that was made without boxes, in the boxes around
// them, and returns how sure the expert, one of boxes, is of what it sees there; see sureness. Of a
// mask without figure it is 0.
func (e *expert) sureOf(im picture, mask *raster.Mask, exclude func(id string) bool) float64 {
	soft, seen := make([]float32, len(mask.Pix)), raster.NewMask(mask.Width, mask.Height)
	_, figure, _ := mask.Areas()
	for _, g := range e.guess(im, pool.Windows(mask, max(1, int(lookShare*float64(figure)))), exclude) {
		g.spread(soft, seen)
	}
	return sureness(soft, seen)
}

// sureness returns how far the probabilities of free (void) pixels are from a half on average: 1 if
// each is 0 or 1; 0 if none is free.
func sureness(soft []float32, fixed *raster.Mask) float64 {
	var free, sure float64
	for i, f := range fixed.Pix {
		if f == raster.Void {
			free++
			sure += math.Abs(float64(2*float64(soft[i])) - 1)
		}
	}
	return sure / max(free, 1)
}

// borderBins is how finely border looks at probabilities.
const borderBins = 1024

// border returns the probability at which the free (void) pixels are best divided into figure and
// ground, and the IoU that this is expected to reach. Labeling the pixels of probability t and more
// gives an expected IoU of about
//
//	Σ_{p ≥ t} p / (|{p ≥ t}| + Σ_{p < t} p),
//
// which is largest below a half: at J/(1+J) if J is what it reaches (Nowozin, "Optimal decisions
// from probabilistic models: the intersection-over-union case", CVPR 2014). Without hope it is 0.5
// and 0. Cost: a pass.
func border(soft []float32, fixed *raster.Mask) float64 {
	var count, sum [borderBins]float64
	rest := 0.0
	for i, f := range fixed.Pix {
		if f == raster.Void {
			p := float64(soft[i])
			b := min(int(p*borderBins), borderBins-1)
			count[b]++
			sum[b] += p
			rest += p
		}
	}
	at, expected := 0.5, 0.0
	var n, in float64
	for b := borderBins - 1; b > 0; b-- {
		n += count[b]
		in += sum[b]
		rest -= sum[b]
		if e := in / (n + max(rest, 0)); n > 0 && e > expected {
			at, expected = float64(b)/borderBins, e
		}
	}
	return at
}

// lean returns probabilities shifted, by one amount in log odds, so that a border becomes 0.5: an
// unsure map so gives a generous figure and not an empty one.
func lean(soft []float32, border float64) []float32 {
	out := make([]float32, len(soft))
	for i, p := range soft { // p/(1-p) divided by border/(1-border)
		a, b := float64(float64(p)*(1-border)), float64((1-float64(p))*border)
		out[i] = float32(a / math.Max(a+b, 1e-12))
	}
	return out
}
