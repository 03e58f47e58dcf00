package superpixel

import "math"

// A window is the part of a picture that one center looks at, and what it finds there:
// best[y*w+x] is the squared distance of a pixel to the nearest center so far, labels its id.
type window struct {
	p       *planes
	best    []float32
	labels  []int32
	spatial float32   // weight of a squared pixel distance
	reach   int       // of the window on each side of the center's pixel
	across  []float32 // spatial*dx*dx of the window's columns
}

func newWindow(p *planes, best []float32, labels []int32, step float64, spatial float32) *window {
	reach := int(math.Ceil(step))
	if step < 8 {
		reach = int(math.Ceil(1.5 * step)) // as SLIC's reference code does for small cells
	}
	return &window{p, best, labels, spatial, reach, make([]float32, 2*reach+1)}
}

// assign gives the pixels of the window around c that are nearer to c than to every center
// before it to id.
func (v *window) assign(c center, id int32) {
	w := v.p.w
	cx, cy := int(c.x+0.5), int(c.y+0.5)
	x0, x1 := max(0, cx-v.reach), min(w, cx+v.reach+1)
	y0, y1 := max(0, cy-v.reach), min(v.p.h, cy+v.reach+1)
	across := v.across[:x1-x0]
	for i := range across {
		dx := float32(x0+i) - c.x
		across[i] = float32(v.spatial*dx) * dx
	}
	for y := y0; y < y1; y++ {
		dy := float32(y) - c.y
		lo, hi := y*w+x0, y*w+x1
		assignRow(v.best[lo:hi], v.labels[lo:hi], v.p.l[lo:hi], v.p.a[lo:hi], v.p.b[lo:hi], across, c, float32(v.spatial*dy)*dy, id)
	}
}

// assignRowGeneric does the pixels of one row: d = ((dl*dl + da*da) + db*db) + (across + down), rounded to float32
// after every operation (the conversions forbid fused ones), and the pixel changes hands if d is less than best.
func assignRowGeneric(best []float32, labels []int32, l, a, b, across []float32, c center, down float32, id int32) {
	n := len(best)
	labels, l, a, b, across = labels[:n], l[:n], a[:n], b[:n], across[:n]
	for i, least := range best {
		dl, da, db := l[i]-c.l, a[i]-c.a, b[i]-c.b
		d := float32(dl*dl) + float32(da*da)
		d += float32(db * db)
		d += across[i] + down
		if d < least {
			best[i], labels[i] = d, id
		}
	}
}
