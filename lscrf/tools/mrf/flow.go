package mrf

import "fmt"

// A Flow is a directed graph with a source and a sink, and finds a maximum flow and a
// minimum cut of it. Capacities are integers, so the result is exact and the search ends:
// scale real ones by [FlowScale]. The sum of all capacities must stay below 2⁶².
//
// Nodes are 0..n-1; the two terminals are not among them. Call Reset, the Add methods,
// Solve, then InSource. Reset reuses the memory, so that in steady state nothing is
// allocated. A Flow is not safe for concurrent use. See [Grid] for pictures.
//
// The method is the search-tree algorithm of Boykov and Kolmogorov, "An Experimental
// Comparison of Min-Cut/Max-Flow Algorithms for Energy Minimization in Vision", PAMI 2004:
// fast on sparse graphs with strong terminal links, O(n²mC) at worst.
type Flow struct {
	nodes []flowNode
	links []flowLink // as added
	arcs  []flowArc  // the same by tail, laid out by Solve
	total int64      // flow found
	done  bool       // by Solve

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
		f.nodes[i] = flowNode{parent: noParent}
	}
	f.links = f.links[:0]
	f.total, f.done = 0, false
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

// AddEdge adds capacity from node i to node j and back from j to i. It panics if i = j, if
// a node is out of range or a capacity negative.
func (f *Flow) AddEdge(i, j int, capacity, back int64) {
	if n := len(f.nodes); capacity < 0 || back < 0 || i == j || i < 0 || i >= n || j < 0 || j >= n {
		panic(fmt.Sprintf("mrf: AddEdge(%d, %d, %d, %d): want two of %d nodes and capacities >= 0", i, j, capacity, back, n))
	}
	f.link(int32(i), int32(j), capacity, back)
}

func (f *Flow) link(i, j int32, capacity, back int64) {
	f.links = append(f.links, flowLink{capacity, back, i, j})
}

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

// Solve finds a maximum flow and returns its value, the capacity of a minimum cut. It
// panics when it is called again without a Reset.
func (f *Flow) Solve() int64 {
	if f.done {
		panic("mrf: Flow.Solve called twice, want a Reset between")
	}
	f.done = true
	f.build()
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
