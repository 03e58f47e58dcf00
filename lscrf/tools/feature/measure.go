package feature

import (
	"math"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// A region is what one pass over the pixels tells about a superpixel.
type region struct {
	size, perimeter float64    // pixels; pairs of 4-neighbors that leave it inside the picture
	x, y            float64    // mean of (pixel + 1/2) / size of the picture, 0..1
	lab, spread     [3]float64 // mean and standard deviation of CIELAB
	gradient        float64    // mean length of the gradient of lightness, units per 2 pixels
	border          [4]float64 // pixels on the picture's left, upper, right and lower border
	width, height   float64    // of its bounding box, pixels
}

// bordering returns the number of its pixels on the picture's border, a corner counting twice.
func (r *region) bordering() float64 { return r.border[0] + r.border[1] + r.border[2] + r.border[3] }

// contrast returns the distance of two mean colors.
func contrast(a, b *region) float64 {
	l, p, q := a.lab[0]-b.lab[0], a.lab[1]-b.lab[1], a.lab[2]-b.lab[2]
	return math.Sqrt(float64(l*l) + float64(p*p) + float64(q*q))
}

// regionsOf measures all superpixels.
func regionsOf(img *raster.RGB, sp *superpixel.Map) []region {
	w, h := img.Width, img.Height
	lab := raster.Lab(img)
	out := make([]region, sp.N)
	type box struct{ x0, y0, x1, y1 int }
	boxes := make([]box, sp.N)
	for i := range boxes {
		boxes[i] = box{w, h, -1, -1}
	}
	for y := range h {
		above, below := max(y-1, 0)*w, min(y+1, h-1)*w
		for x := range w {
			i := y*w + x
			l := sp.Labels[i]
			r, b := &out[l], &boxes[l]
			r.size++
			r.x += float64(x)
			r.y += float64(y)
			b.x0, b.y0, b.x1, b.y1 = min(b.x0, x), min(b.y0, y), max(b.x1, x), max(b.y1, y)
			for c := range 3 {
				v := float64(lab[3*i+c])
				r.lab[c] += v
				r.spread[c] += float64(v * v)
			}
			dx := float64(lab[3*(y*w+min(x+1, w-1))] - lab[3*(y*w+max(x-1, 0))])
			dy := float64(lab[3*(below+x)] - lab[3*(above+x)])
			r.gradient += math.Sqrt(float64(dx*dx) + float64(dy*dy))
			if x+1 < w && sp.Labels[i+1] != l {
				r.perimeter++
				out[sp.Labels[i+1]].perimeter++
			}
			if y+1 < h && sp.Labels[i+w] != l {
				r.perimeter++
				out[sp.Labels[i+w]].perimeter++
			}
			for side, on := range [4]bool{x == 0, y == 0, x == w-1, y == h-1} {
				if on {
					r.border[side]++
				}
			}
		}
	}
	for i := range out {
		r, b := &out[i], &boxes[i]
		r.x = (r.x/r.size + 0.5) / float64(w)
		r.y = (r.y/r.size + 0.5) / float64(h)
		r.gradient /= r.size
		for c := range 3 {
			r.lab[c] /= r.size
			r.spread[c] = math.Sqrt(max(0, r.spread[c]/r.size-float64(r.lab[c]*r.lab[c])))
		}
		r.width, r.height = float64(b.x1-b.x0+1), float64(b.y1-b.y0+1)
	}
	return out
}
