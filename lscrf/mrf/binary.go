package mrf

// A binary is a problem of two labels in the form that cuts need: with xᵢ = yᵢ xor flipᵢ
// and integer costs,
//
//	scale·E = base + Σ uᵢxᵢ + Σₑ (ij·[xᵢ=0,xⱼ=1] + ji·[xᵢ=1,xⱼ=0])
//
// where ij, ji ≥ 0 for edges of kind attract, and for edges of kind repel the same holds
// with 1-xⱼ in place of xⱼ.
type binary struct {
	scale float64
	base  int64
	u     []int64
	edges []binaryEdge
	repel int // number of repelling edges
	flip  []uint8
	up    []int32 // union-find forest with parity, for flips
	odd   []uint8
}

type binaryEdge struct {
	ij, ji int64
	repel  bool
}

// load converts p with the current flips. Costs are truncated to 2⁻⁵⁸ of their total size.
func (b *binary) load(p *Problem) {
	n := p.N()
	b.scale = scaleFor(sumAbs(p.Unary)+sumAbs(p.Pair), 58)
	b.u = grow(b.u, n)
	b.edges = grow(b.edges, len(p.Edges))
	b.base, b.repel = 0, 0
	for i := range b.u {
		f := int(b.flip[i])
		zero, one := int64(p.Unary[2*i+f]*b.scale), int64(p.Unary[2*i+1-f]*b.scale)
		b.base += zero
		b.u[i] = one - zero
	}
	for k, e := range p.Edges {
		i, j := e[0], e[1]
		t := (*[4]float64)(p.Pair[4*k:])
		f := 2*b.flip[i] | b.flip[j]
		t00, t01 := int64(t[f]*b.scale), int64(t[f^1]*b.scale)
		t10, t11 := int64(t[f^2]*b.scale), int64(t[f^3]*b.scale)
		sum := t01 + t10 - t00 - t11
		if sum < 0 { // in terms of 1-xⱼ the columns change places
			b.repel++
			ij := min(max(t00-t01, 0), -sum)
			uj := t00 - t01 - ij
			ui := t10 - t01 - uj
			b.edges[k] = binaryEdge{ij, -sum - ij, true}
			b.base += t01 + uj
			b.u[i] += ui
			b.u[j] -= uj
			continue
		}
		// base + uᵢxᵢ + uⱼxⱼ must leave 0 on the diagonal; ij is free between 0 and sum.
		ij := min(max(t01-t00, 0), sum)
		uj := t01 - t00 - ij
		ui := t11 - t00 - uj
		b.edges[k] = binaryEdge{ij, sum - ij, false}
		b.base += t00
		b.u[i] += ui
		b.u[j] += uj
	}
}

// balance looks for flips under which no edge repels, and reports whether they exist: every
// cycle must have an even number of repelling edges. A tree always qualifies.
func (b *binary) balance(p *Problem) bool {
	n := p.N()
	b.up, b.odd = grow(b.up, n), grow(b.odd, n)
	for i := range b.up {
		b.up[i], b.odd[i] = int32(i), 0
	}
	for k, e := range p.Edges {
		d := &b.edges[k]
		if d.ij == 0 && d.ji == 0 {
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
// the path, which keeps finds cheap without recursion.
func (b *binary) root(i int32) (int32, uint8) {
	odd := uint8(0)
	for b.up[i] != i {
		parent := b.up[i]
		b.odd[i] ^= b.odd[parent] // a root's parity is 0
		b.up[i] = b.up[parent]
		odd ^= b.odd[i]
		i = b.up[i]
	}
	return i, odd
}

// cut minimizes a problem without repelling edges exactly and returns scale·E. Of all
// optima it takes the one with the most zeros in x.
func (b *binary) cut(p *Problem, f *Flow, y []uint8) int64 {
	f.Reset(len(y))
	bound := b.base
	for i, u := range b.u {
		f.nodes[i].spare = u
		bound += min(u, 0)
	}
	for k, e := range p.Edges {
		if d := &b.edges[k]; d.ij != 0 || d.ji != 0 {
			f.link(e[0], e[1], d.ij, d.ji)
		}
	}
	bound += f.Solve()
	for i := range y {
		n := &f.nodes[i]
		y[i] = b.flip[i]
		if n.parent != noParent && n.sink {
			y[i] ^= 1
		}
	}
	return bound
}
