package mrf

import "math"

// found is what search knows.
type found struct {
	exact      bool    // the labels are optimal
	eliminated bool    // the last open nodes were eliminated
	bound      float64 // lower bound of the energy
	closed     int     // nodes whose label is settled
	iterations int
	limited    bool // the number of iterations ended it
}

// search runs TRW-S on p, whose incidence is g, and leaves its best labels in y. After
// each iteration it drops the labels that the bound and the best energy exclude, and ends
// early when what is left can be eliminated in about the time of an iteration.
func (s *Solver) search(p *Problem, g *incidence, y []uint8, o Options) found {
	t := &s.trws
	t.load(p, g)
	s.trial = grow(s.trial, len(y))
	alone(p, y)
	upper := p.Energy(y)
	bound, before := math.Inf(-1), math.Inf(-1)
	f := found{limited: true}
	for f.iterations < o.Iterations {
		f.iterations++
		t.forward()
		if f.iterations > 1 {
			t.floor = bound
			if s.finish(p, g, y, upper, min(o.Tables, len(p.Pair)/8)) {
				f.exact, f.eliminated, f.limited = true, true, false
				break
			}
		}
		bound = t.backward()
		if e := t.decode(s.trial); e < upper {
			upper = e
			copy(y, s.trial)
		}
		if upper-bound <= t.slack {
			f.exact, f.limited = true, false
			break
		}
		if f.iterations%10 == 0 {
			if f.iterations > 10 && bound-before < 10*o.Tolerance {
				f.limited = false
				break
			}
			before = bound
		}
	}
	t.p, t.graph = nil, nil // a Solver does not keep its caller's memory
	f.bound = bound
	f.closed = len(y)
	if !f.exact {
		f.closed -= len(s.left.id)
	}
	return f
}

// finish prunes labels and, if the open nodes take at most limit table entries, gives y
// their optimal labels and reports true.
func (s *Solver) finish(p *Problem, g *incidence, y []uint8, upper float64, limit int) bool {
	c := &s.left
	s.trial = append(s.trial[:0], y...)
	s.trws.prune(c, s.trial, upper)
	if limit == 0 || !c.fold(p, g, s.trial, limit) || !s.elim.plan(c, limit) {
		return false
	}
	s.elim.run(s.trial)
	copy(y, s.trial)
	return true
}

// solveTRWS is message passing alone.
func (s *Solver) solveTRWS(p *Problem, o Options) Result {
	o.Tables = 0
	f := s.search(p, &s.graph, s.labels, o)
	r := s.local(p, TRWS, f.bound, !f.limited)
	return f.report(r)
}

// report adds what f knows to a result.
func (f found) report(r Result) Result {
	r.Iterations, r.Persistent = f.iterations, f.closed
	if f.exact {
		r.Status, r.Bound = Optimal, r.Energy
	}
	return r
}

// solveMany is method auto for more than two labels and graphs with cycles.
func (s *Solver) solveMany(p *Problem, o Options) Result {
	y := s.labels
	f := s.search(p, &s.graph, y, o)
	method := TRWS
	if f.exact {
		if f.eliminated {
			method = Exact
		}
		return f.report(s.local(p, method, f.bound, true))
	}
	before := p.Energy(y)
	s.descend(p, y, o.Sweeps)
	s.expand(p, y, o.Rounds)
	s.shake(p, y, o)
	if p.Energy(y) < before {
		method = Expansion
	}
	if f.iterations > 1 && s.finish(p, &s.graph, y, p.Energy(y), o.Tables) {
		f.exact, method = true, Exact
		f.closed = len(y)
	}
	return f.report(s.local(p, method, f.bound, !f.limited))
}
