package cut

import (
	"image"

	"hdseg/manifests/raster"
)

// refine cuts again, at full size, the free pixels that lie within bandPx shrunk pixels of the
// border of a labeling that was found s times smaller and pasted into res.Mask. The colour models
// stay.
func refine(im *raster.RGB, soft []float32, fixed *raster.Mask, free image.Rectangle, s int, res *Result, o Options) {
	if res.Figure == nil || res.Ground == nil {
		return
	}
	r := free.Inset(-1).Intersect(image.Rect(0, 0, im.Width, im.Height))
	band := &raster.Mask{Pix: append([]uint8(nil), res.Mask.Pix...), Width: im.Width, Height: im.Height}
	near := nearBorder(res.Mask, r, bandPx*s)
	any := false
	for y := free.Min.Y; y < free.Max.Y; y++ {
		for x := free.Min.X; x < free.Max.X; x++ {
			if fixed.Pix[y*im.Width+x] == raster.Void && near[(y-r.Min.Y)*r.Dx()+x-r.Min.X] {
				band.Pix[y*im.Width+x] = raster.Void
				any = true
			}
		}
	}
	if !any {
		return
	}
	p := newPlane(im, soft, band, r, 1)
	labels := make([]uint8, r.Dx()*r.Dy())
	newEnergy(p, o).cut(res.Figure, res.Ground, labels)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if i := y*im.Width + x; band.Pix[i] == raster.Void {
				res.Mask.Pix[i] = labels[(y-r.Min.Y)*r.Dx()+x-r.Min.X]
			}
		}
	}
}

// nearBorder marks the pixels of r that have one of another label within a square of the given half
// side, in two passes of running counts.
func nearBorder(m *raster.Mask, r image.Rectangle, half int) []bool {
	w, h := r.Dx(), r.Dy()
	at := func(x, y int) uint8 { return m.Pix[(r.Min.Y+y)*m.Width+r.Min.X+x] }
	// rows[y*w+x]: bit 0 if a ground pixel, bit 1 if a figure pixel lies within half columns.
	rows := make([]uint8, w*h)
	var count [2]int
	mark := func(v uint8, by int) { count[v&1] += by }
	bits := func() (b uint8) {
		if count[0] > 0 {
			b = 1
		}
		if count[1] > 0 {
			b |= 2
		}
		return b
	}
	for y := range h {
		count = [2]int{}
		for x := -half; x < w; x++ {
			if x+half < w {
				mark(at(x+half, y), 1)
			}
			if x-half-1 >= 0 {
				mark(at(x-half-1, y), -1)
			}
			if x >= 0 {
				rows[y*w+x] = bits()
			}
		}
	}
	out := make([]bool, w*h)
	ground, figure := make([]int, w), make([]int, w)
	add := func(y, by int) {
		for x, b := range rows[y*w : y*w+w] {
			ground[x] += by * int(b&1)
			figure[x] += by * int(b>>1)
		}
	}
	for y := -half; y < h; y++ {
		if y+half < h {
			add(y+half, 1)
		}
		if y-half-1 >= 0 {
			add(y-half-1, -1)
		}
		if y >= 0 {
			for x := range w {
				out[y*w+x] = ground[x] > 0 && figure[x] > 0
			}
		}
	}
	return out
}
