package mrf

// balance looks for flips under which no edge repels, and reports whether they exist: every
// cycle must have an even number of repelling edges. A tree always qualifies.
func (b *boolean) balance(p *Problem) bool {
	n := p.N()
	b.up, b.odd = grow(b.up, n), grow(b.odd, n)
	for i := range b.up {
		b.up[i], b.odd[i] = int32(i), 0
	}
	for k, e := range p.Edges {
		d := &b.edges[k]
		if d.a|d.b == 0 {
			continue
		}
		i, oi := b.root(e[0])
		j, oj := b.root(e[1])
		odd := oi ^ oj
		if d.repel {
			odd ^= 1
		}
		if i != j {
			b.up[i], b.odd[i] = j, odd
		} else if odd != 0 {
			return false
		}
	}
	for i := range b.flip {
		_, odd := b.root(int32(i))
		b.flip[i] ^= odd
	}
	return true
}

// root returns the representative of i's tree and the parity of i against it. It halves
// the path on the way, which keeps later walks short.
func (b *boolean) root(i int32) (int32, uint8) {
	odd := uint8(0)
	for b.up[i] != i {
		parent := b.up[i]
		b.odd[i] ^= b.odd[parent] // 0 for a root
		b.up[i] = b.up[parent]
		odd ^= b.odd[i]
		i = b.up[i]
	}
	return i, odd
}
