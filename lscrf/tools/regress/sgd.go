package regress

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"hdseg/lscrf/internal/faults"
)

// SGDOptions steer SGD.
type SGDOptions struct {
	// Epochs is the number of passes over the rows, of which the second half is averaged. At least 2;
	// default 10, ours.
	Epochs int `yaml:"epochs"`
	// Rate times 1/(columns * largest row weight) is the constant step. Above 0, below 1 to be safe; default 0.5.
	Rate float64 `yaml:"rate"`
}

// SGDDefaults returns the default options.
func SGDDefaults() SGDOptions { return SGDOptions{Epochs: 10, Rate: 0.5} }

// Validate returns all faults.
func (o SGDOptions) Validate() error {
	var f faults.List
	f.Want(o.Epochs >= 2, "epochs", o.Epochs, "2 or more")
	f.Want(o.Rate > 0, "rate", o.Rate, "above 0")
	return f.Err()
}

// SGD approaches what Solve solves in closed form by averaged stochastic gradient descent with a constant step,
// which for least squares converges as 1/rows however ill conditioned the columns are (Bach
// and Moulines, "Non-strongly-convex smooth stochastic approximation with convergence rate O(1/n)",
// 2013). Images and the rows in each are visited in an order drawn from rng. All
// outputs are learned.
func SGD(d *Data, kind Kind, o Options, so SGDOptions, rng *rand.Rand) *Linear {
	d.check()
	weights, factor := d.weights(kind), d.factors(kind, o.Balance)
	total := floats.Dot(weights, factor)
	n, width := len(factor), d.Dim
	if kind != Nodes {
		width *= 2
	}
	model := NewLinear(width, n)
	if total == 0 {
		return model
	}
	mean, variance := d.rowMoments(kind, factor)
	st := &standard{meanY: make([]float64, n)}
	for c, v := range variance {
		if v > 1e-7*mean[c]*mean[c] && v > 1e-30 {
			st.keep = append(st.keep, c)
			st.mean = append(st.mean, mean[c])
			scale := 1.0
			if o.Standardize {
				scale = math.Sqrt(v)
			}
			st.scale = append(st.scale, scale)
		}
	}
	for p := range st.meanY {
		st.meanY[p] = weights[p] * factor[p] / total
	}
	k := len(st.keep)
	v, average, row := make([]float64, k*n), make([]float64, k*n), make([]float64, k)
	spread := 0.0
	for i, c := range st.keep {
		spread += variance[c] / (st.scale[i] * st.scale[i])
	}
	step := so.Rate / ((spread + 1) * slices.Max(factor))
	rows, averaged := 0.0, 0.0
	for i := range d.Images {
		d.Images[i].eachRow(kind, func(s, t int, w float64) { rows++ })
	}
	decay := o.Lambda * total / rows
	residual := make([]float64, n)
	visit := func(tail, head []float32, y int, w float64, keep bool) {
		for i, c := range st.keep {
			x := tail
			if c >= d.Dim {
				x, c = head, c-d.Dim
			}
			row[i] = (float64(x[c]) - st.mean[i]) / st.scale[i]
		}
		w *= factor[y]
		copy(residual, st.meanY)
		residual[y]--
		for i, u := range row {
			for p, a := range v[i*n : (i+1)*n] {
				residual[p] += u * a
			}
		}
		for i, u := range row {
			a := v[i*n : (i+1)*n]
			for p, r := range residual {
				a[p] -= step * (w*r*u + decay*a[p])
			}
		}
		if keep {
			averaged++
			for i, u := range v {
				average[i] += (u - average[i]) / averaged
			}
		}
	}
	for epoch := range so.Epochs {
		for _, i := range rng.Perm(len(d.Images)) {
			m := &d.Images[i]
			var order []edge
			m.eachRow(kind, func(s, t int, w float64) { order = append(order, edge{s, t, w}) })
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, e := range order {
				y := int(m.Y[e.s])
				if kind != Nodes {
					y = y*d.Labels + int(m.Y[e.t])
				}
				visit(m.X[e.s*d.Dim:(e.s+1)*d.Dim], m.X[e.t*d.Dim:(e.t+1)*d.Dim], y, e.w, 2*epoch >= so.Epochs)
			}
		}
	}
	st.toModel(model, average)
	return model
}

// An edge is a row with its weight; s = t for nodes.
type edge struct {
	s, t int
	w    float64
}

// eachRow visits the rows of a kind that have weight.
func (m *Image) eachRow(kind Kind, visit func(s, t int, w float64)) {
	if kind != Nodes {
		m.eachEdge(kind == Edges, visit)
		return
	}
	for s, y := range m.Y {
		if w := m.nodeWeight(s); y != Skip && w > 0 {
			visit(s, s, w)
		}
	}
}
