package pool

import (
	"fmt"
	"slices"
)

// A Neighbor is a source window and its squared distance to a query.
type Neighbor struct {
	Window   int
	Distance float32 // squared
}

// Nearest returns for each query, descriptors of this pool one after another, its k nearest windows, nearest first, ties by window number; fewer
// if the pool, without the windows that exclude names (may be nil), has fewer. The search is exact: ‖a‖² + ‖b‖² - 2a·b over the whole pool, in
// blocks of four windows and 16 queries that stay in the cache, so that many queries at once read the pool once for each 16. Cost: one
// multiplication per value of a query and a window.
func (p *Pool) Nearest(queries []float32, k int, exclude func(id string) bool) [][]Neighbor {
	if len(queries)%p.size != 0 || k < 1 {
		panic(fmt.Sprintf("pool: %d query values and %d neighbours, want a multiple of %d and 1 or more", len(queries), k, p.size))
	}
	var keep []int // windows
	for i := range p.windows {
		if exclude == nil || !exclude(p.windows[i].ID) {
			keep = append(keep, i)
		}
	}
	nq := len(queries) / p.size
	query := func(q int) []float32 { return queries[q*p.size:][:p.size] }
	out, norm := make([][]Neighbor, nq), make([]float32, nq)
	for q := range out {
		out[q], norm[q] = make([]Neighbor, 0, min(k, len(keep))), dot(query(q), query(q))
	}
	var ab [4]float32
	const tile = 16 // queries; 16 x 1769 floats are 113 kB
	for q0 := 0; q0 < nq; q0 += tile {
		for four := range slices.Chunk(keep, 4) {
			for q := q0; q < min(q0+tile, nq); q++ {
				p.products(ab[:], four, query(q))
				for k, i := range four {
					out[q] = nearer(out[q], Neighbor{i, norm[q] + p.norm[i] - 2*ab[k]})
				}
			}
		}
	}
	for _, near := range out {
		for i := range near {
			near[i].Distance = max(near[i].Distance, 0) // rounding
		}
	}
	return out
}

// nearer puts a neighbour in its place in a list, nearest first, behind its equals; a full list (of its capacity) loses its last.
func nearer(near []Neighbor, n Neighbor) []Neighbor {
	at := len(near)
	if at < cap(near) {
		near = append(near, n)
	} else if at--; near[at].Distance <= n.Distance {
		return near
	}
	for ; at > 0 && near[at-1].Distance > n.Distance; at-- {
		near[at] = near[at-1]
	}
	near[at] = n
	return near
}
