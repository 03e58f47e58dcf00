package cut

import (
	"image"

	"hdseg/manifests/raster"
)

// A plane is a part of a picture at one scale. Pixel (x, y) is [y*w+x] of its slices.
type plane struct {
	w, h  int
	rgb   []float32 // interleaved mean colours, 0..1
	soft  []float32 // probability of figure
	fixed []uint8   // raster.Ground, raster.Figure, or raster.Void where the pixel is free
}

// newPlane copies the part r of a picture, averaging s x s pixels into one; the last row and column
// average what is left of them. A block is free if any of its pixels is, else it has its first
// pixel's label.
func newPlane(im *raster.RGB, soft []float32, fixed *raster.Mask, r image.Rectangle, s int) *plane {
	w, h := (r.Dx()+s-1)/s, (r.Dy()+s-1)/s
	p := &plane{w: w, h: h, rgb: make([]float32, 3*w*h), soft: make([]float32, w*h), fixed: make([]uint8, w*h)}
	for y := range h {
		y0 := r.Min.Y + y*s
		y1 := min(y0+s, r.Max.Y)
		for x := range w {
			x0 := r.Min.X + x*s
			x1 := min(x0+s, r.Max.X)
			var sr, sg, sb uint32
			var ss float32
			label := fixed.Pix[y0*im.Width+x0]
			for yy := y0; yy < y1; yy++ {
				row := im.Pix[3*(yy*im.Width+x0) : 3*(yy*im.Width+x1)]
				for k := 0; k+2 < len(row); k += 3 {
					sr += uint32(row[k])
					sg += uint32(row[k+1])
					sb += uint32(row[k+2])
				}
				for i := yy*im.Width + x0; i < yy*im.Width+x1; i++ {
					ss += soft[i]
					if fixed.Pix[i] == raster.Void {
						label = raster.Void
					}
				}
			}
			n := float32((y1 - y0) * (x1 - x0))
			i := y*w + x
			f := 1 / (255 * n)
			p.rgb[3*i], p.rgb[3*i+1], p.rgb[3*i+2] = float32(sr)*f, float32(sg)*f, float32(sb)*f
			p.soft[i], p.fixed[i] = ss/n, label
		}
	}
	return p
}

// freeRect returns the smallest rectangle around the Void pixels, empty if there are none.
func freeRect(fixed *raster.Mask) image.Rectangle {
	r := image.Rectangle{Min: image.Pt(fixed.Width, fixed.Height)}
	for y := range fixed.Height {
		row := fixed.Pix[y*fixed.Width:][:fixed.Width]
		for x, v := range row {
			if v == raster.Void {
				r.Min.X, r.Min.Y = min(r.Min.X, x), min(r.Min.Y, y)
				r.Max.X, r.Max.Y = max(r.Max.X, x+1), max(r.Max.Y, y+1)
			}
		}
	}
	if r.Max.X == 0 {
		return image.Rectangle{}
	}
	return r
}
