package mrf

import (
	"math"
)

// maxWidth is the largest number of neighbors that a node may have when it is eliminated;
// tables of more than 2²⁴ entries would be out of the question anyway.
const maxWidth = 24

// An eliminator minimizes a core exactly by eliminating one node after the other (Bertele
// and Brioschi, "Nonserial Dynamic Programming", 1972): a node's best label is tabulated
// for all labels of its neighbors, which thereby become neighbors of each other. Time and
// memory are the total size of the tables, exponential in the largest number of neighbors,
// so it is for what is left when persistency has settled most of a problem. Nodes are taken
// by least number of neighbors.
type eliminator struct {
	core *core

	near   [][]int32             // current neighbors of each open node
	bucket [maxWidth + 1][]int32 // nodes by number of neighbors, some entries outdated
	order  []int32               // elimination order
	when   []int32               // position in it, or -1
	scope  []int32               // neighbors at elimination: scope[from[k]:from[k+1]] of order[k]
	from   []int32
	child  []int32 // first node whose table has its earliest-eliminated neighbor here, or -1
	next   []int32 // next such node

	cost   []float64 // tables, that of node v starting at costAt[v], its scope's last node fastest
	choice []uint8   // best label (as an index), parallel to cost
	costAt []int32
	work   []float64
}

// plan finds an order and reports whether its tables have at most limit entries in all.
func (e *eliminator) plan(c *core, limit int) bool {
	n := len(c.id)
	e.core = c
	for len(e.near) < n {
		e.near = append(e.near, nil)
	}
	for d := range e.bucket {
		e.bucket[d] = e.bucket[d][:0]
	}
	e.when = grow(e.when, n)
	for v := range n {
		e.when[v] = -1
		e.near[v] = e.near[v][:0]
		for _, h := range c.graph.edges(v) {
			e.near[v] = append(e.near[v], h.other)
		}
		e.file(int32(v))
	}
	e.order, e.scope, e.from = e.order[:0], e.scope[:0], append(e.from[:0], 0)
	total := 0
	for d := 0; d <= maxWidth && len(e.order) < n; {
		k := len(e.bucket[d]) - 1
		if k < 0 {
			d++
			continue
		}
		v := e.bucket[d][k]
		e.bucket[d] = e.bucket[d][:k]
		if e.when[v] >= 0 || len(e.near[v]) != d {
			continue // outdated
		}
		size := len(c.labels(v))
		for _, u := range e.near[v] {
			if size *= len(c.labels(u)); size > limit {
				return false
			}
		}
		if total += size; total > limit {
			return false
		}
		e.when[v] = int32(len(e.order))
		e.order = append(e.order, v)
		e.scope = append(e.scope, e.near[v]...)
		e.from = append(e.from, int32(len(e.scope)))
		for _, u := range e.near[v] {
			e.join(u, v)
			d = min(d, len(e.near[u]))
		}
	}
	return len(e.order) == n
}

// file puts v into the bucket of its number of neighbors.
func (e *eliminator) file(v int32) {
	if d := len(e.near[v]); d <= maxWidth {
		e.bucket[d] = append(e.bucket[d], v)
	}
}

// join replaces v among u's neighbors by the other neighbors of v.
func (e *eliminator) join(u, v int32) {
	mine := e.near[u]
	for k, w := range mine {
		if w == v {
			mine[k] = mine[len(mine)-1]
			mine = mine[:len(mine)-1]
			break
		}
	}
	had := mine
candidates:
	for _, w := range e.near[v] {
		if w == u {
			continue
		}
		for _, x := range had {
			if x == w {
				continue candidates
			}
		}
		mine = append(mine, w)
	}
	e.near[u] = mine
	e.file(u)
}

// run executes the plan: it writes the best labels of the open nodes into y.
func (e *eliminator) run(y []uint8) {
	c := e.core
	n := len(c.id)
	e.child, e.next, e.costAt = grow(e.child, n), grow(e.next, n), grow(e.costAt, n)
	for v := range e.child {
		e.child[v] = -1
	}
	e.cost, e.choice = e.cost[:0], e.choice[:0]
	for k, v := range e.order {
		scope := e.scope[e.from[k]:e.from[k+1]]
		e.tabulate(v, scope)
		if len(scope) > 0 {
			first := scope[0]
			for _, u := range scope {
				if e.when[u] < e.when[first] {
					first = u
				}
			}
			e.next[v], e.child[first] = e.child[first], v
		}
	}
	for k := n - 1; k >= 0; k-- {
		v, at := e.order[k], 0
		// later in order, so known; y holds indices for now
		for _, u := range e.scope[e.from[k]:e.from[k+1]] {
			at = at*len(c.labels(u)) + int(y[c.id[u]])
		}
		y[c.id[v]] = e.choice[int(e.costAt[v])+at]
	}
	for v, i := range c.id {
		y[i] = c.labels(int32(v))[y[i]]
	}
}

// tabulate computes the table of v over its scope.
func (e *eliminator) tabulate(v int32, scope []int32) {
	c := e.core
	var ax axes
	for _, u := range scope {
		ax.push(u, len(c.labels(u)))
	}
	own := len(c.labels(v))
	ax.push(v, own)
	e.work = grow(e.work, ax.size())
	clear(e.work)

	ax.clear()
	ax.stride[ax.find(v)] = 1
	ax.add(e.work, c.unary[c.at[v]:])
	for _, h := range c.graph.edges(int(v)) {
		if u := h.other; e.when[u] > e.when[v] {
			ax.clear()
			ij := c.edges[h.edge]
			ax.stride[ax.find(ij[0])] = len(c.labels(ij[1]))
			ax.stride[ax.find(ij[1])] = 1
			ax.add(e.work, c.table[c.tabAt[h.edge]:])
		}
	}
	for w := e.child[v]; w >= 0; w = e.next[w] {
		ax.clear()
		k, step := e.when[w], 1
		its := e.scope[e.from[k]:e.from[k+1]]
		for a := len(its) - 1; a >= 0; a-- {
			ax.stride[ax.find(its[a])] = step
			step *= len(c.labels(its[a]))
		}
		ax.add(e.work, e.cost[e.costAt[w]:])
	}

	e.costAt[v] = int32(len(e.cost))
	for at := 0; at < len(e.work); at += own {
		best := math.Inf(1)
		arg := 0
		for x, cost := range e.work[at : at+own] {
			if cost < best {
				best, arg = cost, x
			}
		}
		e.cost = append(e.cost, best)
		e.choice = append(e.choice, uint8(arg))
	}
}

// axes are the dimensions of a table, the last one fastest, and the strides at which
// another table is read along them.
type axes struct {
	n      int
	node   [maxWidth + 1]int32
	dim    [maxWidth + 1]int
	stride [maxWidth + 1]int
}

func (a *axes) push(v int32, dim int) {
	a.node[a.n], a.dim[a.n] = v, dim
	a.n++
}

func (a *axes) size() int {
	s := 1
	for _, d := range a.dim[:a.n] {
		s *= d
	}
	return s
}

func (a *axes) clear() { clear(a.stride[:a.n]) }

// find returns the axis of a node, which must be there.
func (a *axes) find(v int32) int {
	k := 0
	for a.node[k] != v {
		k++
	}
	return k
}

// add adds to every entry of work the entry of table that the strides lead to.
func (a *axes) add(work, table []float64) {
	last := a.n - 1
	own, step := a.dim[last], a.stride[last]
	var count [maxWidth + 1]int
	off := 0
	for at := 0; at < len(work); at += own {
		o := off
		for x := range work[at : at+own] {
			work[at+x] += table[o]
			o += step
		}
		for k := last - 1; k >= 0; k-- {
			count[k]++
			off += a.stride[k]
			if count[k] < a.dim[k] {
				break
			}
			count[k] = 0
			off -= a.stride[k] * a.dim[k]
		}
	}
}
