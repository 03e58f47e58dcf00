package mrf

// descend improves y by iterated conditional modes (Besag 1986): nodes in turn take the
// label that is best given their neighbors', until a sweep changes nothing. It reports
// whether that happened within the given number of sweeps. The energy never rises, and a
// node moves only for a gain. A sweep costs O(N·L + E·L).
func (s *Solver) descend(p *Problem, y []uint8, sweeps int) bool {
	L := p.Labels
	s.incidence(p)
	s.cost = grow(s.cost, L)
	for range sweeps {
		changed := false
		for i := range y {
			cost := s.cost
			copy(cost, p.Unary[i*L:])
			for _, h := range s.half[s.start[i]:s.start[i+1]] {
				t := p.Pair[int(h.edge)*L*L:]
				if k := int(y[h.other]); h.other > int32(i) { // rows are i's
					for l := range cost {
						cost[l] += t[l*L+k]
					}
				} else {
					for l, c := range t[k*L : k*L+L] {
						cost[l] += c
					}
				}
			}
			best := y[i]
			for l, c := range cost {
				if c < cost[best] {
					best = uint8(l)
				}
			}
			if best != y[i] {
				y[i], changed = best, true
			}
		}
		if !changed {
			return true
		}
	}
	return false
}

// A half is an edge seen from one of its ends.
type half struct{ edge, other int32 }

// incidence lists the edges of every node: those of i are s.half[s.start[i]:s.start[i+1]],
// in the order of Problem.Edges.
func (s *Solver) incidence(p *Problem) {
	n := p.N()
	s.start = grow(s.start, n+1)
	s.half = grow(s.half, 2*len(p.Edges))
	clear(s.start)
	for _, ij := range p.Edges {
		s.start[ij[0]]++
		s.start[ij[1]]++
	}
	sum := int32(0)
	for i, d := range s.start { // start[i] becomes the end of i's range
		sum += d
		s.start[i] = sum
	}
	for e := len(p.Edges) - 1; e >= 0; e-- {
		i, j := p.Edges[e][0], p.Edges[e][1]
		s.start[i]--
		s.half[s.start[i]] = half{int32(e), j}
		s.start[j]--
		s.half[s.start[j]] = half{int32(e), i}
	}
}
