package pool

import "math"

// The window descriptor: histograms of oriented gradients (Dalal and Triggs, CVPR 2005) of a patch of
// patchSize x patchSize pixels in cells of cellSize, with unsigned orientations. Blocks of 2 x 2 cells
// normalize; a cell's histogram is the mean of its (up to) four normalized and clipped versions, so that it
// has hogBins values, not four times as many.
const (
	patchSize = 64
	cellSize  = 8
	cells     = patchSize / cellSize
	hogBins   = 9
	hogSize   = cells * cells * hogBins
	hogClip   = 0.2
)

// hog returns the descriptor of a patch, cell (cx, cy) at [(cy*cells+cx)*hogBins:], scaled to length 1; all
// zeros for a patch of one grey.
func hog(patch []float32) []float32 {
	var hist [hogSize]float32
	at := func(x, y int) float32 {
		return patch[min(max(y, 0), patchSize-1)*patchSize+min(max(x, 0), patchSize-1)]
	}
	for y := range patchSize {
		for x := range patchSize {
			gx, gy := at(x+1, y)-at(x-1, y), at(x, y+1)-at(x, y-1)
			mag := float32(math.Sqrt(float64(gx*gx + gy*gy)))
			if mag == 0 {
				continue
			}
			// Orientation in [0, hogBins), shared between two bins; position shared between four cells.
			angle := math.Atan2(float64(gy), float64(gx)) / math.Pi * hogBins
			if angle < 0 {
				angle += hogBins
			}
			b0 := int(angle)
			bf := float32(angle - float64(b0))
			b0 %= hogBins
			b1 := (b0 + 1) % hogBins
			cx, cy := (float32(x)+0.5)/cellSize-0.5, (float32(y)+0.5)/cellSize-0.5
			x0, y0 := int(math.Floor(float64(cx))), int(math.Floor(float64(cy)))
			fx, fy := cx-float32(x0), cy-float32(y0)
			for dy, wy := range [2]float32{1 - fy, fy} {
				for dx, wx := range [2]float32{1 - fx, fx} {
					if u, v := x0+dx, y0+dy; u >= 0 && u < cells && v >= 0 && v < cells {
						h := hist[(v*cells+u)*hogBins:]
						h[b0] += mag * wx * wy * (1 - bf)
						h[b1] += mag * wx * wy * bf
					}
				}
			}
		}
	}
	return normalizeBlocks(&hist)
}

func normalizeBlocks(hist *[hogSize]float32) []float32 {
	var energy [cells * cells]float32
	for c := range energy {
		for _, v := range hist[c*hogBins:][:hogBins] {
			energy[c] += v * v
		}
	}
	out := make([]float32, hogSize)
	for by := range cells - 1 {
		for bx := range cells - 1 {
			members := [4]int{by*cells + bx, by*cells + bx + 1, (by+1)*cells + bx, (by+1)*cells + bx + 1}
			var sum float32 = 1 // a grey-level squared keeps noise on one colour from being blown up
			for _, c := range members {
				sum += energy[c]
			}
			scale := 1 / float32(math.Sqrt(float64(sum)))
			for _, c := range members {
				for b := range hogBins {
					out[c*hogBins+b] += min(hist[c*hogBins+b]*scale, hogClip)
				}
			}
		}
	}
	// Cells at the rim are in fewer blocks: take the mean of those there are.
	var total float64
	for cy := range cells {
		for cx := range cells {
			n := float32(1)
			if cx > 0 && cx < cells-1 {
				n *= 2
			}
			if cy > 0 && cy < cells-1 {
				n *= 2
			}
			for b := range hogBins {
				v := &out[(cy*cells+cx)*hogBins+b]
				*v /= n
				total += float64(*v) * float64(*v)
			}
		}
	}
	if total > 0 {
		scale := float32(1 / math.Sqrt(total))
		for i := range out {
			out[i] *= scale
		}
	}
	return out
}
