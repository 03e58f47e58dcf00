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

// Nearest returns for each query, len(queries)/descriptor size of them one after another, its k nearest
// windows, nearest first, ties by window number; fewer if the pool, without the windows that exclude names
// (may be nil), has fewer. The search is exact: ‖a‖² + ‖b‖² - 2a·b over the whole pool, in tiles
// that stay in the cache. Cost: one multiplication per value of a query and a window.
func (p *Pool) Nearest(queries []float32, k int, exclude func(id string) bool) [][]Neighbor {
	if len(queries)%descSize != 0 {
		panic(fmt.Sprintf("pool: %d query values, want a multiple of %d", len(queries), descSize))
	}
	nq, n := len(queries)/descSize, len(p.windows)
	keep := make([]bool, n)
	kept := 0
	for i := range keep {
		if keep[i] = exclude == nil || !exclude(p.windows[i].ID); keep[i] {
			kept++
		}
	}
	out := make([][]Neighbor, nq)
	for q := range out {
		out[q] = make([]Neighbor, 0, kept)
	}
	const tile = 16 // queries; 16 x 1769 floats are 113 kB
	for q0 := 0; q0 < nq; q0 += tile {
		for i := range n {
			if !keep[i] {
				continue
			}
			b := p.desc[i*descSize:][:descSize]
			for q := q0; q < min(q0+tile, nq); q++ {
				a := queries[q*descSize:][:descSize]
				out[q] = append(out[q], Neighbor{i, dot(a, a) + p.norm[i] - 2*dot(a, b)})
			}
		}
	}
	for q, all := range out {
		slices.SortFunc(all, func(a, b Neighbor) int {
			switch {
			case a.Distance < b.Distance:
				return -1
			case a.Distance > b.Distance:
				return 1
			}
			return a.Window - b.Window
		})
		out[q] = slices.Clip(all[:min(k, len(all))])
		for i := range out[q] {
			out[q][i].Distance = max(out[q][i].Distance, 0) // rounding
		}
	}
	return out
}

// dot returns Σ aᵢbᵢ, summed in eight interleaved parts.
func dot(a, b []float32) float32 {
	var s [8]float32
	n := len(a) &^ 7
	for i := 0; i < n; i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s[0] += x[0] * y[0]
		s[1] += x[1] * y[1]
		s[2] += x[2] * y[2]
		s[3] += x[3] * y[3]
		s[4] += x[4] * y[4]
		s[5] += x[5] * y[5]
		s[6] += x[6] * y[6]
		s[7] += x[7] * y[7]
	}
	t := (s[0] + s[4]) + (s[1] + s[5]) + ((s[2] + s[6]) + (s[3] + s[7]))
	for i := n; i < len(a); i++ {
		t += a[i] * b[i]
	}
	return t
}
