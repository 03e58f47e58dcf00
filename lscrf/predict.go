package lscrf

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
)

// MaxLabels is the largest number of labels: 255 means void.
const MaxLabels = 255

// solvers keep their memory for the next problem.
var solvers = sync.Pool{New: func() any { return new(mrf.Solver) }}

// Minimize returns the labeling of least energy that is found: a label per superpixel.
func Minimize(e *mrf.Problem) mrf.Result {
	s := solvers.Get().(*mrf.Solver)
	defer solvers.Put(s)
	r := s.Solve(e)
	r.Labels = slices.Clone(r.Labels) // which are the solver's
	return r
}

// Predict minimizes the energy of a graph.
func (m *Model) Predict(g *Graph) (mrf.Result, error) {
	e, err := m.Energy(g)
	if err != nil {
		return mrf.Result{}, err
	}
	return Minimize(e), nil
}

// Mask returns the mask that a model of ground and figure gives a picture.
func (m *Model) Mask(id string, img *raster.RGB) (*raster.Mask, error) {
	g, sp, _, err := NewGraph(id, img, m.Setup)
	if err != nil {
		return nil, err
	}
	p, err := m.Predict(g)
	if err != nil {
		return nil, err
	}
	return superpixel.Paint(sp, p.Labels), nil
}

// Energy returns the energy of a graph's labelings. For models of probabilities f (Linear, Trees,
// Logistic), clamped to [Options.Clamp, 1], it is with potentials edge-sum
//
//	E(y) = -Σ_(s,t) log f_jk(φ_st) - Σ_isolated s log f_j(φ_s)
//
// (paper, Algorithm 2, with the sign that makes the most likely labeling the minimum). In unary
// models every node counts as isolated. With potentials association an edge costs
//
//	-log f_jk/(f_j f_k),   f_j and f_k the marginals of the edge's own table,
//
// which may be negative. Options.UnaryWeight times -log f_j(φ_s) is added for nodes that have
// edges. For the log-linear kinds the energy is the negative sum of all scores. It is an error if
// the graph has another number of features than the model.
func (m *Model) Energy(g *Graph) (*mrf.Problem, error) {
	if g.Dim != m.Dim {
		return nil, fmt.Errorf("model: %s: got %d features per superpixel, want %d", g.ID, g.Dim, m.Dim)
	}
	k := len(m.Labels)
	x := g.Features
	if f := m.TreeFeatures; f != nil {
		x = m.Options.TreeFeatures.join(x, g.Dim, f.PredictRows(x, g.N, 1), f.Outputs, g.N, g.Edges)
	}
	p := &mrf.Problem{Labels: k}
	node := m.Node.nodes(x, g.N)
	if m.Terms == Pairwise {
		p.Edges = g.Edges
		edge := m.Edge.edges(x, g.N, g.Edges)
		if m.Kind == Piecewise || m.Kind == Pseudolikelihood {
			p.Unary, p.Pair = negated(node), negated(edge)
			return p, nil
		}
		p.Pair = m.probabilities(edge, k*k, m.Pairs)
	}
	p.Unary = costs(m.probabilities(node, k, nil))
	if m.Terms == Unary {
		return p, nil
	}
	if m.Options.Potentials == Association {
		associate(p.Pair, k)
	}
	p.Pair = costs(p.Pair)
	alone := isolated(g)
	for i := range p.Unary {
		if !alone[i/k] {
			p.Unary[i] *= m.Options.UnaryWeight
		}
	}
	return p, nil
}

// Figure returns for an energy e of a model of two labels the probability that each superpixel is
// figure: the marginals of P(y) ∝ exp(-e(y)/t). t is how often the energy counts what is known of a
// superpixel: edge-sum potentials do so once for each of its edges, here for the mean number of
// edges, and UnaryWeight times more. Without t nearly all probabilities would be 0 or 1. That t is
// ours.
func (m *Model) Figure(e *mrf.Problem) []float64 {
	t := 1.0
	switch {
	case len(e.Edges) == 0 || m.Kind == Piecewise || m.Kind == Pseudolikelihood:
	case m.Options.Potentials == Association:
		t = max(1, m.Options.UnaryWeight)
	default:
		t = 2*float64(len(e.Edges))/float64(e.N()) + m.Options.UnaryWeight
	}
	return mrf.Marginals(&mrf.Problem{Labels: e.Labels, Unary: divided(e.Unary, t), Edges: e.Edges, Pair: divided(e.Pair, t)})
}

// cellPenalty is the penalty on the weights of Cells, and leastCell the least probability that a
// cell's odds count: what a linear function says beyond is no surer.
const (
	cellPenalty = 1e-6
	leastCell   = 0.02
)

// person is a third label that Cells tell apart: ground that shows a person.
const person = 2

// cellWeights is what a superpixel of ground, figure and persons counts for Cells: persons are few.
// Chosen by cross-validation on VOC (NETWORKS.md).
var cellWeights = [person + 1]float64{1, 2, 12}

// seesCells tells whether the model has Cells.
func (m *Model) seesCells() bool { return m.Setup.Feature.Dense != nil && len(m.Labels) == 2 }

// CellOdds returns the log odds of figure in every cell of a picture's array, an array of one
// channel, -3.9 to 3.9: those of the probability (1 + f - g)/2, where f is what Cells predicts for
// figure, and g for ground or person, the larger one. They know nothing of superpixels, which mix a
// rider's leg with the horse behind it: what ends masks at pixels goes by them (ours; figures:
// NETWORKS.md).
func (m *Model) CellOdds(a *feature.Array) *feature.Array {
	odds := &feature.Array{Height: a.Height, Width: a.Width, Channels: 1, Values: make([]float32, a.Height*a.Width)}
	f := m.Cells.PredictNodes(a.Values)
	for i := range odds.Values {
		is := f[(person+1)*i:][:person+1]
		p := (1 + float64(is[raster.Figure]-max(is[raster.Ground], is[person]))) / 2
		p = min(max(p, leastCell), 1-leastCell)
		odds.Values[i] = float32(arith.Log(p / (1 - p)))
	}
	return odds
}

func divided(costs []float64, t float64) []float64 {
	out := make([]float64, len(costs))
	for i, c := range costs {
		out[i] = c / t
	}
	return out
}

// probabilities returns rows of n clamped probabilities. For logistic models they are the softmax
// of scores. EdgeShrink draws them towards frequencies first, if there are any.
func (m *Model) probabilities(f []float32, n int, towards []float64) []float64 {
	out := make([]float64, len(f))
	for i, v := range f {
		out[i] = float64(v)
	}
	if m.Kind == Logistic {
		for i := 0; i < len(out); i += n {
			softmax(out[i : i+n])
		}
	}
	if a := m.Options.EdgeShrink; a > 0 && len(towards) > 0 {
		for i := range out {
			out[i] = float64((1-a)*out[i]) + float64(a*towards[i%n])
		}
	}
	for i, v := range out {
		if !(v > m.Options.Clamp) { // NaN too
			v = m.Options.Clamp
		}
		out[i] = min(v, 1)
	}
	return out
}

func softmax(row []float64) {
	top := math.Inf(-1)
	for _, v := range row {
		top = max(top, v)
	}
	sum := 0.0
	for i, v := range row {
		row[i] = arith.Exp(v - top)
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
}

// isolated tells which nodes have no edge.
func isolated(g *Graph) []bool {
	alone := make([]bool, g.N)
	for i := range alone {
		alone[i] = true
	}
	for _, e := range g.Edges {
		alone[e[0]], alone[e[1]] = false, false
	}
	return alone
}

// costs returns the negative logarithms of probabilities, or powers of them.
func costs(f []float64) []float64 {
	c := make([]float64, len(f))
	for i, v := range f {
		c[i] = -arith.Log(v)
	}
	return c
}

func negated(f []float32) []float64 {
	out := make([]float64, len(f))
	for i, v := range f {
		out[i] = -float64(v)
	}
	return out
}

// associate divides every pair's probability by the product of its two marginals in the same table.
// In the sum over edges of Algorithm 2, a node's own evidence, and with it the frequency of its
// label, counts once per edge, so that of many labels the frequent ones win. Here it counts
// UnaryWeight times, whatever the degree.
func associate(pair []float64, k int) {
	first, second := make([]float64, k), make([]float64, k)
	for e := 0; e < len(pair); e += k * k {
		table := pair[e : e+k*k]
		clear(first)
		clear(second)
		for i, v := range table {
			first[i/k] += v
			second[i%k] += v
		}
		for i := range table {
			table[i] /= first[i/k] * second[i%k]
		}
	}
}
