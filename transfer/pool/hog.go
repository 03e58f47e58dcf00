package pool

import (
	"math"

	"hdseg/manifests/arith"
)

// The default descriptor of a window's look: histograms of oriented gradients (Dalal and Triggs,
// "Histograms of oriented gradients for human detection", CVPR 2005) of a patch of patchSize x
// patchSize pixels: cells of cellSize with hogBins unsigned orientations, and overlapping blocks of
// 2 x 2 cells, each normalized, clipped and normalized again. A pixel's gradient is that of the
// colour channel where it is largest.
const (
	patchSize = 64
	cellSize  = 8
	cells     = patchSize / cellSize
	hogBins   = 9
	blocks    = cells - 1
	blockSize = 4 * hogBins
	hogSize   = blocks * blocks * blockSize
	hogClip   = 0.2
	// added to a block's squared length: noise of a grey level or so on one colour is not blown up
	blockFloor = 36
)

// hog returns the descriptor of an RGB patch (0..255, interleaved), block (bx, by) at
// [(by*blocks+bx)*blockSize:], scaled to length 1; all zeros for a patch of one colour.
func hog(patch []float32) []float32 {
	var hist [cells * cells * hogBins]float32
	for y := range patchSize {
		for x := range patchSize {
			gx, gy, mag := gradient(patch, x, y)
			if mag == 0 {
				continue
			}
			// Orientation in [0, hogBins), shared between two bins; position shared between four
			// cells.
			angle := float64(arith.Atan2(float64(gy), float64(gx)) / math.Pi * hogBins)
			if angle < 0 {
				angle += hogBins
			}
			b0 := int(angle)
			bf := float32(angle - float64(b0))
			b0 %= hogBins
			b1 := (b0 + 1) % hogBins
			cx, cy := float32((float32(x)+0.5)/cellSize)-0.5, float32((float32(y)+0.5)/cellSize)-0.5
			x0, y0 := int(math.Floor(float64(cx))), int(math.Floor(float64(cy)))
			fx, fy := cx-float32(x0), cy-float32(y0)
			for dy, wy := range [2]float32{1 - fy, fy} {
				for dx, wx := range [2]float32{1 - fx, fx} {
					if u, v := x0+dx, y0+dy; u >= 0 && u < cells && v >= 0 && v < cells {
						h := hist[(v*cells+u)*hogBins:]
						h[b0] += float32(mag * wx * wy * (1 - bf))
						h[b1] += float32(mag * wx * wy * bf)
					}
				}
			}
		}
	}
	out := make([]float32, hogSize)
	for by := range blocks {
		for bx := range blocks {
			b := out[(by*blocks+bx)*blockSize:][:blockSize]
			copy(b, hist[(by*cells+bx)*hogBins:][:2*hogBins])
			copy(b[2*hogBins:], hist[((by+1)*cells+bx)*hogBins:][:2*hogBins])
			scale(b, blockFloor)
			for i := range b {
				b[i] = min(b[i], hogClip)
			}
			scale(b, 1e-6)
		}
	}
	scale(out, 0)
	return out
}

// gradient returns the central differences at a pixel, in the channel where they are largest, and
// their length.
func gradient(patch []float32, x, y int) (gx, gy, mag float32) {
	left, right := 3*(y*patchSize+max(x-1, 0)), 3*(y*patchSize+min(x+1, patchSize-1))
	up, down := 3*(max(y-1, 0)*patchSize+x), 3*(min(y+1, patchSize-1)*patchSize+x)
	for c := range 3 {
		a, b := patch[right+c]-patch[left+c], patch[down+c]-patch[up+c]
		if m := float32(a*a) + float32(b*b); m > mag {
			gx, gy, mag = a, b, m
		}
	}
	return gx, gy, float32(math.Sqrt(float64(mag)))
}

// scale divides v by the root of its squared length plus floor; zeros stay.
func scale(v []float32, floor float64) {
	for _, x := range v {
		floor += float64(float64(x) * float64(x))
	}
	if floor == 0 {
		return
	}
	f := float32(1 / math.Sqrt(floor))
	for i := range v {
		v[i] *= f
	}
}
