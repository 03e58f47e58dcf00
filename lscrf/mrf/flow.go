package mrf

import "fmt"

// A Flow is a directed graph with a source and a sink, and finds a maximum flow and a
// minimum cut of it. Capacities are integers, so the result is exact and the search ends:
// scale real ones by [FlowScale]. The sum of all capacities must stay below 2⁶².
//
// Nodes are 0..n-1; the two terminals are not among them. The zero Flow has no nodes: call
// Reset first. Reset, the Add calls, Solve, then InSource; a Flow that is Reset reuses its
// memory, so that in steady state nothing is allocated. It is not safe for concurrent use.
//
// The method is the search-tree algorithm of Boykov and Kolmogorov, "An Experimental
// Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in Vision", PAMI 2004:
// fast on sparse graphs with strong terminal links, O(n²mC) at worst.
type Flow struct {
	nodes []flowNode
	arcs  []flowArc // arcs 2k and 2k+1 are each other's reverse
	total int64     // flow found

	queue   []int32 // ring of active nodes; a node is in it at most once
	head    int     // first active
	active  int     // how many
	orphans []int32
	clock   int32
}

// A flowNode belongs to the source's tree, the sink's, or (parent = noParent) to none.
type flowNode struct {
	spare  int64 // residual from the source if > 0, to the sink if < 0
	first  int32 // first outgoing arc, or -1
	parent int32 // arc towards the root, or one of the codes below
	stamp  int32 // when dist was last known to be right
	dist   int32 // number of arcs to the terminal
	sink   bool  // which tree
	queued bool
}

type flowArc struct {
	cap  int64 // residual
	head int32
	next int32 // next arc out of the same node, or -1
}

const (
	noParent   = int32(-1)
	atTerminal = int32(-2) // child of the terminal itself
	orphaned   = int32(-3)
)

// FlowScale returns the largest power of two, at most 2⁵², by which capacities that sum to
// total may be multiplied before they are truncated to integers. Truncation then changes a
// cut by less than one unit, 1/FlowScale(total), per arc: about 2⁻⁶⁰·total.
func FlowScale(total float64) float64 {
	return scaleFor(total, 60)
}

// Reset empties the graph and gives it n nodes without links. It keeps the memory.
func (f *Flow) Reset(n int) {
	f.nodes = grow(f.nodes, n)
	for i := range f.nodes {
		f.nodes[i] = flowNode{first: -1, parent: noParent}
	}
	f.arcs = f.arcs[:0]
	f.total = 0
}

// AddTerminal adds capacities from the source to node i and from i to the sink. Calls for
// one node add up. It panics on a negative capacity.
func (f *Flow) AddTerminal(i int, source, sink int64) {
	if source < 0 || sink < 0 {
		panic(fmt.Sprintf("mrf: AddTerminal(%d, %d, %d): negative capacity", i, source, sink))
	}
	n := &f.nodes[i]
	// What passes straight through i is flow; only the difference is searched for.
	if n.spare > 0 {
		source += n.spare
	} else {
		sink -= n.spare
	}
	f.total += min(source, sink)
	n.spare = source - sink
}

// AddEdge adds capacity from node i to node j and back from j to i. It panics if i = j or
// a capacity is negative.
func (f *Flow) AddEdge(i, j int, capacity, back int64) {
	if capacity < 0 || back < 0 || i == j {
		panic(fmt.Sprintf("mrf: AddEdge(%d, %d, %d, %d): want two nodes and capacities >= 0", i, j, capacity, back))
	}
	f.link(int32(i), int32(j), capacity, back)
}

func (f *Flow) link(i, j int32, capacity, back int64) {
	a := int32(len(f.arcs))
	ni, nj := &f.nodes[i], &f.nodes[j]
	f.arcs = append(f.arcs,
		flowArc{cap: capacity, head: j, next: ni.first},
		flowArc{cap: back, head: i, next: nj.first})
	ni.first, nj.first = a, a+1
}

// Solve finds a maximum flow and returns its value, the capacity of a minimum cut.
func (f *Flow) Solve() int64 {
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
		n.stamp, n.queued = 0, false
		if n.spare == 0 {
			n.parent = noParent
			continue
		}
		n.sink = n.spare < 0
		n.parent, n.dist = atTerminal, 1
		f.push(int32(i))
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
