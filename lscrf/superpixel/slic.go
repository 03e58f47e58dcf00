package superpixel

import (
	"math"

	"hdseg/ingest/raster"
)

// SLIC cuts img into about o.Count superpixels by k-means in colour and position, where a
// pixel looks only at the centers less than one grid step away (Achanta et al., SLIC
// Superpixels, PAMI 2012). It panics if o is not valid.
func SLIC(img *raster.RGB, o Options) *Map {
	if err := o.Validate(); err != nil {
		panic("superpixel: " + err.Error())
	}
	w, h := img.Width, img.Height
	lab := toLab(img)
	nx, ny := grid(w, h, o.Count)
	k := nx * ny
	step := math.Sqrt(float64(w*h) / float64(k))
	spatial := float32(o.Compactness * o.Compactness / (step * step))
	type center struct{ l, a, b, x, y float32 }
	cs := make([]center, k)
	for j := range ny {
		for i := range nx {
			x, y := (2*i+1)*w/(2*nx), (2*j+1)*h/(2*ny)
			p := 3 * (y*w + x)
			cs[j*nx+i] = center{lab[p], lab[p+1], lab[p+2], float32(x), float32(y)}
		}
	}
	labels := make([]int32, w*h)
	best := make([]float32, w*h)
	for y := range h {
		for x := range w {
			labels[y*w+x] = int32(y*ny/h*nx + x*nx/w)
		}
	}
	sum := make([][6]float64, k)
	r := int(step) + 1
	for range o.Iterations {
		for i := range best {
			best[i] = math.MaxFloat32
		}
		for id, c := range cs {
			x0, x1 := max(0, int(c.x)-r), min(w, int(c.x)+r+1)
			for y := max(0, int(c.y)-r); y < min(h, int(c.y)+r+1); y++ {
				dy := float32(y) - c.y
				for x := x0; x < x1; x++ {
					i := y*w + x
					dl, da, db, dx := lab[3*i]-c.l, lab[3*i+1]-c.a, lab[3*i+2]-c.b, float32(x)-c.x
					if d := dl*dl + da*da + db*db + spatial*(dx*dx+dy*dy); d < best[i] {
						best[i], labels[i] = d, int32(id)
					}
				}
			}
		}
		clear(sum)
		for i, l := range labels {
			s := &sum[l]
			s[0] += float64(lab[3*i])
			s[1] += float64(lab[3*i+1])
			s[2] += float64(lab[3*i+2])
			s[3] += float64(i % w)
			s[4] += float64(i / w)
			s[5]++
		}
		for id, s := range sum {
			if n := s[5]; n > 0 {
				cs[id] = center{float32(s[0] / n), float32(s[1] / n), float32(s[2] / n), float32(s[3] / n), float32(s[4] / n)}
			}
		}
	}
	return connect(labels, w, h, int(step*step/4))
}

// grid returns the columns and rows of about count cells that are as square as possible,
// at most one per pixel column and row.
func grid(w, h, count int) (nx, ny int) {
	step := math.Sqrt(float64(w) * float64(h) / float64(count))
	nx = min(w, max(1, int(math.Round(float64(w)/step))))
	ny = min(h, max(1, int(math.Round(float64(h)/step))))
	return nx, ny
}
