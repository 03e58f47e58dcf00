package mrf

// descend improves y by iterated conditional modes (Besag 1986): nodes in turn take the
// label that is best given their neighbors', until a sweep changes nothing. It reports
// whether that happened within the given number of sweeps. The energy never rises, and a
// node moves only for a gain. A sweep costs O(N·L + E·L). s.graph must be p's.
func (s *Solver) descend(p *Problem, y []uint8, sweeps int) bool {
	L := p.Labels
	s.cost = grow(s.cost, L)
	cost := s.cost
	for range sweeps {
		changed := false
		for i := range y {
			copy(cost, p.Unary[i*L:i*L+L])
			for _, h := range s.graph.early(i) { // rows are the other's
				k := int(h.edge)*L*L + int(y[h.other])*L
				for l, c := range p.Pair[k : k+L] {
					cost[l] += c
				}
			}
			for _, h := range s.graph.later(i) {
				k := int(h.edge)*L*L + int(y[h.other])
				for l := range cost {
					cost[l] += p.Pair[k+l*L]
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
