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
func (e *expert) sureOf(im *raster.RGB, mask *raster.Mask, exclude func(id string) bool) float64 {
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
			sure += math.Abs(2*float64(soft[i]) - 1)
		}
	}
	return sure / max(free, 1)
}
