package superpixel

import "math"

//go:generate go run hdseg/lscrf/tools/superpixel/internal/gen -out asm_amd64.s

// A window is the part of a picture that one center looks at, and what it finds there:
// best[y*w+x] is the squared distance of a pixel to the nearest center so far, labels its id.
type window struct {
	p       *planes
	best    []float32
	labels  []int32
	spatial float32   // weight of a squared pixel distance
	reach   int       // of the window on each side of the center's pixel
	across  []float32 // spatial*dx*dx of the window's columns
	down    []float32 // spatial*dy*dy of its rows
}

func newWindow(p *planes, best []float32, labels []int32, step float64, spatial float32) *window {
	reach := int(math.Ceil(step))
	if step < 8 {
		reach = int(math.Ceil(1.5 * step)) // as SLIC's reference code does for small cells
	}
	return &window{p, best, labels, spatial, reach, make([]float32, 2*reach+1), make([]float32, 2*reach+1)}
}

// assign gives the pixels of the window around c that are nearer to c than to every center
// before it to id.
func (v *window) assign(c *center, id int32) {
	w := v.p.w
	x0, across := v.squares(v.across, c.x, w)
	y0, down := v.squares(v.down, c.y, v.p.h)
	i := y0*w + x0
	assign(v.best[i:], v.labels[i:], v.p.l[i:], v.p.a[i:], v.p.b[i:], w, across, down, c, id)
}

// squares returns the weighted squared distances of pixels near c, those from+0, from+1, ... of
// 0..size-1.
func (v *window) squares(buf []float32, c float32, size int) (from int, d []float32) {
	mid := int(c + 0.5)
	from = max(0, mid-v.reach)
	d = buf[:min(size, mid+v.reach+1)-from]
	for i := range d {
		t := float32(from+i) - c
		d[i] = float32(v.spatial*t) * t
	}
	return from, d
}

// assignGeneric visits len(down) rows of len(across) pixels; rows are stride apart. The distance to
// the mean is d = ((dl*dl + da*da) + db*db) + (across + down), rounded to float32 after every
// operation (the conversions forbid fused ones), and a pixel changes hands if d is less than best:
// of equally near centers the one of lower id keeps it.
func assignGeneric(best []float32, labels []int32, l, a, b []float32, stride int, across, down []float32, mean *center, id int32) {
	n := len(across)
	for y, dy := range down {
		o := y * stride
		best, labels, l, a, b := best[o:o+n], labels[o:o+n], l[o:o+n], a[o:o+n], b[o:o+n]
		for i, dx := range across {
			dl, da, db := l[i]-mean.l, a[i]-mean.a, b[i]-mean.b
			d := float32(dl*dl) + float32(da*da)
			d += float32(db * db)
			d += dx + dy
			if d < best[i] {
				best[i], labels[i] = d, id
			}
		}
	}
}
