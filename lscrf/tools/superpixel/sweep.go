package superpixel

import "math/bits"

// A border holds the superpixels while single pixels change sides.
type border struct {
	p      *planes
	stride int      // of a row in on and look: w+2
	on     []int32  // labels with a frame of -1 around the picture
	look   []uint8  // the last sweep that a pixel is worth a visit in, as framed
	sums   []sum    // of the superpixels, always true
	means  []center // of the superpixels at the sweep's start

	spatial, smooth float32
	least           float64 // a superpixel of this size loses no more pixels
}

// sweep moves pixels at the borders of labels 0..n-1 to the neighbouring superpixel that suits them
// best, in o.sweeps passes over the picture, alternately from its first pixel and from its last.
// sums are the labels', and are kept up.
//
// A pixel minimizes its squared distance to the mean, colour plus spatial times place, plus
// o.smoothness for each of its 8 neighbours that is in another superpixel. It moves only if its
// superpixel stays 4-connected without it. (Such moves are those of Yao et al., Real-time
// coarse-to-fine topologically preserving segmentation, CVPR 2015; the energy is ours.) After the
// first pass only pixels beside one that moved are looked at.
func sweep(p *planes, labels []int32, sums []sum, spatial float32, o Options) {
	w, h := p.w, p.h
	s := w + 2
	b := &border{
		p: p, stride: s, on: make([]int32, s*(h+2)), look: make([]uint8, s*(h+2)),
		sums: sums, means: make([]center, len(sums)),
		spatial: spatial, smooth: float32(o.smoothness), least: float64(w*h/len(sums)) / 16,
	}
	for i := range b.on {
		b.on[i] = -1
	}
	for y := range h {
		copy(b.on[(y+1)*s+1:], labels[y*w:(y+1)*w])
	}
	for k := range uint8(o.sweeps) {
		for i := range sums {
			b.means[i] = sums[i].mean()
		}
		moved := 0
		for i := range h {
			if k%2 == 0 {
				moved += b.row(i, k)
			} else {
				moved += b.rowBack(h-1-i, k)
			}
		}
		if moved == 0 {
			break
		}
	}
	for y := range h {
		copy(labels[y*w:(y+1)*w], b.on[(y+1)*s+1:])
	}
}

// row visits the pixels of row y in sweep k and returns how many moved.
func (b *border) row(y int, k uint8) (moved int) {
	first := (y+1)*b.stride + 1
	look, on := b.look[first:first+b.p.w], b.on[first-1:first+b.p.w+1]
	up, down := b.on[first-b.stride:first], b.on[first+b.stride:]
	up, down = up[:len(look)], down[:len(look)]
	for x, until := range look {
		l := on[x+1]
		if border := (l ^ on[x]) | (l ^ on[x+2]) | (l ^ up[x]) | (l ^ down[x]); border != 0 && until >= k && b.visit(x, y, k) {
			moved++
		}
	}
	return moved
}

// rowBack is row from the last pixel to the first.
func (b *border) rowBack(y int, k uint8) (moved int) {
	first := (y+1)*b.stride + 1
	look := b.look[first : first+b.p.w]
	for x := len(look) - 1; x >= 0; x-- {
		if look[x] >= k && b.visit(x, y, k) {
			moved++
		}
	}
	return moved
}

// visit moves pixel (x, y) if that is allowed and of use, and tells whether it did.
func (b *border) visit(x, y int, k uint8) bool {
	s := b.stride
	q := y*s + x // the upper left of the 3 x 3
	up, on, down := (*[3]int32)(b.on[q:]), (*[3]int32)(b.on[q+s:]), (*[3]int32)(b.on[q+2*s:])
	own := on[1]
	ring := alike(up, on, down, own)
	if !loose[ring] || b.sums[own].n <= b.least {
		return false
	}
	best, least := own, b.price(own, x, y)-float32(b.smooth*float32(bits.OnesCount8(ring)))
	for _, id := range [4]int32{up[1], on[2], down[1], on[0]} {
		if id == own || id < 0 || id == best {
			continue
		}
		with := bits.OnesCount8(alike(up, on, down, id))
		if d := b.price(id, x, y) - float32(b.smooth*float32(with)); d < least {
			best, least = id, d
		}
	}
	if best == own {
		return false
	}
	on[1] = best
	b.sums[own].add(b.p, x, y, -1)
	b.sums[best].add(b.p, x, y, 1)
	for i := q; i <= q+2*s; i += s {
		b.look[i], b.look[i+1], b.look[i+2] = k+1, k+1, k+1
	}
	return true
}

// alike returns which of the 8 pixels around the middle of the 3 x 3 are of superpixel id: bit 0
// for the upper left, and on clockwise. (Without branches, which nobody could predict.)
func alike(up, on, down *[3]int32, id int32) uint8 {
	return same(up[0], id) | same(up[1], id)<<1 | same(up[2], id)<<2 | same(on[2], id)<<3 |
		same(down[2], id)<<4 | same(down[1], id)<<5 | same(down[0], id)<<6 | same(on[0], id)<<7
}

// same is 1 if a == b, else 0.
func same(a, b int32) uint8 {
	x := uint32(a ^ b)
	return uint8((x|-x)>>31 ^ 1)
}

// price returns the squared distance of a pixel to a superpixel's mean.
func (b *border) price(id int32, x, y int) float32 {
	m, i := &b.means[id], y*b.p.w+x
	dl, da, db := b.p.l[i]-m.l, b.p.a[i]-m.a, b.p.b[i]-m.b
	dx, dy := float32(x)-m.x, float32(y)-m.y
	d := float32(dl*dl) + float32(da*da) + float32(db*db)
	return d + float32(b.spatial*(float32(dx*dx)+float32(dy*dy)))
}

// add adds a pixel (times = 1) or takes one away (-1).
func (s *sum) add(p *planes, x, y int, times float64) {
	i := y*p.w + x
	s.l += float64(times * float64(p.l[i]))
	s.a += float64(times * float64(p.a[i]))
	s.b += float64(times * float64(p.b[i]))
	s.x += float64(times * float64(x))
	s.y += float64(times * float64(y))
	s.n += times
}

// loose[ring] tells whether a pixel may leave its superpixel when bit k of ring says that neighbour
// k of its ring is in it too: those of its four direct neighbours (odd k) that are must hang
// together within the ring, and there must be one.
var loose = func() (t [256]bool) {
	for ring := range t {
		at := func(k int) bool { return ring>>(k&7)&1 == 1 }
		// chains of neighbours in the ring; a chain goes on from k to k+2 over the corner k+1
		ends := 0
		any := false
		for k := 1; k < 8; k += 2 {
			if at(k) {
				any = true
				if !at(k+1) || !at(k+2) {
					ends++
				}
			}
		}
		t[ring] = any && ends <= 1
	}
	return t
}()
