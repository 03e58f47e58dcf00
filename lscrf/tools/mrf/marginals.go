package mrf

import "math"

// Marginals returns the distribution P(y) ∝ exp(-E(y)) of a problem on a forest: node
// marginals N*L and edge marginals E*L*L, laid out like Unary and Pair, and log Σ exp(-E).
// It is the sum-product form of the tree method, in time O(N·L²), and works on logarithms,
// so that costs of any size are safe. ok is false, and nothing is returned, if the graph
// has a cycle.
func Marginals(p *Problem) (node, edge []float64, logZ float64, ok bool) {
	n, L := p.N(), p.Labels
	var g incidence
	var f forest
	g.of(n, p.Edges)
	if !f.plant(n, &g) {
		return nil, nil, 0, false
	}
	in := make([]float64, n*L)  // log of what the subtree of i says of its label
	out := make([]float64, n*L) // log of the message from i to its parent
	for k, c := range p.Unary {
		in[k] = -c
	}
	term := make([]float64, L)
	for k := n - 1; k >= 0; k-- {
		i := int(f.order[k])
		if f.up[i] < 0 {
			logZ += logSum(in[i*L : i*L+L])
			continue
		}
		up := int(f.parent[i])
		for l := range L {
			t, step := p.towards(f.up[i], up < i, l)
			for x := range term {
				term[x] = in[i*L+x] - t[x*step]
			}
			out[i*L+l] = logSum(term)
			in[up*L+l] += out[i*L+l]
		}
	}
	// From the roots down: node[i] is the log marginal of i, and that of (i, parent) is
	// in[i] - table + (node[parent] - out[i]).
	node, edge = make([]float64, n*L), make([]float64, len(p.Edges)*L*L)
	for _, i32 := range f.order {
		i := int(i32)
		mine := node[i*L : i*L+L]
		if f.up[i] < 0 {
			copy(mine, in[i*L:i*L+L])
			z := logSum(mine)
			for x := range mine {
				mine[x] -= z
			}
			continue
		}
		e, up := f.up[i], int(f.parent[i])
		joint, rows := edge[int(e)*L*L:int(e+1)*L*L], 1
		cols := L
		if up < i { // rows belong to the parent
			rows, cols = L, 1
		}
		for l := range L {
			t, step := p.towards(e, up < i, l)
			rest := node[up*L+l] - out[i*L+l]
			for x := range L {
				joint[l*rows+x*cols] = in[i*L+x] - t[x*step] + rest
			}
		}
		for x := range L {
			for l := range L {
				term[l] = joint[l*rows+x*cols]
			}
			mine[x] = logSum(term)
		}
	}
	for _, m := range [2][]float64{node, edge} {
		for k, v := range m {
			m[k] = math.Exp(v)
		}
	}
	return node, edge, logZ, true
}

// logSum returns log Σ exp(xᵢ).
func logSum(x []float64) float64 {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}
