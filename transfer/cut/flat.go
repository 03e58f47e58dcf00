package cut

import (
	"image"
	"math"

	"hdseg/manifests/raster"
)

const (
	// of 0..255; between one colour's JPEG noise (about 1) and the flattest of VOC's objects (5.7;
	// of whole pictures 14.6, of box images' boxes 17.9)
	flatLevels  = 3
	flatSamples = 5000 // about how many pixels are asked; more change no digit that matters
)

// Flat tells whether the part r of a picture, not empty, has one colour or a smooth change of it,
// so that nothing there divides a figure from ground: no channel's standard deviation from its best
// surface of second degree reaches flatLevels. A part of 2 x 2 pixels or of three in a row always
// fits its surface.
func Flat(im *raster.RGB, r image.Rectangle) bool {
	step := max(1, int(math.Sqrt(float64(r.Dx()*r.Dy())/flatSamples)))
	us, vs := centered((r.Dx()+step-1)/step), centered((r.Dy()+step-1)/step)
	uu, vv := meanSquare(us), meanSquare(vs)
	// 1, u, v, uv, u²-mean u² and v²-mean v² are orthogonal on the grid: each takes its share out
	// of the colours by itself.
	var norm [6]float64
	var inner [6][3]float64
	var rest [3]float64
	for k, v := range vs {
		for j, u := range us {
			cr, cg, cb := im.At(r.Min.X+j*step, r.Min.Y+k*step)
			c := [3]float64{float64(cr), float64(cg), float64(cb)}
			for t, f := range [6]float64{1, u, v, u * v, float64(u*u) - uu, float64(v*v) - vv} {
				norm[t] += float64(f * f)
				for i := range c {
					inner[t][i] += float64(f * c[i])
				}
			}
			for i := range c {
				rest[i] += float64(c[i] * c[i])
			}
		}
	}
	n := float64(len(us) * len(vs))
	for i := range rest {
		for t := range norm {
			if norm[t] > 1e-9 { // 0 of a side too short for it
				rest[i] -= inner[t][i] * inner[t][i] / norm[t]
			}
		}
		if rest[i] >= flatLevels*flatLevels*n {
			return false
		}
	}
	return true
}

// centered returns n steps of 1 around 0.
func centered(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i) - float64(float64(n-1)/2)
	}
	return out
}

func meanSquare(v []float64) (m float64) {
	for _, x := range v {
		m += x * x / float64(len(v))
	}
	return m
}
