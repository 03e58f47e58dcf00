package feature

import "math"

// sift writes the 128 values of the upright descriptor at pixel (cx, cy) to out: entry
// (4*row + column)*8 + orientation, orientation o about the angle o*45 degrees from x
// towards y (Lowe, IJCV 60(2), 2004, section 6).
func sift(out []float32, gray []float32, w, h, cx, cy int, o Options) {
	bin := float64(o.SIFTBin)
	var hist [128]float64
	r := int(2.5 * bin)
	at := func(x, y int) float64 { return float64(gray[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)]) }
	for dy := -r; dy <= r; dy++ {
		for dx := -r; dx <= r; dx++ {
			u, v := float64(dx)/bin, float64(dy)/bin
			x, y := cx+dx, cy+dy
			gx, gy := at(x+1, y)-at(x-1, y), at(x, y+1)-at(x, y-1)
			m := math.Hypot(gx, gy) * math.Exp(-(u*u+v*v)/8) // sigma: half of the four bins
			a := math.Atan2(gy, gx) / (math.Pi / 4)
			if a < 0 {
				a += 8
			}
			bx, by := math.Floor(u+1.5), math.Floor(v+1.5)
			fx, fy, ba := u+1.5-bx, v+1.5-by, math.Floor(a)
			fa := a - ba
			for j, wy := range [2]float64{1 - fy, fy} {
				for i, wx := range [2]float64{1 - fx, fx} {
					row, col := int(by)+j, int(bx)+i
					if row < 0 || row > 3 || col < 0 || col > 3 {
						continue
					}
					c := (4*row + col) * 8
					hist[c+int(ba)%8] += m * wx * wy * (1 - fa)
					hist[c+(int(ba)+1)%8] += m * wx * wy * fa
				}
			}
		}
	}
	norm := func() float64 {
		s := 0.0
		for _, v := range hist {
			s += v * v
		}
		return math.Sqrt(s)
	}
	clear(out[:128])
	n := norm()
	if n == 0 {
		return
	}
	for i, v := range hist {
		hist[i] = min(v/n, 0.2)
	}
	n = norm()
	sum := 0.0
	for i, v := range hist {
		hist[i] = v / n
		sum += v / n
	}
	for i, v := range hist {
		if o.SIFTRange == RangeA {
			out[i] = float32(math.Sqrt(math.Min(255, math.Floor(512*v))))
		} else {
			out[i] = float32(16 * math.Sqrt(v/sum))
		}
	}
}
