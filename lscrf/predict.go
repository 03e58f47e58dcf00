package lscrf

import (
	"fmt"
	"math"

	"hdseg/lscrf/mrf"
)

// labels is the number of labels of figure-ground segmentation.
const labels = 2

// minProbability is the lower end of the interval that predictions are clamped to before
// the logarithm (paper, section 6.3: [1e-9, 1]).
const minProbability = 1e-9

// Energy returns the energy of a graph's labelings,
//
//	E(y) = -Σ_(s,t) log clamp(f_jk(φ_st)) - Σ_isolated s log clamp(f_j(φ_s)),
//
// where for unary models every node counts as isolated (paper, Algorithm 2, with the sign that makes the
// most likely labeling the minimum). It returns an error if the graph's features have another width
// than the model's.
func (m *Model) Energy(g *Graph) (*mrf.Problem, error) {
	if g.Dim != m.Node.Dim {
		return nil, fmt.Errorf("model: %s: got %d features per superpixel, want %d", g.ID, g.Dim, m.Node.Dim)
	}
	p := &mrf.Problem{Labels: labels, Unary: make([]float64, g.N*labels)}
	alone := make([]bool, g.N)
	for i := range alone {
		alone[i] = true
	}
	if m.Terms == Pairwise {
		p.Edges = g.Edges
		for _, e := range g.Edges {
			alone[e[0]], alone[e[1]] = false, false
		}
		p.Pair = costs(m.Edge.PredictEdges(g.Features, g.Edges))
	}
	for i, c := range costs(m.Node.PredictNodes(g.Features)) {
		if alone[i/labels] {
			p.Unary[i] = c
		}
	}
	return p, nil
}

// costs returns -log of probabilities clamped to [minProbability, 1].
func costs[F float32 | float64](f []F) []float64 {
	c := make([]float64, len(f))
	for i, v := range f {
		c[i] = -math.Log(min(max(float64(v), minProbability), 1))
	}
	return c
}

// A Prediction is the labeling of least energy that was found: 0 ground, 1 figure per superpixel.
type Prediction struct{ mrf.Result }

// Optimal tells whether no labeling has less energy.
func (p Prediction) Optimal() bool { return p.Status == mrf.Optimal }

// Predict minimizes the energy of a graph.
func (m *Model) Predict(g *Graph) (Prediction, error) {
	p, err := m.Energy(g)
	if err != nil {
		return Prediction{}, err
	}
	return Prediction{mrf.Solve(p, mrf.Defaults())}, nil
}
