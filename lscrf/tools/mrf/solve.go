package mrf

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Solver holds the memory that solving needs, so that a series of problems of similar
// size is solved without allocation. The zero Solver is ready. One Solver serves one
// goroutine at a time; results do not depend on what it solved before.
type Solver struct {
	labels []uint8
	graph  incidence // of the problem at hand

	boolean boolean
	flow    Flow
	trws    trws
	forest  forest
	best    []float64 // of the forest
	cost    []float64 // of one node's labels

	rest  core    // nodes that roof duality leaves open
	sub   Problem // the same
	left  core    // nodes that TRW-S leaves open
	pair  core    // nodes of a fusion move
	elim  eliminator
	trial []uint8 // labeling under test
	take  []uint8 // labels of an open core

	proposal, saved []uint8
	shuffled        []int32
	random          rand.PCG
}

// Solve minimizes p's energy, or says how far the optimum may be. Result.Labels belong to
// the Solver and are valid until its next call. Equal problems give equal results.
//
// It treats two labels by a cut, which is exact when the problem is submodular as it stands,
// or after swapping the labels of some nodes, or where it is not does not matter to the
// optimum; else by roof duality. More labels it treats by dynamic programming on forests,
// else by TRW-S. Nodes that remain open are eliminated exactly if that takes few tables;
// else fusion moves improve the labeling, and the result tells the gap.
func (s *Solver) Solve(p *Problem) Result { return s.solve(p, usual) }

func (s *Solver) solve(p *Problem, o effort) Result {
	n := p.N()
	s.labels = grow(s.labels, n)
	if p.Labels == 1 || len(p.Edges) == 0 {
		bound := independent(p, s.labels)
		return Result{Labels: s.labels, Energy: bound, Bound: bound, Status: Optimal, Method: Tree, Persistent: n}
	}
	if p.Labels == 2 {
		return s.solveBinary(p, o)
	}
	s.graph.of(n, p.Edges)
	if s.forest.plant(n, &s.graph) {
		return s.solveTree(p)
	}
	return s.solveMany(p, o)
}

// alone gives every node its best label by its unary costs alone, the lowest of equally
// good ones, and returns the sum of those costs.
func alone(p *Problem, y []uint8) float64 {
	L := p.Labels
	sum := 0.0
	for i := range y {
		best := 0
		u := p.Unary[i*L : i*L+L]
		for l, c := range u {
			if c < u[best] {
				best = l
			}
		}
		y[i] = uint8(best)
		sum += u[best]
	}
	return sum
}

// independent is alone, but returns the bound Σ min unary + Σ min pair of the energy.
func independent(p *Problem, y []uint8) float64 {
	bound, size := alone(p, y), p.Labels*p.Labels
	for k := range p.Edges {
		bound += slices.Min(p.Pair[k*size : (k+1)*size])
	}
	return bound
}

// local returns the result of a method that searches around a labeling.
func (s *Solver) local(p *Problem, m Method, bound float64, converged bool) Result {
	r := Result{Labels: s.labels, Energy: p.Energy(s.labels), Method: m, Status: IterationLimit}
	if converged {
		r.Status = Converged
	}
	r.Bound = min(bound, r.Energy)
	return r
}

// optimal returns the result of an exact method.
func (s *Solver) optimal(p *Problem, m Method) Result {
	e := p.Energy(s.labels)
	return Result{Labels: s.labels, Energy: e, Bound: e, Method: m, Status: Optimal, Persistent: len(s.labels)}
}

// openRest collects the unlabeled nodes in s.rest, and p's incidence in s.graph.
func (s *Solver) openRest(p *Problem) {
	s.graph.of(len(s.labels), p.Edges)
	c := &s.rest
	c.begin(len(s.labels))
	for i, l := range s.labels {
		if l == unlabeled {
			c.keep(0)
			c.keep(1)
			c.open(i)
		}
	}
	c.fold(p, &s.graph, s.labels, len(p.Pair))
}

// solveBinary is Solve for two labels.
func (s *Solver) solveBinary(p *Problem, o effort) Result {
	y := s.labels
	open, bound := s.boolean.solve(p, &s.flow, y)
	if open == 0 {
		return s.optimal(p, s.boolean.used)
	}
	s.openRest(p)
	if o.tables > 0 && s.elim.plan(&s.rest, o.tables) {
		s.elim.run(y)
		return s.optimal(p, Exact)
	}
	// The open nodes are a problem of their own.
	s.sub = s.rest.problem()
	s.take = grow(s.take, open)
	found := s.search(&s.sub, &s.rest.graph, s.take, o)
	s.rest.put(y, s.take)
	if found.exact {
		return s.optimal(p, Exact)
	}
	s.descend(p, y, o.sweeps)
	method, before := TRWS, p.Energy(y)
	if s.shake(p, y, o); p.Energy(y) < before {
		method = Roof
	}
	r := s.local(p, method, bound, true)
	r.Persistent = len(y) - open
	return r
}

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
func (s *Solver) search(p *Problem, g *incidence, y []uint8, o effort) found {
	t := &s.trws
	t.load(p, g)
	s.trial = grow(s.trial, len(y))
	alone(p, y)
	upper := p.Energy(y)
	bound, before := math.Inf(-1), math.Inf(-1)
	f := found{limited: true}
	for f.iterations < o.iterations {
		f.iterations++
		t.forward()
		if f.iterations > 1 {
			t.floor = bound
			if s.finish(p, g, y, upper, min(o.tables, len(p.Pair)/8)) {
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
			if f.iterations > 10 && bound-before < 10*o.tolerance {
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

// report adds what f knows to a result.
func (f found) report(r Result) Result {
	r.Iterations, r.Persistent = f.iterations, f.closed
	if f.exact {
		r.Status, r.Bound = Optimal, r.Energy
	}
	return r
}

// solveMany is Solve for more than two labels and graphs with cycles.
func (s *Solver) solveMany(p *Problem, o effort) Result {
	y := s.labels
	f := s.search(p, &s.graph, y, o)
	method := TRWS
	if !f.exact {
		before := p.Energy(y)
		s.descend(p, y, o.sweeps)
		s.expand(p, y, o.rounds)
		s.shake(p, y, o)
		if p.Energy(y) < before {
			method = Expansion
		}
		if f.iterations > 1 && s.finish(p, &s.graph, y, p.Energy(y), o.tables) {
			f.exact, f.eliminated, f.closed = true, true, len(y)
		}
	}
	if f.eliminated {
		method = Exact
	}
	return f.report(s.local(p, method, f.bound, !f.limited))
}
