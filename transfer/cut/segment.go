package cut

import (
	"fmt"
	"image"
	"math"

	"hdseg/manifests/raster"
)

// A Result is a segmented picture.
type Result struct {
	Mask   *raster.Mask // Ground and Figure only
	Status string       // "" when sound, or one of the Status constants
	// of refitting that ran; maxRounds of them if the labeling may not have repeated
	Rounds int
	Figure *Mixture // the last colour model of the figure
	Ground *Mixture // and of the ground
}

// Reasons to distrust a mask. Segment gives all but StatusNoContrast, which is for callers that
// know where they look for a figure: see Flat.
const (
	StatusEmpty = "empty" // no pixel is figure
	StatusFull  = "full"  // every free pixel is figure
	// the prior starts no pixel, or no other than fixed ones, as figure or as ground
	StatusNoPrior = "no_prior"
	StatusNoFree  = "no_free" // every pixel's label was given
	// one colour, or a smooth change of it, wherever a figure may be
	StatusNoContrast = "no_contrast"
)

// Segment labels the pixels of im that fixed leaves open, which are its Void pixels; its Ground and
// Figure pixels keep their labels. soft[y*Width+x] is the prior probability of figure. It minimizes
//
//	E(y) = Σ -a·log p(zᵢ|yᵢ) - b·log Mᵢ(yᵢ) + γ Σ [yᵢ ≠ yⱼ] exp(-β‖zᵢ-zⱼ‖²)/dist
//
// over 8-neighbours by maximum flow, with a = ColorWeight, b = PriorWeight, refits the two colour
// models to the labeling and repeats until it does not change. The rounds run on a shrunk picture
// (WorkPixels), and a band around the resulting border is cut once more at full size. A degenerate
// input gives a result with a Status, never NaN. Sizes that differ panic.
func Segment(im *raster.RGB, soft []float32, fixed *raster.Mask, o Options) Result {
	if err := o.Validate(); err != nil {
		panic("cut: " + err.Error())
	}
	if len(soft) != im.Width*im.Height || fixed.Width != im.Width || fixed.Height != im.Height {
		panic(fmt.Sprintf("cut: picture of %d x %d with %d priors and fixed labels of %d x %d", im.Width, im.Height, len(soft),
			fixed.Width, fixed.Height))
	}
	free := freeRect(fixed)
	if free.Empty() {
		return finish(Result{Mask: &raster.Mask{Pix: append([]uint8(nil), fixed.Pix...), Width: im.Width, Height: im.Height},
			Status: StatusNoFree}, fixed)
	}
	s := 1
	if o.WorkPixels > 0 {
		s = max(1, int(math.Ceil(math.Sqrt(float64(free.Dx()*free.Dy())/float64(o.WorkPixels)))))
	}
	around := surroundings(free, im.Width, im.Height)
	p := newPlane(im, soft, fixed, around, s)
	labels, res := rounds(p, o)
	res.Mask = &raster.Mask{Pix: append([]uint8(nil), fixed.Pix...), Width: im.Width, Height: im.Height}
	paste(res.Mask, &raster.Mask{Pix: labels, Width: p.w, Height: p.h}, around, s)
	if s > 1 {
		refine(im, soft, fixed, free, s, &res, o)
	}
	return finish(res, fixed)
}

// surroundings returns the free rectangle grown by half its sides (at least 16 pixels) on every
// side: the pixels that the ground's colours are learned from.
func surroundings(free image.Rectangle, width, height int) image.Rectangle {
	mx, my := max(16, free.Dx()/2), max(16, free.Dy()/2)
	return image.Rect(free.Min.X-mx, free.Min.Y-my, free.Max.X+mx, free.Max.Y+my).Intersect(image.Rect(0, 0, width, height))
}

// paste copies labels, magnified s times, to the Void pixels of mask inside r.
func paste(mask, labels *raster.Mask, r image.Rectangle, s int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := labels.Pix[(y-r.Min.Y)/s*labels.Width:][:labels.Width]
		to := mask.Pix[y*mask.Width:][:mask.Width]
		for x := r.Min.X; x < r.Max.X; x++ {
			if to[x] == raster.Void {
				to[x] = from[(x-r.Min.X)/s]
			}
		}
	}
}

// finish sets the status of a labeling if it has none.
func finish(res Result, fixed *raster.Mask) Result {
	if res.Status != "" {
		return res
	}
	var figure, ground int
	for i, v := range res.Mask.Pix {
		if fixed.Pix[i] == raster.Void {
			if v == raster.Figure {
				figure++
			} else {
				ground++
			}
		}
	}
	switch {
	case figure == 0:
		res.Status = StatusEmpty
	case ground == 0:
		res.Status = StatusFull
	}
	return res
}
