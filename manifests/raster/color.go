package raster

import "hdseg/manifests/arith"

// The constants of CIELAB as SLIC's reference code has them (method facts 4.1): sRGB primaries,
// white point D65.
const (
	whiteX, whiteZ = 0.950456, 1.088754
	labEpsilon     = 0.008856
	labKappa       = 903.3
)

// Lab returns the picture in CIELAB, interleaved: L (0..100), a, b (about -110..110) of pixel (x,
// y) at [3*(y*Width+x)]. Values differ from the float64 formula by less than 0.002. Cost: about 10
// ns a pixel.
func Lab(m *RGB) []float32 {
	out := make([]float32, len(m.Pix))
	LabTo(out, m.Pix)
	return out
}

// LabTo converts interleaved 8-bit sRGB to CIELAB; len(dst) = len(rgb).
func LabTo(dst []float32, rgb []uint8) {
	dst = dst[:len(rgb)]
	for i := 0; i+2 < len(rgb); i += 3 {
		p := rgb[i : i+3 : i+3]
		r, g, b := linear[p[0]], linear[p[1]], linear[p[2]]
		fx := labF(float32(float32(0.4124564/whiteX)*r) + float32(float32(0.3575761/whiteX)*g) + float32(float32(0.1804375/whiteX)*b))
		fy := labF(float32(0.2126729*r) + float32(0.7151522*g) + float32(0.0721750*b))
		fz := labF(float32(float32(0.0193339/whiteZ)*r) + float32(float32(0.1191920/whiteZ)*g) + float32(float32(0.9503041/whiteZ)*b))
		d := dst[i : i+3 : i+3]
		d[0] = float32(116*fy) - 16
		d[1] = 500 * (fx - fy)
		d[2] = 200 * (fy - fz)
	}
}

// labCells is a power of two: fine enough that linear interpolation of a cube root errs by about
// 1e-6 where it is steepest.
const labCells = 8192

var (
	linear  [256]float32          // sRGB byte to linear light, 0..1
	cubeLab [labCells + 2]float32 // CIELAB's f(i/labCells)
)

func init() {
	for i := range linear {
		linear[i] = float32(srgbToLinear(float64(i) / 255))
	}
	for i := range cubeLab {
		cubeLab[i] = float32(labFunc(float64(i) / labCells))
	}
}

// labF interpolates f, CIELAB's cube root with a linear foot. t is 0..1, give or take rounding.
func labF(t float32) float32 {
	s := float32(t * labCells)
	i := int(s)
	i = min(i, labCells)
	lo := cubeLab[i]
	return lo + float32((s-float32(i))*(cubeLab[i+1]-lo))
}

func srgbToLinear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return arith.Pow((v+0.055)/1.055, 2.4)
}

func labFunc(t float64) float64 {
	if t > labEpsilon {
		return arith.Pow(t, 1.0/3)
	}
	return (float64(labKappa*t) + 16) / 116
}

// Gray returns the luma 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601) of every pixel, 0..255, index
// y*Width+x.
func Gray(m *RGB) []float32 {
	out := make([]float32, m.Width*m.Height)
	for i := range out {
		p := m.Pix[3*i : 3*i+3 : 3*i+3]
		out[i] = float32(0.299*float32(p[0])) + float32(0.587*float32(p[1])) + float32(0.114*float32(p[2]))
	}
	return out
}
