package mrf

// A trws is the state of sequential tree-reweighted message passing (Kolmogorov,
// "Convergent Tree-Reweighted Message Passing for Energy Minimization", PAMI 2006) with
// monotonic chains in the order of the node numbers.
//
// Costs are integers, scale times the real ones. What a node hands to its edges is rounded
// down and the rest stays with it, so that bounds are exact and no pass lowers them.
//
// An edge holds one message. In a forward pass each node turns the messages that it has
// from later nodes into messages to them; a backward pass does the reverse. So at any time
// the sum of a node's costs and of its edges' messages is its reduced cost.
type trws struct {
	scale   float64
	n, L    int
	slack   int64 // energies that differ by less cannot be told apart: rounding
	graph   *incidence
	unary   []int64 // N*L
	table   []int64 // E*L*L, rows of the earlier node, as in Problem
	flipped []int64 // E*L*L, rows of the later node
	msg     []int64 // E*L, least entry 0
	reduced []int64 // N*L, reduced costs in the last forward pass, least entry 0
	floor   int64   // bound of the backward pass before that
	cost    []int64 // L, scratch
	sum     []int64 // L, scratch
}

// load takes a problem and its incidence, and clears all messages.
func (t *trws) load(p *Problem, g *incidence) {
	t.n, t.L, t.graph = p.N(), p.Labels, g
	n, L, E := t.n, t.L, len(p.Edges)
	t.scale = scaleFor(sumAbs(p.Unary)+sumAbs(p.Pair), 58)
	t.slack = int64(4 * (n + E))
	t.unary, t.reduced = grow(t.unary, n*L), grow(t.reduced, n*L)
	t.table, t.flipped = grow(t.table, E*L*L), grow(t.flipped, E*L*L)
	t.msg, t.sum, t.cost = grow(t.msg, E*L), grow(t.sum, L), grow(t.cost, L)
	clear(t.msg)
	for k, c := range p.Unary {
		t.unary[k] = int64(c * t.scale)
	}
	for k, c := range p.Pair {
		t.table[k] = int64(c * t.scale)
	}
	for e := range E {
		transpose(t.flipped[e*L*L:(e+1)*L*L], t.table[e*L*L:(e+1)*L*L], L)
	}
}

func transpose(to, from []int64, L int) {
	for a := range L {
		for b, v := range from[a*L : a*L+L] {
			to[b*L+a] = v
		}
	}
}

// forward sends messages to later nodes and records reduced costs. Its result is a lower
// bound of the scaled energy, not below that of the backward pass before it.
func (t *trws) forward() int64 {
	bound := int64(0)
	L := t.L
	for s := range t.n {
		early, later := t.graph.early(s), t.graph.later(s)
		r := t.reduced[s*L : s*L+L]
		least := t.collect(r, s)
		bound += least
		if len(later) == 0 {
			continue
		}
		t.split(r, max(len(early), len(later)))
		for _, h := range later {
			e := int(h.edge)
			bound += send(t.msg[e*L:e*L+L], t.sum, t.table[e*L*L:(e+1)*L*L])
		}
	}
	return bound
}

// backward sends messages to earlier nodes and returns a lower bound, not below that of
// the forward pass before it.
func (t *trws) backward() int64 {
	bound := int64(0)
	L := t.L
	for s := t.n - 1; s >= 0; s-- {
		early, later := t.graph.early(s), t.graph.later(s)
		bound += t.collect(t.sum, s)
		if len(early) == 0 {
			continue
		}
		t.split(t.sum, max(len(early), len(later)))
		for _, h := range early {
			e := int(h.edge)
			bound += send(t.msg[e*L:e*L+L], t.sum, t.flipped[e*L*L:(e+1)*L*L])
		}
	}
	return bound
}

// collect writes the reduced costs of node s, less their least value, which it returns.
func (t *trws) collect(r []int64, s int) int64 {
	L := t.L
	copy(r, t.unary[s*L:s*L+L])
	for _, h := range t.graph.edges(s) {
		add(r, t.msg[int(h.edge)*L:int(h.edge)*L+L])
	}
	least := r[0]
	for _, v := range r {
		least = min(least, v)
	}
	for x := range r {
		r[x] -= least
	}
	return least
}

// split writes r/parts to t.sum; r may be t.sum. Entries are at least 0, so the parts
// together are at most r.
func (t *trws) split(r []int64, parts int) {
	f := 1 / float64(parts) * (1 - 0x1p-50) // the product must not come out above the quotient
	for x, v := range r {
		t.sum[x] = int64(float64(v) * f)
	}
}

// decode labels the nodes in order, each with the best label given those of earlier nodes
// and the messages of later ones, and returns the scaled energy. It must follow a backward
// pass. Ties go to the lower label.
func (t *trws) decode(y []uint8) int64 {
	L := t.L
	energy := int64(0)
	for s := range t.n {
		cost := t.cost
		copy(cost, t.unary[s*L:s*L+L])
		for _, h := range t.graph.early(s) {
			k := int(h.edge)*L*L + int(y[h.other])*L
			add(cost, t.table[k:k+L])
		}
		sum := t.sum
		copy(sum, cost)
		for _, h := range t.graph.later(s) {
			add(sum, t.msg[int(h.edge)*L:int(h.edge)*L+L])
		}
		best := 0
		for x, v := range sum {
			if v < sum[best] {
				best = x
			}
		}
		y[s] = uint8(best)
		energy += cost[best]
	}
	return energy
}

// energy returns the scaled energy of y.
func (t *trws) energy(p *Problem, y []uint8) int64 {
	L := t.L
	sum := int64(0)
	for i, l := range y {
		sum += t.unary[i*L+int(l)]
	}
	for e, ij := range p.Edges {
		sum += t.table[(e*L+int(y[ij[0]]))*L+int(y[ij[1]])]
	}
	return sum
}

// prune opens in c the nodes that may have several labels in labelings of scaled energy
// at most upper, and writes the label of the others into y. When the last forward pass
// came to node s, the bound stood at t.floor or above, and s taking label k would have
// added its reduced cost.
func (t *trws) prune(c *core, y []uint8, upper int64) {
	limit := upper + t.slack - t.floor
	L := t.L
	c.begin(t.n)
	for s := range t.n {
		for x, v := range t.reduced[s*L : s*L+L] {
			if v <= limit {
				c.keep(x)
			}
		}
		if c.kept() > 1 {
			c.open(s)
		} else if c.kept() == 1 {
			y[s] = c.label[len(c.label)-1]
			c.drop()
		}
	}
}
