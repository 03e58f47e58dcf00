package mrf

import (
	"math"
	"math/rand/v2"
)

// fuse gives every node the better of its label in y and its label in z, jointly, as far
// as roof duality can tell: a fusion move (Lempitsky, Rother, Roth and Blake, "Fusion
// Moves for Markov Random Field Optimization", PAMI 2010). Undecided nodes keep y, which
// never costs energy (autarky). It reports whether y changed. s.graph must be p's.
func (s *Solver) fuse(p *Problem, y, z []uint8) bool {
	c := &s.pair
	c.begin(len(y))
	for i := range y {
		if y[i] != z[i] {
			c.keep(int(y[i]))
			c.keep(int(z[i]))
			c.open(i)
		}
	}
	if len(c.id) == 0 {
		return false
	}
	c.fold(p, &s.graph, y, math.MaxInt32)
	s.take = grow(s.take, len(c.id))
	two := c.problem()
	s.boolean.solve(&two, &s.flow, s.take)
	changed := false
	for v, i := range c.id {
		if s.take[v] == 1 {
			y[i] = z[i]
			changed = true
		}
	}
	return changed
}

// expand improves y by fusion moves towards each constant labeling in turn (alpha
// expansion: Boykov, Veksler and Zabih, PAMI 2001, for tables of any kind) until a whole
// round changes nothing, and reports whether that happened within the given rounds.
func (s *Solver) expand(p *Problem, y []uint8, rounds int) bool {
	s.proposal = grow(s.proposal, len(y))
	still := 0
	for range rounds {
		for l := range p.Labels {
			for i := range s.proposal {
				s.proposal[i] = uint8(l)
			}
			still++
			if s.gain(p, y, s.proposal) {
				still = 0
			}
			if still == p.Labels {
				return true
			}
		}
	}
	return false
}

// shake improves y by fusion with labelings in which a random part of the nodes has other
// labels, first all nodes, then ever fewer. For two labels the other label is the opposite
// one and this is QPBO-I (Rother, Kolmogorov, Lempitsky and Szummer, "Optimizing Binary
// MRFs via Extended Roof Duality", CVPR 2007), with nodes fixed by sixteenths. It ends
// early when a round gains nothing.
func (s *Solver) shake(p *Problem, y []uint8, o effort) {
	s.random.Seed(o.seed, uint64(len(y)))
	r := rand.New(&s.random)
	n := len(y)
	s.proposal, s.shuffled = grow(s.proposal, n), grow(s.shuffled, n)
	for i := range s.shuffled {
		s.shuffled[i] = int32(i)
	}
	for range o.rounds {
		r.Shuffle(n, func(a, b int) { s.shuffled[a], s.shuffled[b] = s.shuffled[b], s.shuffled[a] })
		gained := false
		for part := 16; part > 0; part-- {
			copy(s.proposal, y)
			for _, i := range s.shuffled[:(n*part+15)/16] {
				s.proposal[i] = uint8((int(y[i]) + 1 + r.IntN(p.Labels-1)) % p.Labels)
			}
			if s.gain(p, y, s.proposal) {
				gained = true
			}
		}
		if !gained {
			return
		}
	}
}

// gain is fuse that keeps y when nothing was gained beyond rounding, so that loops end.
func (s *Solver) gain(p *Problem, y, z []uint8) bool {
	s.saved = append(s.saved[:0], y...)
	before := p.Energy(y)
	if !s.fuse(p, y, z) {
		return false
	}
	if p.Energy(y) < before {
		return true
	}
	copy(y, s.saved)
	return false
}

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
