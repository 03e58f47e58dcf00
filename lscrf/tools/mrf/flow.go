package mrf

import (
	"math"
	"slices"
)

// A Flow is a directed graph with a source and a sink, and finds a maximum flow and a
// minimum cut of it. Capacities are integers, so the result is exact and the search ends. The
// sum of all capacities must stay below 2⁶².
//
// Nodes are 0..n-1; the two terminals are not among them. A node's spare is what the source
// can still give it, or, if negative, what it can give the sink. Reset reuses the memory. A
// Flow is not safe for concurrent use. After Solve, spares may be changed with Supply and Solve
// called again: the old flow stays valid and only the difference is paid for (Kohli and Torr,
// "Dynamic graph cuts", PAMI 2007).
//
// The method is the search-tree algorithm of Boykov and Kolmogorov, "An Experimental
// Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in Vision", PAMI 2004:
// fast on sparse graphs with strong terminal links, O(n²mC) at worst.
type Flow struct {
	nodes []flowNode
	links []flowLink // as added
	arcs  []flowArc  // the same by tail, laid out by Solve
	total int64      // flow found
	laid  bool       // arcs are, by Solve

	queue   []int32 // ring of active nodes; a node is in it at most once
	head    int     // first active
	active  int     // how many
	orphans []int32
	clock   int32
}

// A flowNode belongs to the source's tree, the sink's, or (parent = noParent) to none.
type flowNode struct {
	spare      int64 // residual from the source if > 0, to the sink if < 0
	first, end int32 // arcs[first:end] lead out of it
	parent     int32 // arc towards the root, or one of the codes below
	stamp      int32 // when dist was last known to be right
	dist       int32 // number of arcs to the terminal
	sink       bool  // which tree
	queued     bool
}

type flowArc struct {
	cap  int64 // residual
	head int32
	back int32 // the reverse arc
}

type flowLink struct {
	cap, back int64
	i, j      int32
}

const (
	noParent   = int32(-1)
	atTerminal = int32(-2) // child of the terminal itself
	orphaned   = int32(-3)
)

// Reset empties the graph and gives it n nodes without links. It keeps the memory.
func (f *Flow) Reset(n int) {
	f.nodes = grow(f.nodes, n)
	clear(f.nodes)
	f.links = slices.Grow(f.links[:0], 4*n) // pictures have no more, planar graphs fewer
	f.total, f.laid = 0, false
}

// Link adds capacity from node i to node j, another one, and back from j to i, before the first
// Solve.
func (f *Flow) Link(i, j int32, capacity, back int64) {
	f.links = append(f.links, flowLink{capacity, back, i, j})
}

// Supply adds to what the source can give node i; less than 0 is what i can give the sink.
func (f *Flow) Supply(i int32, spare int64) { f.nodes[i].spare += spare }

// build lays the links out as arcs, and sends what it can over single links from source to
// sink, which spares the search its most frequent paths.
func (f *Flow) build() {
	for i := range f.nodes {
		f.nodes[i].end = 0
	}
	for k := range f.links {
		l := &f.links[k]
		f.nodes[l.i].end++
		f.nodes[l.j].end++
	}
	sum := int32(0)
	for i := range f.nodes {
		n := &f.nodes[i]
		n.first = sum
		sum += n.end
		n.end = n.first
	}
	f.arcs = grow(f.arcs, int(sum))
	for k := range f.links {
		l := &f.links[k]
		i, j := &f.nodes[l.i], &f.nodes[l.j]
		a, b := i.end, j.end
		i.end++
		j.end++
		x := int64(0)
		if i.spare > 0 && j.spare < 0 {
			x = min(i.spare, l.cap, -j.spare)
		} else if i.spare < 0 && j.spare > 0 {
			x = -min(j.spare, l.back, -i.spare)
		}
		i.spare -= x
		j.spare += x
		f.total += max(x, -x)
		f.arcs[a] = flowArc{l.cap - x, l.j, b}
		f.arcs[b] = flowArc{l.back + x, l.i, a}
	}
}

// Solve finds a maximum flow and returns its value, the capacity of a minimum cut. Once Supply has
// changed a solved graph, the value is off by a constant.
func (f *Flow) Solve() int64 {
	if !f.laid {
		f.laid = true
		f.build()
	}
	f.start()
	current := int32(-1)
	for {
		i := current
		if i < 0 || f.nodes[i].parent == noParent {
			if i = f.pop(); i < 0 {
				return f.total
			}
		}
		bridge := f.extend(i)
		if bridge < 0 {
			current = -1
			continue
		}
		f.clock++
		f.augment(bridge)
		f.adopt()
		current = i // i may have more to give
	}
}

// InSource reports whether node i is on the source's side of the minimum cut: whether it
// can be reached from the source in the residual graph (so, of all minimum cuts, the one
// with the fewest nodes at the source). Call it after Solve.
func (f *Flow) InSource(i int) bool {
	n := &f.nodes[i]
	return n.parent != noParent && !n.sink
}

// start makes every node with a terminal link a root's child and active.
func (f *Flow) start() {
	size := 1
	for size < len(f.nodes) {
		size *= 2
	}
	f.queue = grow(f.queue, size)
	f.head, f.active, f.clock = 0, 0, 0
	f.orphans = f.orphans[:0]
	for i := range f.nodes {
		n := &f.nodes[i]
		n.parent, n.stamp, n.queued = noParent, 0, false
		if n.spare != 0 {
			n.sink = n.spare < 0
			n.parent, n.dist = atTerminal, 1
			f.push(int32(i))
		}
	}
}

func (f *Flow) push(i int32) {
	if n := &f.nodes[i]; !n.queued {
		n.queued = true
		f.queue[(f.head+f.active)&(len(f.queue)-1)] = i
		f.active++
	}
}

// pop returns the next active node that is still in a tree, or -1.
func (f *Flow) pop() int32 {
	for f.active > 0 {
		i := f.queue[f.head]
		f.head = (f.head + 1) & (len(f.queue) - 1)
		f.active--
		n := &f.nodes[i]
		n.queued = false
		if n.parent != noParent {
			return i
		}
	}
	return -1
}

// extend grows i's tree over residual arcs into free nodes and returns an arc that leads
// from the source's tree to the sink's, or -1 when i's neighbors are exhausted.
func (f *Flow) extend(i int32) int32 {
	n := &f.nodes[i]
	sink := n.sink
	for a := n.first; a < n.end; a++ {
		arc := &f.arcs[a]
		residual := arc.cap
		if sink {
			residual = f.arcs[arc.back].cap
		}
		if residual > 0 {
			m := &f.nodes[arc.head]
			switch {
			case m.parent == noParent:
				m.parent, m.sink = arc.back, sink
				m.stamp, m.dist = n.stamp, n.dist+1
				f.push(arc.head)
			case m.sink != sink:
				if sink {
					return arc.back
				}
				return a
			case m.stamp <= n.stamp && m.dist > n.dist:
				// A shorter way to the root, as far as both distances are known.
				m.parent = arc.back
				m.stamp, m.dist = n.stamp, n.dist+1
			}
		}
	}
	return -1
}

// augment sends as much as fits over the path source → bridge → sink and lists the nodes
// whose link to their parent is then full as orphans, those nearest to a root first.
func (f *Flow) augment(bridge int32) {
	from, to := f.arcs[f.arcs[bridge].back].head, f.arcs[bridge].head
	push := f.arcs[bridge].cap
	i := from
	for f.nodes[i].parent != atTerminal {
		a := f.nodes[i].parent
		push = min(push, f.arcs[f.arcs[a].back].cap)
		i = f.arcs[a].head
	}
	push = min(push, f.nodes[i].spare)
	i = to
	for f.nodes[i].parent != atTerminal {
		a := f.nodes[i].parent
		push = min(push, f.arcs[a].cap)
		i = f.arcs[a].head
	}
	push = min(push, -f.nodes[i].spare)

	f.total += push
	f.arcs[bridge].cap -= push
	f.arcs[f.arcs[bridge].back].cap += push
	for i = from; ; {
		n := &f.nodes[i]
		a := n.parent
		if a == atTerminal {
			if n.spare -= push; n.spare == 0 {
				f.orphan(i)
			}
			break
		}
		down := &f.arcs[f.arcs[a].back]
		f.arcs[a].cap += push
		down.cap -= push
		if down.cap == 0 {
			f.orphan(i)
		}
		i = f.arcs[a].head
	}
	for i = to; ; {
		n := &f.nodes[i]
		a := n.parent
		if a == atTerminal {
			if n.spare += push; n.spare == 0 {
				f.orphan(i)
			}
			break
		}
		f.arcs[a].cap -= push
		f.arcs[f.arcs[a].back].cap += push
		if f.arcs[a].cap == 0 {
			f.orphan(i)
		}
		i = f.arcs[a].head
	}
	for l, r := 0, len(f.orphans)-1; l < r; l, r = l+1, r-1 {
		f.orphans[l], f.orphans[r] = f.orphans[r], f.orphans[l]
	}
}

func (f *Flow) orphan(i int32) {
	f.nodes[i].parent = orphaned
	f.orphans = append(f.orphans, i)
}

// adopt finds every orphan a new parent in its own tree, or sets it free and orphans its
// children.
func (f *Flow) adopt() {
	for k := 0; k < len(f.orphans); k++ {
		i := f.orphans[k]
		n := &f.nodes[i]
		best, nearest := noParent, int32(math.MaxInt32)
		for a := n.first; a < n.end; a++ {
			if f.residualTo(n, a) == 0 {
				continue
			}
			j := f.arcs[a].head
			m := &f.nodes[j]
			if m.sink != n.sink || m.parent == noParent {
				continue
			}
			if d := f.rootDistance(j); d < nearest {
				if best, nearest = a, d; d == 1 {
					break // none is nearer
				}
			}
		}
		if n.parent = best; best != noParent {
			n.stamp, n.dist = f.clock, nearest+1
			continue
		}
		for a := n.first; a < n.end; a++ {
			j := f.arcs[a].head
			m := &f.nodes[j]
			if m.sink != n.sink || m.parent == noParent {
				continue
			}
			if f.residualTo(n, a) > 0 {
				f.push(j)
			}
			if m.parent == f.arcs[a].back {
				f.orphan(j)
			}
		}
	}
	f.orphans = f.orphans[:0]
}

// residualTo returns what may still flow between n and the head of its arc a in the
// direction that a tree link there would need.
func (f *Flow) residualTo(n *flowNode, a int32) int64 {
	if n.sink {
		return f.arcs[a].cap
	}
	return f.arcs[f.arcs[a].back].cap
}

// rootDistance returns the number of links from i to its terminal, or MaxInt32 when the
// chain of parents ends in an orphan. It stamps the chain, so that each node is walked
// over once per augmentation.
func (f *Flow) rootDistance(i int32) int32 {
	d := int32(0)
	for j := i; ; d++ {
		n := &f.nodes[j]
		if n.stamp == f.clock {
			d += n.dist
			break
		}
		if n.parent == atTerminal {
			n.stamp, n.dist = f.clock, 1
			d++
			break
		}
		if n.parent < 0 {
			return math.MaxInt32
		}
		j = f.arcs[n.parent].head
	}
	left := d
	for j := i; f.nodes[j].stamp != f.clock; left-- {
		n := &f.nodes[j]
		n.stamp, n.dist = f.clock, left
		j = f.arcs[n.parent].head
	}
	return d
}
