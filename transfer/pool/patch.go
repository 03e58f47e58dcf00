package pool

import (
	"image"
	"math"

	"hdseg/manifests/raster"
)

// sample is the share that one source pixel has in a target pixel, along one axis.
type sample struct {
	at     int
	weight float32
}

// axis returns for each of n target cells, which divide [lo, hi) evenly, the source pixels
// 0..size-1 that it covers and their shares (sum 1). Where the interval leaves the picture the
// border pixel is repeated. A cell narrower than a pixel interpolates between the two nearest pixel
// centres.
func axis(lo, hi float64, size, n int) [][]sample {
	out := make([][]sample, n)
	step := (hi - lo) / float64(n)
	clamp := func(i int) int { return min(max(i, 0), size-1) }
	for k := range out {
		a, b := lo+float64(float64(k)*step), lo+float64(float64(k+1)*step)
		if step < 1 {
			c := float64((a+b)/2) - 0.5
			f := math.Floor(c)
			out[k] = []sample{{clamp(int(f)), float32(1 - (c - f))}, {clamp(int(f) + 1), float32(c - f)}}
			continue
		}
		for i := int(math.Floor(a)); float64(i) < b; i++ {
			if w := min(b, float64(i+1)) - max(a, float64(i)); w > 0 {
				out[k] = append(out[k], sample{clamp(i), float32(w / step)})
			}
		}
	}
	return out
}

// grow returns the real-valued interval of a window's side grown by margin times its length at both
// ends.
func grow(lo, hi int, margin float64) (float64, float64) {
	m := float64(margin * float64(hi-lo))
	return float64(lo) - m, float64(hi) + m
}

// colorPatch returns a window, grown by margin, as an interleaved RGB picture (0..255) of size x
// size pixels that are area means. The window's shape is not kept.
func colorPatch(im *raster.RGB, r image.Rectangle, margin float64, size int) []float32 {
	x0, x1 := grow(r.Min.X, r.Max.X, margin)
	y0, y1 := grow(r.Min.Y, r.Max.Y, margin)
	xs, ys := axis(x0, x1, im.Width, size), axis(y0, y1, im.Height, size)
	out := make([]float32, 3*size*size)
	for y, rows := range ys {
		for x, cols := range xs {
			var r, g, b float32
			for _, v := range rows {
				for _, u := range cols {
					p := im.Pix[3*(v.at*im.Width+u.at):]
					w := v.weight * u.weight
					r += float32(w * float32(p[0]))
					g += float32(w * float32(p[1]))
					b += float32(w * float32(p[2]))
				}
			}
			o := out[3*(y*size+x):]
			o[0], o[1], o[2] = r, g, b
		}
	}
	return out
}

// maskPatch returns the share of figure in each cell of a size x size grid over the window, 0..255;
// a void pixel counts as half.
func maskPatch(m *raster.Mask, r image.Rectangle, size int) []uint8 {
	xs := axis(float64(r.Min.X), float64(r.Max.X), m.Width, size)
	ys := axis(float64(r.Min.Y), float64(r.Max.Y), m.Height, size)
	out := make([]uint8, size*size)
	for y, rows := range ys {
		for x, cols := range xs {
			var sum float32
			for _, v := range rows {
				for _, u := range cols {
					switch m.Pix[v.at*m.Width+u.at] {
					case raster.Figure:
						sum += float32(v.weight * u.weight)
					case raster.Void:
						sum += float32(v.weight * u.weight / 2)
					}
				}
			}
			out[y*size+x] = uint8(float32(255*min(sum, 1)) + 0.5)
		}
	}
	return out
}

// mirrored returns a size x size picture of interleaved channels with left and right exchanged.
func mirrored[T any](p []T, size int) []T {
	out := make([]T, len(p))
	c := len(p) / (size * size)
	for y := range size {
		for x := range size {
			copy(out[(y*size+x)*c:][:c], p[(y*size+size-1-x)*c:])
		}
	}
	return out
}
