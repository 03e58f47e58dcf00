package regress

import (
	"fmt"
	"math"
	"slices"

	"hdseg/manifests/arith"
)

// Data are images held in memory for the solvers that go over rows again and again; Stats
// need none of it.
type Data struct {
	Dim, Labels int
	Images      []Image
}

// An Image is a graph of nodes with Dim features each, row by row, and a label per node, or Skip.
// Solvers only read it.
type Image struct {
	X     []float32
	Edges [][2]int32
	Y     []uint8
}

// check panics on wrong lengths, labels and node numbers, and on features that are not finite:
// AddImage refuses such images.
func (d *Data) check() {
	for i, m := range d.Images {
		n := len(m.Y)
		if len(m.X) != n*d.Dim {
			panic(fmt.Sprintf("regress: image %d: %d features for %d nodes of %d features", i, len(m.X), n, d.Dim))
		}
		if slices.ContainsFunc(m.X, func(v float32) bool { return v-v != 0 }) {
			panic(fmt.Sprintf("regress: image %d: a feature is not finite", i))
		}
		for _, y := range m.Y {
			if int(y) >= d.Labels && y != Skip {
				panic(fmt.Sprintf("regress: image %d: label %d, want below %d or %d", i, y, d.Labels, Skip))
			}
		}
		for _, e := range m.Edges {
			if uint32(e[0]) >= uint32(n) || uint32(e[1]) >= uint32(n) {
				panic(fmt.Sprintf("regress: image %d: edge %v, want nodes below %d", i, e, n))
			}
		}
	}
}

// eachEdge visits the edges between labeled nodes.
func (m *Image) eachEdge(visit func(s, t int)) {
	for _, st := range m.Edges {
		if m.Y[st[0]] != Skip && m.Y[st[1]] != Skip {
			visit(int(st[0]), int(st[1]))
		}
	}
}

// Rows counts the rows of each output: labels for Nodes, else ordered label pairs.
func (d *Data) Rows(kind Kind) []int64 {
	outputs := d.Labels
	if kind != Nodes {
		outputs *= d.Labels
	}
	rows := make([]int64, outputs)
	for i := range d.Images {
		m := &d.Images[i]
		m.eachRow(kind, func(s, t int) { rows[m.output(kind, d.Labels, s, t)]++ })
	}
	return rows
}

// output returns the output of the row from s to t.
func (m *Image) output(kind Kind, labels, s, t int) int {
	if kind == Nodes {
		return int(m.Y[s])
	}
	return int(m.Y[s])*labels + int(m.Y[t])
}

// factors returns the weight of each output's rows under a balance, with all outputs that occur
// learned, and the sum of weights of all rows.
func (d *Data) factors(kind Kind, balance string) (factor []float64, total float64) {
	counts := d.Rows(kind)
	rows, seen := make([]float64, len(counts)), make([]bool, len(counts))
	for p, n := range counts {
		rows[p], seen[p] = float64(n), n > 0
	}
	factor = Balanced(balance, kind, d.Labels, rows, seen)
	return factor, arith.Dot(factor, rows)
}

// moments returns the mean and the standard deviation of every feature over the labeled nodes; a
// feature without variance gets deviation 0.
func (d *Data) moments() (mean, deviation []float64) {
	mean, deviation = make([]float64, d.Dim), make([]float64, d.Dim)
	n := 0.0
	visit := func(f func(x []float32)) {
		for _, m := range d.Images {
			for s, y := range m.Y {
				if y != Skip {
					f(m.X[s*d.Dim : (s+1)*d.Dim])
				}
			}
		}
	}
	visit(func(x []float32) {
		n++
		for c, v := range x {
			mean[c] += float64(v)
		}
	})
	for c := range mean {
		mean[c] /= max(n, 1)
	}
	visit(func(x []float32) {
		for c, v := range x {
			u := float64(v) - mean[c]
			deviation[c] += float64(u * u)
		}
	})
	for c, v := range deviation {
		deviation[c] = math.Sqrt(v / max(n, 1))
		if deviation[c] <= 1e-7*math.Abs(mean[c]) || deviation[c] < 1e-15 {
			deviation[c] = 0
		}
	}
	return mean, deviation
}

// correlation returns the Cholesky factor of the correlations of the features over the labeled
// nodes, a little off so that it always exists; features without variance get 1.
func (d *Data) correlation(mean, inverse []float64) *arith.Cholesky {
	n, stride := d.Dim, (d.Dim+7)/8*8
	sum := make([]float64, n*stride)
	nodes := 0
	var rows []float64 // standardized features, node by node
	var cols []float32 // the same, feature by feature
	for _, m := range d.Images {
		rows, cols = resize(rows, len(m.Y)*stride), resize(cols, len(m.X))
		k := 0
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			row := rows[k*stride : (k+1)*stride]
			clear(row[n:])
			for i, v := range m.X[s*n : (s+1)*n] {
				row[i] = (float64(v) - mean[i]) * inverse[i]
				cols[i*len(m.Y)+k] = float32(row[i])
			}
			k++
		}
		for i := range n {
			kernels.apply(sum[i*stride:(i+1)*stride], cols[i*len(m.Y):][:k], rows)
		}
		nodes += k
	}
	c := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			c[i*n+j] = sum[j*stride+i] / float64(max(nodes, 1))
		}
		c[i*n+i] += 1e-4
		if inverse[i] == 0 {
			c[i*n+i] = 1
		}
	}
	chol, ok := arith.Factor(c, n)
	if !ok {
		panic("regress: correlations are not positive definite") // 1e-4 is far above rounding
	}
	return chol
}
