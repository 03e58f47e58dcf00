package transfer

import (
	"image"
	"math"

	"hdseg/manifests/arith"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
)

// What a correction goes by, chosen by replaying a greedy annotator on training masks that the
// models had not seen.
const (
	wasOdds   = 1  // log odds of a pixel for the label that it had
	markOdds  = 5  // of a marked pixel for its mark's label, less with the way to the mark
	markReach = 16 // way over which these fall to 1/e
	cutReach  = 96 // way to a contradicted mark within which pixels are cut again
	colorStep = 60 // way of a step between black and white, in hundredths of the shorter side
	nearColor = 3  // factor of the colours' weight: so near they tell more than in a whole picture

	// A click is small, so it counts for more than a part of a scribble.
	clickPx    = 9  // widest mark that is a click
	clickOdds  = 10 // its markOdds
	clickReach = 32 // its markReach
)

// correct cuts again around marks that a mask contradicts, at the scale of what is near them, by
// the colours there. Only what hangs together with these marks changes. soft is the probability of
// figure without the mask and the marks.
func correct(im *raster.RGB, soft []float32, was, marks *raster.Mask, o cut.Options) *raster.Mask {
	fixed := &raster.Mask{Pix: append([]uint8(nil), marks.Pix...), Width: im.Width, Height: im.Height}
	figure, ground := ways(im, marks, raster.Figure), ways(im, marks, raster.Ground)
	wrong := contradicted(was, marks)
	near := ways(im, wrong, raster.Figure)
	odds, reach := float64(markOdds), float64(markReach)
	if _, _, w, h := format.RLEOf(wrong, raster.Figure).Bounds(); w <= clickPx && h <= clickPx {
		odds, reach = clickOdds, clickReach
	}
	for i, v := range was.Pix {
		if near[i] > cutReach && fixed.Pix[i] == raster.Void {
			fixed.Pix[i] = v
		}
	}
	o.ColorWeight = min(nearColor*o.ColorWeight, 100) // the most that Validate allows
	belief := make([]float32, len(soft))
	for i, p := range soft {
		q := math.Min(math.Max(float64(p), 0.02), 0.98)
		sum := arith.Log(q / (1 - q))
		if was.Pix[i] == raster.Figure {
			sum += wasOdds
		} else {
			sum -= wasOdds
		}
		sum += float64(odds * (arith.Exp(-float64(figure[i])/reach) - arith.Exp(-float64(ground[i])/reach)))
		belief[i] = float32(1 / (1 + arith.Exp(-sum)))
	}
	res := cut.Segment(im, belief, fixed, o)
	return changedAt(was, res.Mask, marks)
}

// contradicted returns a mask whose figure is where marks say another label than was.
func contradicted(was, marks *raster.Mask) *raster.Mask {
	out := raster.NewMask(was.Width, was.Height)
	for i, v := range marks.Pix {
		if v != raster.Void && v != was.Pix[i] {
			out.Pix[i] = raster.Figure
		}
	}
	return out
}

// changedAt returns was with those connected parts of its difference to now that a mark lies in.
func changedAt(was, now, marks *raster.Mask) *raster.Mask {
	out := &raster.Mask{Pix: append([]uint8(nil), was.Pix...), Width: was.Width, Height: was.Height}
	var stack []int
	take := func(i int) {
		if out.Pix[i] != now.Pix[i] {
			out.Pix[i] = now.Pix[i]
			stack = append(stack, i)
		}
	}
	for i, v := range marks.Pix {
		if v != raster.Void {
			take(i)
		}
		for len(stack) > 0 {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			x, y := j%was.Width, j/was.Width
			for _, p := range [4]image.Point{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
				if p.X >= 0 && p.Y >= 0 && p.X < was.Width && p.Y < was.Height {
					take(p.Y*was.Width + p.X)
				}
			}
		}
	}
	return out
}

// ways returns how far every pixel is from marks of a label by the shortest way, on which steps of
// color count beside those of place; in hundredths of the picture's shorter side. Four sweeps find
// it nearly.
func ways(im *raster.RGB, marks *raster.Mask, label uint8) []float32 {
	w, h := im.Width, im.Height
	unit := float32(100) / float32(min(w, h))
	d := make([]float32, w*h)
	for i, v := range marks.Pix {
		d[i] = 1e9
		if v == label {
			d[i] = 0
		}
	}
	step := func(i, j int, length float32) {
		r, g, b := float32(im.Pix[3*i])-float32(im.Pix[3*j]), float32(im.Pix[3*i+1])-float32(im.Pix[3*j+1]),
			float32(im.Pix[3*i+2])-float32(im.Pix[3*j+2])
		far := float32(math.Sqrt(float64(float32(r*r)+float32(g*g)+float32(b*b)))) / 441
		if c := d[j] + float32(length*unit) + float32(colorStep*far); c < d[i] {
			d[i] = c
		}
	}
	for range 2 {
		for _, s := range [2]int{1, -1} { // downwards, upwards
			for k := range w * h {
				i := k
				if s < 0 {
					i = w*h - 1 - k
				}
				x, y := i%w, i/w
				if x-s >= 0 && x-s < w {
					step(i, i-s, 1)
				}
				if y-s < 0 || y-s >= h {
					continue
				}
				step(i, i-s*w, 1)
				if x > 0 {
					step(i, i-s*w-1, math.Sqrt2)
				}
				if x < w-1 {
					step(i, i-s*w+1, math.Sqrt2)
				}
			}
		}
	}
	return d
}
