package mrf

import (
	"fmt"
	"math"
)

// The parts of the solver by themselves, as tests hold them against one another.
const (
	Auto    Method = "auto"
	Brute   Method = "brute"
	Descent Method = "icm" // iterated conditional modes
)

// Inapplicable is the status where a part cannot treat a problem; there are no labels.
const Inapplicable Status = ""

// gap is how much better than a result a labeling may be.
func gap(r Result) float64 { return r.Energy - r.Bound }

func solve(p *Problem) Result { return new(Solver).Solve(p) }

// A how is a part and its effort.
type how struct {
	Method Method
	effort
}

// with returns the solver's effort for one part.
func with(m Method) how { return how{m, usual} }

func (s *Solver) run(p *Problem, o how) Result { return s.by(o.Method, p, o.effort) }

func run(p *Problem, o how) Result { return new(Solver).run(p, o) }

// by solves a problem by one part alone.
func (s *Solver) by(m Method, p *Problem, o effort) Result {
	n := p.N()
	s.labels = grow(s.labels, n)
	switch {
	case m == Auto:
		return s.solve(p, o)
	case m == Brute:
		return BruteForce(p)
	case p.Labels == 1 || len(p.Edges) == 0:
		return s.solve(p, o)
	case m == MaxFlow && p.Labels == 2:
		return s.solveCut(p)
	case m == Roof && p.Labels == 2:
		return s.solveRoof(p, o)
	case m == MaxFlow || m == Roof:
		return Result{Status: Inapplicable, Method: m}
	}
	s.graph.of(n, p.Edges)
	switch m {
	case Tree:
		if !s.forest.plant(n, &s.graph) {
			return Result{Status: Inapplicable, Method: m}
		}
		return s.solveTree(p)
	case TRWS:
		return s.solveTRWS(p, o)
	case Expansion:
		return s.solveExpansion(p, o)
	case Descent:
		return s.solveDescent(p, o)
	}
	panic(fmt.Sprintf("no method %q", m))
}

// solveDescent is iterated conditional modes from independent labels.
func (s *Solver) solveDescent(p *Problem, o effort) Result {
	bound := independent(p, s.labels)
	return s.local(p, Descent, bound, s.descend(p, s.labels, o.sweeps))
}

// solveExpansion is alpha-expansion from independent labels.
func (s *Solver) solveExpansion(p *Problem, o effort) Result {
	bound := independent(p, s.labels)
	return s.local(p, Expansion, bound, s.expand(p, s.labels, o.rounds))
}

// solveCut treats a problem of two labels by one cut, if it is submodular.
func (s *Solver) solveCut(p *Problem) Result {
	b := &s.boolean
	b.flip = grow(b.flip, len(s.labels))
	clear(b.flip)
	if b.load(p); b.repel > 0 {
		return Result{Status: Inapplicable, Method: MaxFlow}
	}
	b.cut(p, &s.flow, s.labels)
	return s.optimal(p, MaxFlow)
}

// solveRoof treats two labels by roof duality; nodes that it leaves open are set by
// iterated conditional modes and random improvement.
func (s *Solver) solveRoof(p *Problem, o effort) Result {
	b := &s.boolean
	b.flip = grow(b.flip, len(s.labels))
	clear(b.flip)
	b.load(p)
	open, twice := b.roof(p, &s.flow, s.labels)
	if open == 0 {
		return s.optimal(p, Roof)
	}
	bound := float64(twice) / 2 / b.scale
	s.openRest(p)
	for v, i := range s.rest.id {
		s.labels[i] = 0
		if u := s.rest.unary[2*v:]; u[1] < u[0] {
			s.labels[i] = 1
		}
	}
	s.descend(p, s.labels, o.sweeps)
	s.shake(p, s.labels, o)
	r := s.local(p, Roof, bound, true)
	r.Persistent = len(s.labels) - open
	return r
}

// solveTRWS is message passing alone.
func (s *Solver) solveTRWS(p *Problem, o effort) Result {
	o.tables = 0
	f := s.search(p, &s.graph, s.labels, o)
	r := s.local(p, TRWS, f.bound, !f.limited)
	return f.report(r)
}

// BruteForce returns the minimum of p by trying all Lᴺ labelings, the lexicographically
// first of them where several are best (node 0 counts most). It is the oracle that the
// other solvers are tested against; each labeling costs O(N + E). It panics when there are
// more than 2²⁴ labelings.
func BruteForce(p *Problem) Result {
	n, L := p.N(), p.Labels
	if float64(n)*math.Log2(float64(L)) > 24 {
		panic("mrf: BruteForce: more than 2^24 labelings")
	}
	y := make([]uint8, n)
	best := append([]uint8(nil), y...)
	min := p.Energy(y)
	for next(y, L) {
		if e := p.Energy(y); e < min {
			min = e
			copy(best, y)
		}
	}
	return Result{Labels: best, Energy: min, Bound: min, Status: Optimal, Method: Brute, Persistent: n}
}

// next advances y to the lexicographically next labeling and reports whether there is one.
func next(y []uint8, labels int) bool {
	for i := len(y) - 1; i >= 0; i-- {
		if int(y[i]) < labels-1 {
			y[i]++
			return true
		}
		y[i] = 0
	}
	return false
}
