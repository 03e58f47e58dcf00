package mrf

// A boolean is a problem of two labels in the form that cuts need: with xᵢ = yᵢ xor flipᵢ,
//
//	scale·E = base + Σ uᵢxᵢ + Σₑ (a·[xᵢ=0,xⱼ=1] + b·[xᵢ=1,xⱼ=0])   over attracting edges
//	                        + Σₑ (a·[xᵢ=0,xⱼ=0] + b·[xᵢ=1,xⱼ=1])   over repelling ones
//
// with integers, a, b ≥ 0, and a = 0 or b = 0 for repelling edges. It is submodular, and
// one cut minimizes it, when no edge repels.
type boolean struct {
	scale float64
	base  int64
	u     []int64
	edges []booleanEdge
	repel int // number of repelling edges
	flip  []uint8
	up    []int32 // union-find forest with parity, for balance
	odd   []uint8
	used  Method // by solve
}

type booleanEdge struct {
	a, b  int64
	repel bool
}

// unlabeled marks the nodes that roof duality leaves open.
const unlabeled = 2

// solve minimizes p as far as cuts do: y gets labels that belong to one common optimum,
// and unlabeled on open nodes. bound is a lower bound of E, the least E itself if open = 0.
func (b *boolean) solve(p *Problem, f *Flow, y []uint8) (open int, bound float64) {
	b.flip = grow(b.flip, len(y))
	clear(b.flip)
	b.load(p)
	b.used = MaxFlow
	if 3*b.repel <= len(p.Edges) { // beyond that it seldom works
		if exact, value := b.relax(p, f, y); exact {
			return 0, float64(value) / b.scale
		}
	}
	if b.balance(p) {
		b.load(p)
		return 0, float64(b.cut(p, f, y)) / b.scale
	}
	b.used = Roof
	open, twice := b.roof(p, f, y)
	return open, float64(twice) / 2 / b.scale
}

// load converts p with the current flips. Costs are truncated to 2⁻⁵⁸ of their total size.
func (b *boolean) load(p *Problem) {
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
		b.base += t00
		if sum := t01 + t10 - t00 - t11; sum < 0 {
			b.repel++
			b.edges[k] = booleanEdge{0, -sum, true}
			b.u[i] += t10 - t00
			b.u[j] += t01 - t00
		} else {
			// uᵢ + uⱼ must be t11 - t00; a is free between 0 and sum.
			a := min(max(t01-t00, 0), sum)
			uj := t01 - t00 - a
			b.edges[k] = booleanEdge{a, sum - a, false}
			b.u[i] += t11 - t00 - uj
			b.u[j] += uj
		}
	}
}

// cut minimizes the problem without its repelling edges, which makes it smaller, and
// returns the least value. Of all optima it takes the one with the most zeros in x.
func (b *boolean) cut(p *Problem, f *Flow, y []uint8) int64 {
	f.Reset(len(y))
	value := b.base
	for i, u := range b.u {
		f.nodes[i].spare = u
		value += min(u, 0)
	}
	for k, e := range p.Edges {
		if d := &b.edges[k]; !d.repel && d.a|d.b != 0 {
			f.Link(e[0], e[1], d.a, d.b)
		}
	}
	value += f.Solve()
	for i := range y {
		n := &f.nodes[i]
		y[i] = b.flip[i]
		if n.parent != noParent && n.sink {
			y[i] ^= 1
		}
	}
	return value
}

// relax cuts without the repelling edges. If the optimum does not pay for any of them, it
// is one of the whole problem. Otherwise those that it would pay for are rewritten from
// both ends 1 to both ends 0 or the reverse, and it tries again, once. Potentials learned
// from images repel in a few places where the answer is clear, and then this takes half
// the time of roof duality.
func (b *boolean) relax(p *Problem, f *Flow, y []uint8) (exact bool, value int64) {
	for i, u := range b.u {
		y[i] = b.flip[i]
		if u < 0 {
			y[i] ^= 1
		}
	}
	for range 2 {
		b.rewrite(p, y)
		value = b.cut(p, f, y)
		if b.repel == 0 || b.rewrite(p, y) == 0 {
			return true, value
		}
	}
	return false, 0
}

// rewrite turns the repelling edges that y pays for into a form that it does not pay for,
// and returns how many they were.
func (b *boolean) rewrite(p *Problem, y []uint8) int {
	paid := 0
	for k, e := range p.Edges {
		d := &b.edges[k]
		if !d.repel {
			continue
		}
		i, j := e[0], e[1]
		x := y[i] ^ b.flip[i]
		if x != y[j]^b.flip[j] || (x == 0 && d.a == 0) || (x == 1 && d.b == 0) {
			continue
		}
		paid++
		c := d.b - d.a // [1,1] = [0,0] - 1 + xᵢ + xⱼ
		d.a, d.b = d.b, d.a
		b.base -= c
		b.u[i] += c
		b.u[j] += c
	}
	return paid
}

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

// roof computes the roof dual of a problem of two labels (Boros and Hammer 2002;
// Kolmogorov and Rother, "Minimizing Nonsubmodular Functions with Graph Cuts - A Review",
// PAMI 2007): a minimum cut of a graph that holds, beside every variable x, a second one
// x̄ that stands for 1-x. Where the two agree, yᵢ gets the label that all optima share
// (strong persistency), elsewhere unlabeled. It returns the number of unlabeled nodes and
// twice a lower bound of scale·E.
func (b *boolean) roof(p *Problem, f *Flow, y []uint8) (open int, twice int64) {
	n := int32(len(y))
	f.Reset(int(2 * n))
	twice = 2 * b.base
	for i, u := range b.u {
		f.nodes[i].spare = u
		f.nodes[int32(i)+n].spare = -u
		twice += 2 * min(u, 0)
	}
	for k, e := range p.Edges {
		i, j := e[0], e[1]
		d := &b.edges[k]
		switch {
		case d.a|d.b == 0:
		case d.repel: // between xᵢ and x̄ⱼ, and mirrored between xⱼ and x̄ᵢ
			f.Link(i, j+n, d.a, d.b)
			f.Link(j, i+n, d.a, d.b)
		default:
			f.Link(i, j, d.a, d.b)
			f.Link(j+n, i+n, d.a, d.b)
		}
	}
	twice += f.Solve()
	for i := range n {
		switch {
		case f.InSource(int(i)):
			y[i] = b.flip[i]
		case f.InSource(int(i + n)):
			y[i] = b.flip[i] ^ 1
		default:
			y[i] = unlabeled
			open++
		}
	}
	return open, twice
}
