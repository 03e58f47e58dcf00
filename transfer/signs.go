package transfer

import (
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"
)

// signCount is how many signs there are; secondSure is the last.
const (
	signCount  = 7
	secondSure = 6
)

// signs returns what a mask's IoU is predicted from, signCount values in 0..1, chosen by
// cross-validation on VOC (see BENCHMARKS.md):
//
//	the IoU that the probabilities themselves expect
//	how far they are from a half, 1 if each is 0 or 1
//	unsure pixels, of a probability between a quarter and three, as a share of these and the figure's
//	how surely the colour models tell the figure's pixels from ground
//	the IoU of the mask and the prior's, mean over the windows
//	the share of the windows' sides that the figure reaches
//	how far from a half probabilities are for a second look at the label tier's objects (see
//	sureOf), which the caller adds; else 0
//
// soft are the probabilities as they were before the label tier's lean.
func signs(im *raster.RGB, soft []float32, fixed *raster.Mask, res *cut.Result, guesses []guess) []float64 {
	var inFigure, all, figure, unsure float64
	for i, f := range fixed.Pix {
		if f != raster.Void {
			continue
		}
		p := float64(soft[i])
		all += p
		if p > 0.25 && p < 0.75 {
			unsure++
		}
		if res.Mask.Pix[i] == raster.Figure {
			figure++
			inFigure += p
		}
	}
	var priorAgrees, reach float64
	for i := range guesses {
		priorAgrees += guesses[i].agreement(res.Mask)
		reach += guesses[i].reach(res.Mask)
	}
	n := float64(len(guesses))
	return []float64{
		inFigure / max(figure+all-inFigure, 1e-9), sureness(soft, fixed), unsure / max(unsure+figure, 1),
		colorSure(im, fixed, res, figure), priorAgrees / n, reach / n, 0,
	}
}

// colorPixels is about how many of a figure's pixels the colour models are asked about; more change
// no digit that matters.
const colorPixels = 5000

// colorSure returns the mean probability of figure that the colour models give the figure's free
// pixels. count is their number; a sample of colorPixels is asked about. Without models, or without
// figure, it is 0.
func colorSure(im *raster.RGB, fixed *raster.Mask, res *cut.Result, count float64) float64 {
	if res.Figure == nil || res.Ground == nil {
		return 0
	}
	every := max(1, int(count/colorPixels))
	var seen, asked, sum float64
	for i, m := range res.Mask.Pix {
		if m != raster.Figure || fixed.Pix[i] != raster.Void {
			continue
		}
		if seen++; int(seen)%every != 0 {
			continue
		}
		asked++
		r, g, b := float32(im.Pix[3*i])/255, float32(im.Pix[3*i+1])/255, float32(im.Pix[3*i+2])/255
		f, _ := res.Figure.Score(r, g, b)
		o, _ := res.Ground.Score(r, g, b)
		if odds := float64(f - o); odds == odds { // both models may be empty
			sum += 1 / (1 + arith.Exp(-odds))
		}
	}
	return sum / max(asked, 1)
}

// agreement returns the IoU in the window of the prior's mask and the final one.
func (g *guess) agreement(mask *raster.Mask) float64 {
	var c [2][2]int
	r, s := g.box, pool.MaskSide
	for y := range r.Dy() {
		row := g.prior.Soft[y*s/r.Dy()*s:][:s]
		for x := range r.Dx() {
			hard := 0
			if row[x*s/r.Dx()] > 0.5 {
				hard = 1
			}
			c[hard][mask.Pix[(r.Min.Y+y)*mask.Width+r.Min.X+x]]++
		}
	}
	return iou(c)
}

// reach returns the share of the window's four sides that the figure comes near: within a twentieth
// of the window.
func (g *guess) reach(mask *raster.Mask) float64 {
	r := g.box
	mx, my := max(1, r.Dx()/20), max(1, r.Dy()/20)
	var near [4]bool
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if mask.Pix[y*mask.Width+x] == raster.Figure {
				near[0] = near[0] || x < r.Min.X+mx
				near[1] = near[1] || y < r.Min.Y+my
				near[2] = near[2] || x >= r.Max.X-mx
				near[3] = near[3] || y >= r.Max.Y-my
			}
		}
	}
	n := 0.0
	for _, b := range near {
		if b {
			n += 0.25
		}
	}
	return n
}
