package web

import (
	"fmt"
	"image"

	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
)

// cutPixels is the size above which a cut runs on a shrunk picture: so many take about half a
// second.
const cutPixels = 500_000

// A cutRequest asks for a figure.
type cutRequest struct {
	// xMin, yMin, xMax, yMax, half-open: outside all is ground; none: the whole picture
	Box   []int `json:"box"`
	Marks *Runs `json:"marks"` // scribbles: 0 ground, 1 figure, 255 open
	Mask  *Runs `json:"mask"`  // where the figure was so far, a hint; nil for none
}

// rect returns the box inside a picture.
func (q *cutRequest) rect(width, height int) (image.Rectangle, error) {
	all := image.Rect(0, 0, width, height)
	if len(q.Box) == 0 {
		return all, nil
	}
	if len(q.Box) != 4 {
		return all, fmt.Errorf("box: got %d numbers, want 4", len(q.Box))
	}
	r := image.Rectangle{image.Pt(q.Box[0], q.Box[1]), image.Pt(q.Box[2], q.Box[3])}.Intersect(all)
	if r.Dx() < 4 || r.Dy() < 4 {
		return all, fmt.Errorf("box: want at least 4 x 4 pixels inside the picture")
	}
	return r, nil
}

// Prior probabilities of figure inside the box, before colours are known, by how far a pixel lies
// from the box's middle and by what the mask was so far (ours).
const (
	priorMiddle = 0.85
	priorEdge   = 0.35
	priorWas    = 0.8
	priorWasNot = 0.25
)

// Cut separates the figure in a box, with scribbles and an earlier mask as hints (both may be nil):
// a cut as transfer makes it, on the box and a margin around it, shrunk if that is large.
func Cut(im *raster.RGB, box image.Rectangle, marks, hint *raster.Mask) *raster.Mask {
	view := box.Inset(-max(box.Dx(), box.Dy()) / 5).Intersect(image.Rect(0, 0, im.Width, im.Height))
	part := im.Crop(view.Min.X, view.Min.Y, view.Max.X, view.Max.Y)
	small := shrink(part, cutPixels)
	soft := make([]float32, small.Width*small.Height)
	fixed := raster.NewMask(small.Width, small.Height)
	for y := range small.Height {
		for x := range small.Width {
			i := y*small.Width + x
			p := image.Pt(view.Min.X+(2*x+1)*part.Width/(2*small.Width), view.Min.Y+(2*y+1)*part.Height/(2*small.Height))
			if !p.In(box) {
				continue // ground
			}
			fixed.Pix[i] = raster.Void
			soft[i] = prior(p, box)
			if hint != nil {
				soft[i] = priorWasNot
				if hint.At(p.X, p.Y) == raster.Figure {
					soft[i] = priorWas
				}
			}
		}
	}
	if marks != nil {
		mark(fixed, soft, marks, view)
	}
	res := cut.Segment(small, soft, fixed, cut.Defaults())
	out := raster.NewMask(im.Width, im.Height)
	back := res.Mask
	if small != part {
		back = raster.ResizeNearest(res.Mask, part.Width, part.Height)
	}
	for y := range back.Height {
		copy(out.Pix[(view.Min.Y+y)*im.Width+view.Min.X:], back.Pix[y*back.Width:(y+1)*back.Width])
	}
	return out
}

// prior falls from the middle of the box to its border.
func prior(p image.Point, box image.Rectangle) float32 {
	dx := float32(2*p.X-box.Min.X-box.Max.X) / float32(box.Dx())
	dy := float32(2*p.Y-box.Min.Y-box.Max.Y) / float32(box.Dy())
	return priorMiddle - float32((priorMiddle-priorEdge)*min(1, max(dx*dx, dy*dy)))
}

// mark fixes what was scribbled: every marked pixel of the picture fixes the pixel of the shrunk
// part that it lies in.
func mark(fixed *raster.Mask, soft []float32, marks *raster.Mask, view image.Rectangle) {
	for y := view.Min.Y; y < view.Max.Y; y++ {
		for x := view.Min.X; x < view.Max.X; x++ {
			if v := marks.At(x, y); v != raster.Void {
				i := (y-view.Min.Y)*fixed.Height/view.Dy()*fixed.Width + (x-view.Min.X)*fixed.Width/view.Dx()
				fixed.Pix[i] = v
				soft[i] = float32(v)
			}
		}
	}
}
