package superpixel

import "hdseg/lscrf/internal/heap"

// A union is a merge that may be made: its cost, the two regions, and their versions when it was
// computed.
type union struct {
	cost   float64
	i, j   int32
	vi, vj int32
}

// Before orders unions by cost, then by name.
func (u union) Before(v union) bool {
	if u.cost != v.cost {
		return u.cost < v.cost
	}
	return u.i < v.i || u.i == v.i && u.j < v.j
}

// mergeTo makes the cheapest union again and again until count regions are left, or one.
func (r *regions) mergeTo(count int) {
	if r.alive <= count {
		return
	}
	var h heap.Heap[union]
	for k := range r.sums {
		if i := int32(k); r.parent[k] == i {
			for _, j := range r.around(i) {
				if i < j {
					h.Push(union{r.cost(i, j), i, j, r.version[i], r.version[j]})
				}
			}
		}
	}
	for r.alive > count && len(h) > 0 {
		u := h.Pop()
		if r.version[u.i] != u.vi || r.version[u.j] != u.vj {
			continue // one of them has grown or gone
		}
		i := u.i
		r.merge(i, u.j)
		for _, j := range r.around(i) {
			a, b := min(i, j), max(i, j)
			h.Push(union{r.cost(a, b), a, b, r.version[a], r.version[b]})
		}
	}
}
