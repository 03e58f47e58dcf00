package feature

import (
	"math"

	"hdseg/lscrf/internal/heap"
)

// A roads is the graph of superpixels with the contrast of neighbors as the length of an edge.
type roads struct {
	next   [][]int32
	length [][]float64
	heap   heap.Heap[stop]
}

// A stop is a node that was reached at a distance.
type stop struct {
	at   float64
	node int32
}

// Before tells whether a stop is nearer.
func (s stop) Before(o stop) bool { return s.at < o.at }

// newRoads takes the edges of n superpixels. A contrast that is below the median over superpixels
// of the least contrast to a neighbor is noise and counts 0, a larger one counts what it is more
// (weight clipping, Wei et al. 2012, section 3).
func newRoads(r []region, edges [][2]int32) *roads {
	g := &roads{next: make([][]int32, len(r)), length: make([][]float64, len(r))}
	least := make([]float64, len(r))
	for i := range least {
		least[i] = math.Inf(1)
	}
	for _, e := range edges {
		d := contrast(&r[e[0]], &r[e[1]])
		for k, s := range e {
			g.next[s] = append(g.next[s], e[1-k])
			g.length[s] = append(g.length[s], d)
			least[s] = min(least[s], d)
		}
	}
	noise := median(least)
	for _, lengths := range g.length {
		for k, d := range lengths {
			lengths[k] = max(0, d-noise)
		}
	}
	return g
}

// distances writes to d the length of the shortest way from any of the start nodes, as far as it is
// below a limit, else +Inf (Dijkstra 1959).
func (g *roads) distances(d []float64, limit float64, from ...int32) {
	for i := range d {
		d[i] = math.Inf(1)
	}
	g.heap = g.heap[:0]
	for _, s := range from {
		d[s] = 0
		g.heap.Push(stop{0, s})
	}
	for len(g.heap) > 0 {
		s := g.heap.Pop()
		if s.at > d[s.node] {
			continue // reached on a shorter way since
		}
		for k, t := range g.next[s.node] {
			if at := s.at + g.length[s.node][k]; at < d[t] && at < limit {
				d[t] = at
				g.heap.Push(stop{at, t})
			}
		}
	}
}
