package feature

import "math"

// An orient is the gradient of one pixel, spread linearly over the two nearest of 8
// orientations, 45 degrees apart: magnitude lo at orientation at and hi at at+1 (modulo 8).
type orient struct {
	lo, hi float32
	at     int32
}

// orientRowGeneric computes the gradients (right minus left, below minus above) of a row: pixel x
// is on[x+1], between on[x] and on[x+2] and between up[x+1] and down[x+1]. Orientation 0 is along
// +x, orientation 2 along +y, which is down. Every operation is rounded to float32, so that kernels
// agree.
func orientRowGeneric(dst []orient, up, on, down []float32) {
	for x := range dst {
		gx, gy := on[x+2]-on[x], down[x+1]-up[x+1]
		m := float32(math.Sqrt(float64(float32(gx*gx) + float32(gy*gy))))
		ax, ay := abs(gx), abs(gy)
		t := min(ax, ay) / max(ax, ay, tiny)
		a := octant(t)
		if ay > ax {
			a = 2 - a
		}
		if gx < 0 {
			a = 4 - a
		}
		if gy < 0 {
			a = 8 - a
		}
		at := int32(a)
		lo := 1 - (a - float32(at))
		hi := 1 - (float32(at+1) - a)
		dst[x] = orient{float32(lo * m), float32(hi * m), at & 7}
	}
}

// tiny keeps 0/0 away where there is no gradient.
const tiny = 1e-30

// octantPoly approximates atan(t)/45 degrees for t = 0..1 by t*P(t*t) within 2.2e-6 (least squares,
// reweighted towards the smallest maximum).
var octantPoly = [6]float32{1.27321054, -0.423508539, 0.246423262, -0.148238801, 0.0670326865, -0.014921265}

func octant(t float32) float32 {
	u := float32(t * t)
	p := octantPoly[5]
	for k := 4; k >= 0; k-- {
		p = float32(p*u) + octantPoly[k]
	}
	return float32(p * t)
}

func abs(v float32) float32 {
	return math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
}
