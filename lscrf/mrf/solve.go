package mrf

import "fmt"

// A Solver holds the memory that solving needs, so that a series of problems of similar
// size is solved without allocation. The zero Solver is ready. One Solver serves one
// goroutine at a time; results do not depend on what it solved before.
type Solver struct {
	labels []uint8
	binary binary
	flow   Flow
	start  []int32
	half   []half
	cost   []float64
}

// Solve minimizes p's energy and returns labels that the caller owns. See [Solver.Solve].
func Solve(p *Problem, o Options) Result {
	return new(Solver).Solve(p, o)
}

// Solve minimizes p's energy, or says how far the optimum may be. Result.Labels belong to
// the Solver and are valid until its next call. Equal problems give equal results. p must
// be valid (see [Problem.Validate]); o.Method must be known.
func (s *Solver) Solve(p *Problem, o Options) Result {
	n := p.N()
	s.labels = grow(s.labels, n)
	y := s.labels
	r := Result{Labels: y}
	switch {
	case o.Method == Brute:
		return BruteForce(p)
	case p.Labels == 1 || n == 0:
		clear(y)
		r.Status, r.Method, r.Persistent = Optimal, Descent, n
		r.Energy = p.Energy(y)
		r.Bound = r.Energy
		return r
	case o.Method == Descent:
		return s.solveICM(p, o)
	case p.Labels == 2:
		return s.solveBinary(p, o)
	}
	switch o.Method {
	case MaxFlow, Roof:
		return Result{Status: Inapplicable}
	case Auto:
		return s.solveICM(p, o)
	}
	panic(fmt.Sprintf("mrf: Solve: unknown method %q", o.Method))
}

// solveICM starts from the best label of every node alone.
func (s *Solver) solveICM(p *Problem, o Options) Result {
	y := s.labels
	bound := independent(p, y)
	r := Result{Labels: y, Method: Descent, Status: IterationLimit, Bound: bound}
	if s.descend(p, y, o.Sweeps) {
		r.Status = Converged
	}
	r.Energy = p.Energy(y)
	return r
}

// independent gives every node its best label by its unary costs alone, and returns the
// bound Σ min unary + Σ min pair.
func independent(p *Problem, y []uint8) float64 {
	L := p.Labels
	bound := 0.0
	for i := range y {
		best := 0
		u := p.Unary[i*L : i*L+L]
		for l, c := range u {
			if c < u[best] {
				best = l
			}
		}
		y[i] = uint8(best)
		bound += u[best]
	}
	for k := range p.Edges {
		t := p.Pair[k*L*L : (k+1)*L*L]
		least := t[0]
		for _, c := range t {
			least = min(least, c)
		}
		bound += least
	}
	return bound
}

// solveBinary treats two labels: by one cut if the problem is submodular as it stands or
// after swapping the labels of some nodes, else by roof duality.
func (s *Solver) solveBinary(p *Problem, o Options) Result {
	y, b := s.labels, &s.binary
	b.flip = grow(b.flip, len(y))
	clear(b.flip)
	b.load(p)
	if b.repel > 0 && o.Method == MaxFlow {
		return Result{Status: Inapplicable}
	}
	if b.repel > 0 && o.Method == Auto && b.balance(p) {
		b.load(p)
	}
	if b.repel == 0 && o.Method != Roof {
		b.cut(p, &s.flow, y)
		e := p.Energy(y)
		return Result{Labels: y, Method: MaxFlow, Status: Optimal, Energy: e, Bound: e, Persistent: len(y)}
	}
	open, twice := b.roof(p, &s.flow, y)
	r := Result{Labels: y, Method: Roof, Status: Optimal, Persistent: len(y) - open}
	if open > 0 {
		for i := range y {
			if y[i] == unlabeled {
				y[i] = 0
				if p.Unary[2*i+1] < p.Unary[2*i] {
					y[i] = 1
				}
			}
		}
		s.descend(p, y, o.Sweeps)
		r.Status = Converged
	}
	r.Energy = p.Energy(y)
	r.Bound = r.Energy
	if open > 0 {
		r.Bound = min(r.Energy, float64(twice)/2/b.scale)
	}
	return r
}
