package mrf

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
func (s *Solver) solveRoof(p *Problem, o Options) Result {
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
	s.descend(p, s.labels, o.Sweeps)
	s.shake(p, s.labels, o)
	r := s.local(p, Roof, bound, true)
	r.Persistent = len(s.labels) - open
	return r
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

// solveBinary is method auto for two labels.
func (s *Solver) solveBinary(p *Problem, o Options) Result {
	y := s.labels
	open, bound := s.boolean.solve(p, &s.flow, y)
	if open == 0 {
		return s.optimal(p, s.boolean.used)
	}
	s.openRest(p)
	if o.Tables > 0 && s.elim.plan(&s.rest, o.Tables) {
		s.elim.run(y)
		return s.optimal(p, Exact)
	}
	// The open nodes are a problem of their own.
	s.sub = s.rest.problem()
	s.take = grow(s.take, open)
	method := TRWS
	if found := s.search(&s.sub, &s.rest.graph, s.take, o); found.exact {
		s.rest.put(y, s.take)
		return s.optimal(p, Exact)
	}
	s.rest.put(y, s.take)
	s.descend(p, y, o.Sweeps)
	before := p.Energy(y)
	if s.shake(p, y, o); p.Energy(y) < before {
		method = Roof
	}
	r := s.local(p, method, bound, true)
	r.Persistent = len(y) - open
	return r
}
