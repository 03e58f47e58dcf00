package mrf

import (
	"fmt"
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

// Solve minimizes p's energy and returns labels that the caller owns. See [Solver.Solve].
func Solve(p *Problem, o Options) Result {
	return new(Solver).Solve(p, o)
}

// Solve minimizes p's energy, or says how far the optimum may be. Result.Labels belong to
// the Solver and are valid until its next call. Equal problems give equal results.
//
// Method auto treats two labels by a cut, which is exact when the problem is submodular
// as it stands, or after swapping the labels of some nodes, or where it is not does not
// matter to the optimum; else by roof duality. More labels it treats by dynamic
// programming on forests, else by TRW-S. Nodes that remain open are eliminated exactly if
// Options.Tables allows; else fusion moves improve the labeling, and the result tells the
// gap.
//
// p must be valid (see [Problem.Validate]) and so must o; Solve panics on an unknown
// method.
func (s *Solver) Solve(p *Problem, o Options) Result {
	n := p.N()
	s.labels = grow(s.labels, n)
	switch o.Method {
	case Brute:
		return BruteForce(p)
	case Auto, Tree, MaxFlow, Roof, TRWS, Expansion, Descent:
	default:
		panic(fmt.Sprintf("mrf: Solve: unknown method %q", o.Method))
	}
	if p.Labels == 1 || len(p.Edges) == 0 {
		bound := independent(p, s.labels)
		return Result{Labels: s.labels, Energy: bound, Bound: bound, Status: Optimal, Method: Tree, Persistent: n}
	}
	switch two := p.Labels == 2; {
	case two && o.Method == Auto:
		return s.solveBinary(p, o)
	case two && o.Method == MaxFlow:
		return s.solveCut(p)
	case two && o.Method == Roof:
		return s.solveRoof(p, o)
	case o.Method == MaxFlow || o.Method == Roof:
		return Result{Status: Inapplicable, Method: o.Method}
	}
	s.graph.of(n, p.Edges)
	switch o.Method {
	case Tree:
		return s.solveTree(p)
	case TRWS:
		return s.solveTRWS(p, o)
	case Expansion:
		return s.solveExpansion(p, o)
	case Descent:
		return s.solveDescent(p, o)
	}
	if r := s.solveTree(p); r.Status == Optimal {
		return r
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

// solveDescent is iterated conditional modes from independent labels.
func (s *Solver) solveDescent(p *Problem, o Options) Result {
	bound := independent(p, s.labels)
	return s.local(p, Descent, bound, s.descend(p, s.labels, o.Sweeps))
}

// solveExpansion is alpha-expansion from independent labels.
func (s *Solver) solveExpansion(p *Problem, o Options) Result {
	bound := independent(p, s.labels)
	return s.local(p, Expansion, bound, s.expand(p, s.labels, o.Rounds))
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
