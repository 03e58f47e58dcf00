package mrf

import (
	"math"
)

// A trws is the state of sequential tree-reweighted message passing (Kolmogorov,
// "Convergent Tree-Reweighted Message Passing for Energy Minimization", PAMI 2006) with
// monotonic chains in the order of the node numbers. It works on the problem's own tables.
//
// An edge holds one message. In a forward pass each node turns the messages that it has
// from later nodes into messages to them; a backward pass does the reverse. So at any time
// the sum of a node's costs and of its edges' messages is its reduced cost.
type trws struct {
	p       *Problem
	graph   *incidence
	n, L    int
	msg     []float64 // E*L, least entry 0
	reduced []float64 // N*L, reduced costs in the last forward pass, least entry 0
	floor   float64   // bound of the backward pass before that
	slack   float64   // energies that differ by less cannot be told apart: rounding
	cost    []float64 // L, scratch
	sum     []float64 // L, scratch
	from    []float64 // L, scratch
}

// load takes a problem and its incidence, and clears all messages.
func (t *trws) load(p *Problem, g *incidence) {
	t.p, t.graph, t.n, t.L = p, g, p.N(), p.Labels
	t.msg, t.reduced = grow(t.msg, len(p.Edges)*t.L), grow(t.reduced, t.n*t.L)
	t.cost, t.sum, t.from = grow(t.cost, t.L), grow(t.sum, t.L), grow(t.from, t.L)
	clear(t.msg)
	t.floor, t.slack = math.Inf(-1), 0
}

// forward sends messages to later nodes and records reduced costs. Its result is a lower
// bound of the energy, not below that of the backward pass before it.
func (t *trws) forward() float64 {
	L, size, bound := t.L, 0.0, 0.0
	for s := range t.n {
		least := t.collect(t.reduced[s*L:s*L+L], s)
		bound, size = bound+least, size+math.Abs(least)
		for _, h := range t.graph.later(s) {
			e := int(h.edge)
			least := sendColumns(t.msg[e*L:e*L+L], t.from, t.sum, t.p.Pair[e*L*L:(e+1)*L*L])
			bound, size = bound+least, size+math.Abs(least)
		}
	}
	t.slack = size * 0x1p-40
	return bound
}

// backward sends messages to earlier nodes and returns a lower bound, not below that of
// the forward pass before it.
func (t *trws) backward() float64 {
	L, bound := t.L, 0.0
	for s := t.n - 1; s >= 0; s-- {
		bound += t.collect(t.cost, s)
		for _, h := range t.graph.early(s) {
			e := int(h.edge)
			bound += sendRows(t.msg[e*L:e*L+L], t.from, t.sum, t.p.Pair[e*L*L:(e+1)*L*L])
		}
	}
	return bound
}

// collect writes the reduced costs of node s to r, less their least value, which it
// returns, and what s hands to each of its edges to t.sum.
func (t *trws) collect(r []float64, s int) float64 {
	L := t.L
	copy(r, t.p.Unary[s*L:s*L+L])
	for _, h := range t.graph.edges(s) {
		add(r, t.msg[int(h.edge)*L:int(h.edge)*L+L])
	}
	least := settle(r)
	part := 1 / float64(max(len(t.graph.early(s)), len(t.graph.later(s)), 1))
	share := t.sum[:len(r)]
	for x, v := range r {
		share[x] = v * part
	}
	return least
}

// decode labels the nodes in order, each with the best label given those of earlier nodes
// and the messages of later ones, and returns the energy. It must follow a backward pass.
// Ties go to the lower label.
func (t *trws) decode(y []uint8) float64 {
	L, energy := t.L, 0.0
	for s := range t.n {
		cost, sum := t.cost[:L], t.sum[:L]
		copy(cost, t.p.Unary[s*L:s*L+L])
		for _, h := range t.graph.early(s) {
			k := int(h.edge)*L*L + int(y[h.other])*L
			add(cost, t.p.Pair[k:k+L])
		}
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

// prune opens in c the nodes that may have several labels in labelings of energy at most
// upper, and writes the label of the others into y. When the last forward pass came to
// node s, the bound stood at t.floor or above, and s taking label k would have added its
// reduced cost.
func (t *trws) prune(c *core, y []uint8, upper float64) {
	limit := max(0, upper+t.slack-t.floor)
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
		} else {
			y[s] = c.label[len(c.label)-1] // the least reduced cost is 0 and stays
			c.drop()
		}
	}
}

// sendColumns turns the message m that the first end of an edge has from it into its message to the
// second: m[x] ← min_k (share[k] - m[k] + table[k*L+x]), less the least entry, which it returns.
// from is scratch.
func sendColumns(m, from, share, table []float64) float64 {
	L := len(m)
	from, share = from[:L], share[:L]
	for k, v := range m {
		from[k] = share[k] - v
	}
	for x, c := range table[:L] {
		m[x] = from[0] + c
	}
	for k := 1; k < L; k++ {
		f := from[k]
		row := table[k*L : k*L+L]
		row = row[:len(m)]
		for x, v := range m {
			m[x] = min(v, f+row[x])
		}
	}
	return settle(m)
}

// sendRows is the same from the second end to the first: the table is read as table[x*L+k].
func sendRows(m, from, share, table []float64) float64 {
	L := len(m)
	from, share = from[:L], share[:L]
	for k, v := range m {
		from[k] = share[k] - v
	}
	for x := range m {
		row := table[x*L : x*L+L]
		row = row[:len(from)]
		best := math.Inf(1)
		for k, f := range from {
			best = min(best, f+row[k])
		}
		m[x] = best
	}
	return settle(m)
}

// settle subtracts the least entry of m from all, and returns it.
func settle(m []float64) float64 {
	least := m[0]
	for _, v := range m {
		least = min(least, v)
	}
	for x := range m {
		m[x] -= least
	}
	return least
}

// add adds b to a.
func add(a, b []float64) {
	b = b[:len(a)]
	for x := range a {
		a[x] += b[x]
	}
}
