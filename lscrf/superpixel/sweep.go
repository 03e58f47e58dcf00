package superpixel

// A border holds the superpixels while single pixels change sides.
type border struct {
	p     *planes
	on    []int32   // labels with a frame of -1 around the picture; row stride w+2
	means []center  // of the superpixels, frozen during a sweep
	size  []int32   // pixels of the superpixels, always true
	o     *sweepOpt // prices
}

type sweepOpt struct {
	spatial, smooth float32
	least           int32 // a superpixel of this size loses no more pixels
}

// sweep moves pixels at the borders of labels 0..n-1 to the neighbouring superpixel whose mean is
// nearest, o.Sweeps times over the picture, alternately from its first pixel and from its last.
// What a pixel minimizes is its squared distance to the mean, colour plus spatial times place, plus
// o.Smoothness for each of its 8 neighbours that is in another superpixel. A pixel moves only if its
// superpixel stays 4-connected without it (the moves of Yao et al., Real-time coarse-to-fine
// topologically preserving segmentation, CVPR 2015; the energy is ours).
func sweep(p *planes, labels []int32, n int, spatial float32, o Options) {
	w, h := p.w, p.h
	s := w + 2
	b := &border{p: p, on: make([]int32, s*(h+2)), means: make([]center, n), size: make([]int32, n)}
	for i := range b.on {
		b.on[i] = -1
	}
	for y := range h {
		copy(b.on[(y+1)*s+1:], labels[y*w:(y+1)*w])
	}
	b.o = &sweepOpt{spatial, float32(o.Smoothness), int32(w * h / n / 16)}
	sums := make([]sum, n)
	for k := range o.Sweeps {
		recenter(p, labels, b.means, sums)
		for i := range sums {
			b.size[i] = int32(sums[i].n)
		}
		moved := 0
		for row := range h {
			y := row
			if k%2 == 1 {
				y = h - 1 - row
			}
			moved += b.row(y, k%2 == 1)
			copy(labels[y*w:(y+1)*w], b.on[(y+1)*s+1:])
		}
		if moved == 0 {
			return
		}
	}
}

// row visits the pixels of row y, from the last if back, and returns how many moved.
func (b *border) row(y int, back bool) (moved int) {
	w := b.p.w
	s := w + 2
	up, on, down := b.on[y*s:(y+1)*s], b.on[(y+1)*s:(y+2)*s], b.on[(y+2)*s:(y+3)*s]
	x, step := 1, 1
	if back {
		x, step = w, -1
	}
	for range w {
		if l := on[x]; l != on[x-1] || l != on[x+1] || l != up[x] || l != down[x] {
			if to := b.choose(up[x-1:x+2], on[x-1:x+2], down[x-1:x+2], x-1, y); to != l {
				on[x] = to
				b.size[l]--
				b.size[to]++
				moved++
			}
		}
		x += step
	}
	return moved
}

// choose returns the best superpixel of pixel (x, y), which is the middle of the 3 x 3 labels.
func (b *border) choose(up, on, down []int32, x, y int) int32 {
	own := on[1]
	if b.size[own] <= b.o.least {
		return own
	}
	ring := [8]int32{up[0], up[1], up[2], on[2], down[2], down[1], down[0], on[0]}
	same := 0
	for k, l := range ring {
		if l == own {
			same |= 1 << k
		}
	}
	if !loose[same] {
		return own
	}
	i := y*b.p.w + x
	price := func(id int32) float32 {
		m := &b.means[id]
		l, a, c := b.p.l[i]-m.l, b.p.a[i]-m.a, b.p.b[i]-m.b
		dx, dy := float32(x)-m.x, float32(y)-m.y
		d := float32(l*l) + float32(a*a) + float32(c*c)
		d += float32(b.o.spatial * (float32(dx*dx) + float32(dy*dy)))
		with := 0
		for _, l := range ring {
			if l == id {
				with++
			}
		}
		return d - float32(b.o.smooth*float32(with))
	}
	best, least := own, price(own)
	for k := 1; k < 8; k += 2 {
		if l := ring[k]; l != own && l >= 0 && l != best {
			if d := price(l); d < least {
				best, least = l, d
			}
		}
	}
	return best
}

// loose[bits] tells whether a pixel may leave its superpixel when bit k of bits says that neighbour k of
// the ring is in it too: those of its four direct neighbours (odd k) that are must hang together
// within the ring, and there must be one.
var loose = func() (t [256]bool) {
	for bits := range t {
		at := func(k int) bool { return bits>>(k&7)&1 == 1 }
		ends := 0 // chains of neighbours in the ring; a chain goes on from k to k+2 over the corner k+1
		any := false
		for k := 1; k < 8; k += 2 {
			if at(k) {
				any = true
				if !at(k+1) || !at(k+2) {
					ends++
				}
			}
		}
		t[bits] = any && ends <= 1
	}
	return t
}()
