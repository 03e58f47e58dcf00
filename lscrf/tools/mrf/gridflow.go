package mrf

import "fmt"

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
	stride        int      // width+2: the picture has a frame of one pixel without capacity
	offset        [8]int32 // to the neighbour in each direction; opposite directions differ in the lowest bit
	nodes         []gridNode
	capacity      []int32 // [8*p+d] is the residual capacity from p to its neighbour in direction d
	queue         []int32 // active nodes, a ring as large as the padded picture
	orphans       []int32
	clock         int32
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
