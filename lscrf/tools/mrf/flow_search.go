package mrf

import "math"

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
