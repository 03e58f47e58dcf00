package regress

import (
	"math/rand/v2"
	"slices"
)

// Stochastic gradient descent: passes over the rows, of which the second half is averaged, and the
// step times (columns + 1) times the largest row weight. Both are ours.
const (
	sgdPasses = 10
	sgdRate   = 0.5
)

// descend approaches the weights of the standardized columns by averaged stochastic gradient
// descent with a constant step, which for least squares converges as 1/rows however ill conditioned
// the columns are (Bach and Moulines, "Non-strongly-convex smooth stochastic approximation with
// convergence rate O(1/n)", 2013). A pass visits every image once, in a random order, and the rows
// of each image in a random order. It always makes sgdPasses of them.
func (st *standard) descend(d *Data, kind Kind, factor []float64, total, lambda float64) []float64 {
	k, n := len(st.keep), len(st.meanY)
	v, average, row := make([]float64, k*n), make([]float64, k*n), make([]float64, k)
	spread := 0.0
	for i := range k {
		spread += st.a[i*k+i]
	}
	step := sgdRate / ((spread + 1) * slices.Max(factor))
	rows, averaged := 0.0, 0.0
	for _, n := range d.Rows(kind) {
		rows += float64(n)
	}
	decay := lambda * total / rows
	residual := make([]float64, n)
	visit := func(tail, head []float32, y int, keep bool) {
		for i, c := range st.keep {
			x := tail
			if c >= d.Dim {
				x, c = head, c-d.Dim
			}
			row[i] = (float64(x[c]) - st.mean[i]) / st.scale[i]
		}
		w := factor[y]
		copy(residual, st.meanY)
		residual[y]--
		for i, u := range row {
			for p, a := range v[i*n : (i+1)*n] {
				residual[p] += float64(u * a)
			}
		}
		for i, u := range row {
			a := v[i*n : (i+1)*n]
			for p, r := range residual {
				a[p] -= float64(step * (float64(w*r*u) + float64(decay*a[p])))
			}
		}
		if keep {
			averaged++
			for i, u := range v {
				average[i] += (u - average[i]) / averaged
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for pass := range sgdPasses {
		for _, i := range rng.Perm(len(d.Images)) {
			m := &d.Images[i]
			var order [][2]int
			m.eachRow(kind, func(s, t int) { order = append(order, [2]int{s, t}) })
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, e := range order {
				tail, head := m.X[e[0]*d.Dim:][:d.Dim], m.X[e[1]*d.Dim:][:d.Dim]
				visit(tail, head, m.output(kind, d.Labels, e[0], e[1]), 2*pass >= sgdPasses)
			}
		}
	}
	return average
}

// eachRow visits the rows of a kind; s = t for nodes.
func (m *Image) eachRow(kind Kind, visit func(s, t int)) {
	if kind != Nodes {
		m.eachEdge(visit)
		return
	}
	for s, y := range m.Y {
		if y != Skip {
			visit(s, s)
		}
	}
}
