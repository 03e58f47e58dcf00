package mrf

import (
	"fmt"
)

// A Direction names one of the four neighbours of a pixel that come after it in scan order;
// with the other four they make its 8-neighbourhood.
type Direction uint8

// The directions in which SetPair takes weights.
const (
	East      Direction = 0 // (x+1, y)
	South     Direction = 2 // (x, y+1)
	SouthEast Direction = 4 // (x+1, y+1)
	SouthWest Direction = 6 // (x-1, y+1)
)

// A Grid minimizes the binary energy
//
//	E(y) = Σᵢ uᵢ·yᵢ + Σᵢⱼ wᵢⱼ·[yᵢ ≠ yⱼ],   y ∈ {0, 1}, wᵢⱼ ≥ 0,
//
// exactly, over the pixels i = y*width+x of a picture and their 8-neighbours, by maximum flow
// (GridFlow's solver is in gridflow_solve.go). Weights are integers so that the result does not
// depend on rounding; scale real ones before. After Solve, unaries may be changed with AddUnary and
// Solve called again: the old flow stays valid and only the difference is paid for (Kohli and
// Torr, "Dynamic graph cuts", PAMI 2007). A Grid may be reused for a picture of another size by
// Reset, without new allocations if the new one is not larger. Not for concurrent use.
//
// Memory: 48 bytes per pixel. The absolute sum of unaries and weights at one pixel must stay
// below 2³⁰.
type Grid struct {
	width, height int
	stride        int // width+2: the picture has a frame of one pixel without capacity
	// to the neighbour in each direction; opposite directions differ in the lowest bit
	offset   [8]int32
	nodes    []gridNode
	capacity []int32 // [8*p+d] is the residual capacity from p to its neighbour in direction d
	queue    []int32 // active nodes, a ring as large as the padded picture
	orphans  []int32
	clock    int32
}

// A gridNode is the state of one pixel in the search trees.
type gridNode struct {
	terminal int32 // residual capacity from the source (> 0) or to the sink (< 0)
	stamp    int32 // the clock when dist was known to be right
	dist     int32 // steps to the terminal
	parent   uint8 // direction of the parent, or one of the values below
	tree     uint8
	active   bool
}

const (
	parentTerminal uint8 = 8
	parentNone     uint8 = 9
	parentOrphan   uint8 = 10

	treeFree   uint8 = 0
	treeSource uint8 = 1 // label 1
	treeSink   uint8 = 2 // label 0
)

// NewGrid returns a grid without any terms.
func NewGrid(width, height int) *Grid {
	g := &Grid{}
	g.Reset(width, height)
	return g
}

// Reset removes all terms and sets the size.
func (g *Grid) Reset(width, height int) {
	if width <= 0 || height <= 0 || (width+2)*(height+2) > 1<<27 {
		panic(fmt.Sprintf("mrf: grid of %d x %d, want positive sides and less than 2^27 pixels", width, height))
	}
	g.width, g.height, g.stride = width, height, width+2
	s := int32(g.stride)
	g.offset = [8]int32{1, -1, s, -s, s + 1, -s - 1, s - 1, -s + 1}
	n := g.stride * (height + 2)
	if cap(g.nodes) < n {
		g.nodes, g.capacity, g.queue = make([]gridNode, n), make([]int32, 8*n), make([]int32, n)
		return
	}
	g.nodes, g.capacity, g.queue = g.nodes[:n], g.capacity[:8*n], g.queue[:n]
	clear(g.nodes)
	clear(g.capacity)
}

// at returns the padded index of pixel i.
func (g *Grid) at(i int) int {
	if i < 0 || i >= g.width*g.height {
		panic(fmt.Sprintf("mrf: pixel %d, want 0..%d", i, g.width*g.height-1))
	}
	return (i/g.width+1)*g.stride + i%g.width + 1
}

// SetPair sets the weight w ≥ 0 between pixel i and its neighbour in direction d, before the first
// Solve. A neighbour outside the picture is the caller's bug.
func (g *Grid) SetPair(i int, d Direction, w int32) {
	p := g.at(i)
	x, y := i%g.width, i/g.width
	if (d == East || d == SouthEast) && x == g.width-1 || d == SouthWest && x == 0 || d != East && y == g.height-1 {
		panic(fmt.Sprintf("mrf: pixel (%d, %d) of %d x %d has no neighbour in direction %d", x, y, g.width, g.height, d))
	}
	if w < 0 {
		panic(fmt.Sprintf("mrf: pair weight %d, want 0 or more", w))
	}
	q := p + int(g.offset[d])
	g.capacity[8*p+int(d)], g.capacity[8*q+int(d^1)] = w, w
}

// AddUnary adds u to the cost of label 1 at pixel i (a negative u favors it).
func (g *Grid) AddUnary(i int, u int32) { g.nodes[g.at(i)].terminal -= u }

// Label returns the label of pixel i that Solve found: 0 or 1. Where both labels cost the same
// it is 0.
func (g *Grid) Label(i int) uint8 {
	if g.nodes[g.at(i)].tree == treeSource {
		return 1
	}
	return 0
}

// Solve finds the labeling of least energy, and of those the one with the fewest pixels of label 1.
//
// Two search trees grow from the terminals, a path where they meet is saturated, and nodes that
// lost their parent look for another one in the same tree (Boykov and Kolmogorov, "An experimental
// comparison of min-cut/max-flow algorithms", PAMI 2004), with the distance and time-stamp marks of
// that paper's section 3.2.3. Neighbours are computed from the index, so that a node and its eight
// residual capacities are all that is touched. Cost: worst case far from linear, in practice about
// 0.2 µs to 2 µs a pixel for pictures.
func (g *Grid) Solve() {
	g.plant()
	var head, count int
	ring := g.queue
	push := func(p int32) {
		if n := &g.nodes[p]; !n.active {
			n.active = true
			at := head + count
			if at >= len(ring) {
				at -= len(ring)
			}
			ring[at] = p
			count++
		}
	}
	for p := range g.nodes {
		if g.nodes[p].tree != treeFree {
			push(int32(p))
		}
	}
	for count > 0 {
		p := ring[head]
		n := &g.nodes[p]
		if n.tree == treeFree {
			n.active = false
		} else if q, d, met := g.grow(p, push); met {
			// p stays at the head: it may meet the other tree again.
			g.augment(p, q, d)
			g.adopt(push)
			continue
		} else {
			n.active = false
		}
		if head++; head == len(ring) {
			head = 0
		}
		count--
	}
}

// plant makes every pixel with a terminal capacity the root of a tree.
func (g *Grid) plant() {
	g.clock = 0
	g.orphans = g.orphans[:0]
	for p := range g.nodes {
		n := &g.nodes[p]
		n.stamp, n.active = 0, false
		switch {
		case n.terminal > 0:
			n.tree, n.parent, n.dist = treeSource, parentTerminal, 1
		case n.terminal < 0:
			n.tree, n.parent, n.dist = treeSink, parentTerminal, 1
		default:
			n.tree, n.parent, n.dist = treeFree, parentNone, 0
		}
	}
}

// grow lets p's tree take p's free neighbours, until it finds a neighbour q, in direction d, of
// the other tree to which flow can go (or from which, when p is on the sink's side).
func (g *Grid) grow(p int32, push func(int32)) (q int32, d uint8, met bool) {
	n := &g.nodes[p]
	tree := n.tree
	own := g.capacity[8*p : 8*p+8 : 8*p+8]
	for d := range uint8(8) {
		q := p + g.offset[d]
		if tree == treeSource && own[d] == 0 {
			continue
		}
		if tree == treeSink && (q < 0 || int(q) >= len(g.nodes) || g.capacity[8*q+int32(d^1)] == 0) {
			continue
		}
		switch m := &g.nodes[q]; {
		case m.tree == treeFree:
			m.tree, m.parent, m.stamp, m.dist = tree, d^1, n.stamp, n.dist+1
			push(q)
		case m.tree != tree:
			return q, d, true
		case m.stamp <= n.stamp && m.dist > n.dist+1:
			m.parent, m.stamp, m.dist = d^1, n.stamp, n.dist+1
		}
	}
	return 0, 0, false
}

// augment saturates the path source … p – q … sink (or its mirror image) and makes the nodes below
// saturated arcs orphans.
func (g *Grid) augment(p, q int32, d uint8) {
	if g.nodes[p].tree == treeSink {
		p, q, d = q, p, d^1
	}
	// The smallest residual capacity on the way.
	least := g.capacity[8*p+int32(d)]
	s := p
	for g.nodes[s].parent != parentTerminal {
		up := g.nodes[s].parent
		s += g.offset[up]
		least = min(least, g.capacity[8*s+int32(up^1)])
	}
	least = min(least, g.nodes[s].terminal)
	t := q
	for g.nodes[t].parent != parentTerminal {
		up := g.nodes[t].parent
		least = min(least, g.capacity[8*t+int32(up)])
		t += g.offset[up]
	}
	least = min(least, -g.nodes[t].terminal)

	g.capacity[8*p+int32(d)] -= least
	g.capacity[8*q+int32(d^1)] += least
	for s = p; g.nodes[s].parent != parentTerminal; {
		up := g.nodes[s].parent
		above := s + g.offset[up]
		g.capacity[8*s+int32(up)] += least
		if r := &g.capacity[8*above+int32(up^1)]; *r == least {
			*r = 0
			g.orphan(s)
		} else {
			*r -= least
		}
		s = above
	}
	if g.nodes[s].terminal -= least; g.nodes[s].terminal == 0 {
		g.orphan(s)
	}
	for t = q; g.nodes[t].parent != parentTerminal; {
		up := g.nodes[t].parent
		above := t + g.offset[up]
		g.capacity[8*above+int32(up^1)] += least
		if r := &g.capacity[8*t+int32(up)]; *r == least {
			*r = 0
			g.orphan(t)
		} else {
			*r -= least
		}
		t = above
	}
	if g.nodes[t].terminal += least; g.nodes[t].terminal == 0 {
		g.orphan(t)
	}
}

func (g *Grid) orphan(p int32) {
	g.nodes[p].parent = parentOrphan
	g.orphans = append(g.orphans, p)
}

// adopt finds every orphan a new parent in its own tree or sets it free.
func (g *Grid) adopt(push func(int32)) {
	g.clock++
	for k := 0; k < len(g.orphans); k++ {
		g.adoptOne(g.orphans[k], push)
	}
	g.orphans = g.orphans[:0]
}

func (g *Grid) adoptOne(p int32, push func(int32)) {
	n := &g.nodes[p]
	tree := n.tree
	best, bestDist := parentNone, int32(1<<30)
	for d := range uint8(8) {
		q := p + g.offset[d]
		if q < 0 || int(q) >= len(g.nodes) || g.nodes[q].tree != tree || !g.canFeed(p, q, d, tree) {
			continue
		}
		if dist, ok := g.rooted(q); ok {
			if dist < bestDist {
				best, bestDist = d, dist
			}
			// Mark the way up, so that the next orphans need not walk it.
			for r := q; g.nodes[r].stamp != g.clock; r += g.offset[g.nodes[r].parent] {
				g.nodes[r].stamp, g.nodes[r].dist = g.clock, dist
				dist--
				if g.nodes[r].parent == parentTerminal {
					break
				}
			}
		}
	}
	if best != parentNone {
		n.parent, n.stamp, n.dist = best, g.clock, bestDist+1
		return
	}
	// No way back to the terminal: the node's children are orphans too, and neighbours that could
	// take it in must look at it again.
	for d := range uint8(8) {
		q := p + g.offset[d]
		if q < 0 || int(q) >= len(g.nodes) {
			continue
		}
		m := &g.nodes[q]
		if m.tree != tree {
			continue
		}
		if g.canFeed(p, q, d, tree) {
			push(q)
		}
		if m.parent < 8 && q+g.offset[m.parent] == p {
			g.orphan(q)
		}
	}
	n.tree, n.parent = treeFree, parentNone
}

// canFeed tells whether flow can reach p from its neighbour q in direction d (source tree), or q
// from p (sink tree).
func (g *Grid) canFeed(p, q int32, d, tree uint8) bool {
	if tree == treeSource {
		return g.capacity[8*q+int32(d^1)] > 0
	}
	return g.capacity[8*p+int32(d)] > 0
}

// rooted returns the number of steps from q to its terminal, or false if an orphan is on the way.
func (g *Grid) rooted(q int32) (dist int32, ok bool) {
	for steps := int32(0); ; steps++ {
		n := &g.nodes[q]
		switch {
		case n.stamp == g.clock:
			return n.dist + steps, true
		case n.parent == parentTerminal:
			return 1 + steps, true
		case n.parent == parentOrphan || n.parent == parentNone:
			return 0, false
		}
		q += g.offset[n.parent]
	}
}
