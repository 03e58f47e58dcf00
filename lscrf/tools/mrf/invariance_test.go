package mrf

import (
	"slices"
	"testing"
)

// What does not change the problem does not change the least energy.
func TestInvariances(t *testing.T) {
	var s Solver
	r := seeded(3)
	o := with(Auto)
	each(t, 3, 40, func(t *testing.T, p *Problem, want float64) {
		n, L := p.N(), p.Labels
		same := func(what string, q *Problem, shift float64, back func(y []uint8)) {
			t.Helper()
			got := s.run(q, o)
			if !near(got.Energy, want+shift) {
				t.Fatalf("%s: energy %v, want %v", what, got.Energy, want+shift)
			}
			back(got.Labels)
			if e := p.Energy(got.Labels); !near(e, want) {
				t.Fatalf("%s: labels of energy %v, want %v", what, e, want)
			}
		}

		// Nodes renumbered: the edges whose ends change order get transposed tables.
		name := r.Perm(n)
		q := &Problem{Labels: L, Unary: make([]float64, n*L)}
		for i := range n {
			copy(q.Unary[name[i]*L:name[i]*L+L], p.Unary[i*L:i*L+L])
		}
		for e, ij := range p.Edges {
			a, b := int32(name[ij[0]]), int32(name[ij[1]])
			table := slices.Clone(p.Pair[e*L*L : (e+1)*L*L])
			if a > b {
				a, b = b, a
				for k := range L {
					for l := range L {
						table[l*L+k] = p.Pair[(e*L+k)*L+l]
					}
				}
			}
			q.Edges, q.Pair = append(q.Edges, [2]int32{a, b}), append(q.Pair, table...)
		}
		same("renumbered", q, 0, func(y []uint8) {
			z := slices.Clone(y)
			for i := range n {
				y[i] = z[name[i]]
			}
		})

		// Labels permuted, differently at every node.
		perm := make([][]int, n)
		for i := range perm {
			perm[i] = r.Perm(L)
		}
		q = &Problem{Labels: L, Unary: make([]float64, n*L), Edges: p.Edges, Pair: make([]float64, len(p.Pair))}
		for i := range n {
			for k := range L {
				q.Unary[i*L+perm[i][k]] = p.Unary[i*L+k]
			}
		}
		for e, ij := range p.Edges {
			for k := range L {
				for l := range L {
					q.Pair[(e*L+perm[ij[0]][k])*L+perm[ij[1]][l]] = p.Pair[(e*L+k)*L+l]
				}
			}
		}
		same("relabeled", q, 0, func(y []uint8) {
			for i := range y {
				y[i] = uint8(slices.Index(perm[i], int(y[i])))
			}
		})

		// Costs moved between edges and nodes, and a constant added to each table.
		q = &Problem{Labels: L, Unary: slices.Clone(p.Unary), Edges: p.Edges, Pair: slices.Clone(p.Pair)}
		shift := 0.0
		for e, ij := range p.Edges {
			c := r.NormFloat64()
			shift += c
			for k := range L {
				d := r.NormFloat64()
				q.Unary[int(ij[1])*L+k] -= d
				for l := range L {
					q.Pair[(e*L+l)*L+k] += d + c
				}
			}
		}
		same("reparametrized", q, shift, func([]uint8) {})

		// Isolated nodes in between.
		q = &Problem{Labels: L, Pair: p.Pair}
		for i := range n {
			q.Unary = append(q.Unary, p.Unary[i*L:i*L+L]...)
			q.Unary = append(q.Unary, make([]float64, L)...)
			q.Unary[len(q.Unary)-1] = -2 // its last label
		}
		for _, ij := range p.Edges {
			q.Edges = append(q.Edges, [2]int32{2 * ij[0], 2 * ij[1]})
		}
		got := s.run(q, o)
		if !near(got.Energy, want-2*float64(n)) {
			t.Fatalf("isolated: energy %v, want %v", got.Energy, want-2*float64(n))
		}
		for i := 1; i < 2*n; i += 2 {
			if int(got.Labels[i]) != L-1 {
				t.Fatalf("isolated: label %d at node %d, want %d", got.Labels[i], i, L-1)
			}
		}
	})
}
