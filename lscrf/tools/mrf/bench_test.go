package mrf

import (
	"fmt"
	"testing"
)

// BenchmarkSolve times every method on superpixel-shaped problems, one Solver throughout.
func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct {
		labels int
		m      Method
	}{
		{2, Auto}, {2, Roof}, {2, TRWS}, {2, Expansion}, {2, Descent},
		{8, Auto}, {8, TRWS}, {8, Expansion}, {8, Descent},
		{21, Auto},
	} {
		b.Run(fmt.Sprintf("L%d/%s", c.labels, c.m), func(b *testing.B) {
			o := with(c.m)
			var ps []*Problem
			for seed := range uint64(16) { // different ones, so that caches are not flattered
				ps = append(ps, superpixels(seed, c.labels, 0.6))
			}
			var s Solver
			for _, p := range ps {
				s.run(p, o)
			}
			b.ReportAllocs()
			sum, k := 0.0, 0
			for b.Loop() {
				sum += gap(s.run(ps[k%len(ps)], o))
				k++
			}
			b.ReportMetric(float64(k)/b.Elapsed().Seconds(), "images/s")
			b.ReportMetric(sum/float64(k), "gap")
		})
	}
}

// BenchmarkCut times one minimum cut of a submodular problem, the tables made so.
func BenchmarkCut(b *testing.B) {
	var ps []*Problem
	for seed := range uint64(16) {
		p := superpixels(seed, 2, 0.6)
		for k := range p.Edges {
			t := p.Pair[4*k : 4*k+4]
			if over := t[0] + t[3] - t[1] - t[2]; over > 0 {
				t[1] += over + 1e-6
			}
		}
		ps = append(ps, p)
	}
	o := with(MaxFlow)
	var s Solver
	b.ReportAllocs()
	k := 0
	for b.Loop() {
		if s.run(ps[k%len(ps)], o).Status != Optimal {
			b.Fatal("not submodular")
		}
		k++
	}
	b.ReportMetric(float64(k)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkBrute times all labelings of 16 nodes.
func BenchmarkBrute(b *testing.B) {
	r := seeded(1)
	c := func(x, y int) float64 { return r.NormFloat64() }
	p := fill(r, 16, 2, grid(4, 4), c, c)
	b.ReportAllocs()
	for b.Loop() {
		BruteForce(p)
	}
	b.ReportMetric(float64(b.N)*(1<<16)/b.Elapsed().Seconds(), "labelings/s")
}

// BenchmarkTree times dynamic programming on a spanning tree of such a problem.
func BenchmarkTree(b *testing.B) {
	r := seeded(1)
	c := func(x, y int) float64 { return r.NormFloat64() }
	p := fill(r, 280, 8, tree(r, 280, 1), c, c)
	o := with(Tree)
	var s Solver
	b.ReportAllocs()
	for b.Loop() {
		s.run(p, o)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkIteration times one forward and one backward pass of TRW-S.
func BenchmarkIteration(b *testing.B) {
	for _, L := range []int{2, 4, 8, 11, 21} {
		b.Run(fmt.Sprintf("L%d", L), func(b *testing.B) {
			p := superpixels(1, L, 0.6)
			var w trws
			var g incidence
			g.of(p.N(), p.Edges)
			w.load(p, &g)
			b.ReportAllocs()
			k := 0
			for b.Loop() {
				w.forward()
				w.backward()
				k++
			}
			b.ReportMetric(2*float64(k*len(p.Edges))/b.Elapsed().Seconds(), "messages/s")
		})
	}
}

// BenchmarkFlow times a maximum flow on a picture of 100,000 pixels.
func BenchmarkFlow(b *testing.B) {
	r := seeded(2)
	const w, h = 400, 250
	edges := grid(w, h)
	source, sink, capacity := make([]int64, w*h), make([]int64, w*h), make([]int64, len(edges))
	for i := range source {
		source[i], sink[i] = r.Int64N(1000), r.Int64N(1000)
	}
	for e := range capacity {
		capacity[e] = r.Int64N(400)
	}
	var f Flow
	b.ReportAllocs()
	k := 0
	for b.Loop() {
		f.Reset(w * h)
		for i := range source {
			f.AddTerminal(i, source[i], sink[i])
		}
		for e, ij := range edges {
			f.Link(ij[0], ij[1], capacity[e], capacity[e])
		}
		f.Solve()
		k++
	}
	b.ReportMetric(float64(k*w*h)/b.Elapsed().Seconds(), "px/s")
}
