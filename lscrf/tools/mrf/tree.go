package mrf

// A forest is a graph without cycles, laid out for dynamic programming: order lists the
// nodes so that every parent stands before its children. up[i] is the edge from i to its
// parent, and parent[i] the parent, both -1 for a root.
type forest struct {
	order, up, parent []int32
}

// plant lays out the graph, lowest-numbered node of each component as its root, and
// reports false if there is a cycle. It does not recurse, so chains may be long.
func (f *forest) plant(n int, g *incidence) bool {
	f.order, f.up, f.parent = grow(f.order, n)[:0], grow(f.up, n), grow(f.parent, n)
	const unseen = -2
	for i := range n {
		f.parent[i] = unseen
	}
	for root := range n {
		if f.parent[root] != unseen {
			continue
		}
		f.parent[root], f.up[root] = -1, -1
		f.order = append(f.order, int32(root))
		for k := len(f.order) - 1; k < len(f.order); k++ {
			i := f.order[k]
			for _, h := range g.edges(int(i)) {
				switch {
				case h.edge == f.up[i]:
				case f.parent[h.other] != unseen:
					return false
				default:
					f.parent[h.other], f.up[h.other] = i, h.edge
					f.order = append(f.order, h.other)
				}
			}
		}
	}
	return true
}

// solveTree minimizes exactly on s.forest, which is p's, by min-sum dynamic programming from
// the leaves to the roots, in time O(N·L²). Among equally good labels the lowest is taken,
// root first.
func (s *Solver) solveTree(p *Problem) Result {
	n, L := p.N(), p.Labels
	// best[i*L+k] is the least cost of i's subtree with yᵢ = k.
	s.best = append(s.best[:0], p.Unary...)
	order, up, parent := s.forest.order, s.forest.up, s.forest.parent
	for k := n - 1; k >= 0; k-- {
		i := order[k]
		if up[i] < 0 {
			continue
		}
		mine, at := s.best[int(i)*L:int(i+1)*L], int(parent[i])*L
		for l := range L {
			t, step := p.towards(up[i], parent[i] < i, l)
			least := mine[0] + t[0]
			for x, c := range mine {
				least = min(least, c+t[x*step])
			}
			s.best[at+l] += least
		}
	}
	y := s.labels
	for _, i := range order {
		mine := s.best[int(i)*L : int(i+1)*L]
		t, step := s.zeros(L), 1
		if up[i] >= 0 {
			t, step = p.towards(up[i], parent[i] < i, int(y[parent[i]]))
		}
		best := 0
		for x, c := range mine {
			if c+t[x*step] < mine[best]+t[best*step] {
				best = x
			}
		}
		y[i] = uint8(best)
	}
	return s.optimal(p, Tree)
}

// towards returns the costs of edge e as a function of the label x of one end while the
// other end has label l, as t[x*step]. fixedFirst says that the other end is the first.
func (p *Problem) towards(e int32, fixedFirst bool, l int) (t []float64, step int) {
	L := p.Labels
	t = p.Pair[int(e)*L*L : int(e+1)*L*L]
	if fixedFirst {
		return t[l*L : l*L+L], 1
	}
	return t[l:], L
}

// zeros returns L zeros, to be read only.
func (s *Solver) zeros(L int) []float64 {
	s.cost = grow(s.cost, L)
	clear(s.cost)
	return s.cost
}
