package transfer

import (
	"math"

	"hdseg/ingest/raster"
)

// signs returns what a mask's IoU is predicted from, each of the order of one: first the IoU that the probabilities themselves
// expect, then how sure they are, how the prior's mask and theirs agree with the cut, how full and how large the
// windows are, whether the figure reaches their sides, and how alike and agreed the sources are.
func signs(mask *raster.Mask, soft []float32, fixed *raster.Mask, guesses []guess) []float64 {
	var inFigure, all, figure, free, sure float64
	var agree [2][2]int
	for i, f := range fixed.Pix {
		if f != raster.Void {
			continue
		}
		p := float64(soft[i])
		free++
		sure += math.Abs(2*p - 1)
		all += p
		hard := 0
		if p > 0.5 {
			hard = 1
		}
		agree[hard][mask.Pix[i]]++
		if mask.Pix[i] == raster.Figure {
			figure++
			inFigure += p
		}
	}
	expected := 0.0
	if union := figure + all - inFigure; union > 0 {
		expected = inFigure / union
	}
	var priorAgrees, reach, spread, distance float64
	for i := range guesses {
		g := &guesses[i]
		priorAgrees += g.agreement(mask)
		reach += g.reach(mask)
		spread += g.prior.Spread
		distance += g.prior.Distance
	}
	n := float64(len(guesses))
	fill := figure / max(free, 1)
	return []float64{
		expected, expected * expected, sure / max(free, 1), iou(agree), priorAgrees / n, reach / n, fill, fill * fill,
		spread / n, distance / n, math.Log(max(free, 1)) / 10, math.Log(n), free / float64(len(soft)),
	}
}

// agreement returns the IoU in the window of the prior's mask and the final one.
func (g *guess) agreement(mask *raster.Mask) float64 {
	var c [2][2]int
	r, s := g.box, g.prior.Size
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

// reach returns the share of the window's four sides that the figure comes near: within a twentieth of the window.
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
