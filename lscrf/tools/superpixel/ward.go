package superpixel

// A union is a merge that may be made: its cost, the two regions, and their versions when it was
// computed.
type union struct {
	cost   float64
	i, j   int32
	vi, vj int32
}

// before orders unions by cost, then by name.
func (u *union) before(v *union) bool {
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
	var h unions
	for k := range r.sums {
		if i := int32(k); r.parent[k] == i {
			for _, j := range r.around(i) {
				if i < j {
					h = append(h, union{r.cost(i, j), i, j, r.version[i], r.version[j]})
				}
			}
		}
	}
	h.init()
	for r.alive > count && len(h) > 0 {
		u := h.pop()
		if r.version[u.i] != u.vi || r.version[u.j] != u.vj {
			continue // one of them has grown or gone
		}
		i := u.i
		r.merge(i, u.j)
		for _, j := range r.around(i) {
			a, b := min(i, j), max(i, j)
			h.push(union{r.cost(a, b), a, b, r.version[a], r.version[b]})
		}
	}
}

// unions is a binary heap, the first union before all others. (container/heap would box
// every union that is pushed.)
type unions []union

func (h unions) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *unions) push(u union) {
	*h = append(*h, u)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].before(&s[up]) {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *unions) pop() union {
	s := *h
	u := s[0]
	s[0] = s[len(s)-1]
	*h = s[:len(s)-1]
	h.down(0)
	return u
}

func (h unions) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && h[c+1].before(&h[c]) {
			c++
		}
		if !h[c].before(&h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
