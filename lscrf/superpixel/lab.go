package superpixel

import (
	"math"

	"hdseg/ingest/raster"
)

// toLab returns CIELAB under D65 of an sRGB picture, interleaved like its Pix.
func toLab(img *raster.RGB) []float32 {
	lab := make([]float32, len(img.Pix))
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return (903.3*t + 16) / 116
	}
	var lin [256]float64
	for i := range lin {
		v := float64(i) / 255
		if v <= 0.04045 {
			lin[i] = v / 12.92
		} else {
			lin[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	for i := 0; i < len(lab); i += 3 {
		r, g, b := lin[img.Pix[i]], lin[img.Pix[i+1]], lin[img.Pix[i+2]]
		x := f((0.4124564*r + 0.3575761*g + 0.1804375*b) / 0.950456)
		y := f(0.2126729*r + 0.7151522*g + 0.0721750*b)
		z := f((0.0193339*r + 0.1191920*g + 0.9503041*b) / 1.088754)
		lab[i], lab[i+1], lab[i+2] = float32(116*y-16), float32(500*(x-y)), float32(200*(y-z))
	}
	return lab
}
