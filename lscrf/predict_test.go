package lscrf

import (
	"math"
	"slices"
	"testing"

	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/regress"
)

// given returns a model and a graph of n nodes in a tree, node t joined to parent[t], for which the
// model predicts tables[t] on that edge: the features of a node are its number as 0/1 columns, and an
// edge's head decides.
func given(k int, parent []int, tables [][]float64, potentials string) (*Model, *Graph) {
	n := len(parent)
	g := &Graph{ID: "tree", N: n, Dim: n, Features: make([]float32, n*n)}
	edge := regress.NewLinear(2*n, k*k)
	for t := range n {
		g.Features[t*n+t] = 1
		if t > 0 {
			g.Edges = append(g.Edges, [2]int32{int32(parent[t]), int32(t)})
			copy(edge.W[(n+t)*k*k:], tables[t])
		}
	}
	slices.SortFunc(g.Edges, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	m := &Model{Kind: Linear, Terms: Pairwise, Labels: names(k), Dim: n, Options: TrainDefaults()}
	m.Options.Potentials, m.Options.UnaryWeight = potentials, 0
	m.Node, m.Edge = linear(regress.NewLinear(n, k)), linear(edge)
	return m, g
}

// marginals returns those of nodes and edges under P(y) ∝ exp(-E(y)), by adding up all labelings of
// two labels.
func marginals(p *mrf.Problem) (node, edge []float64) {
	node, edge = make([]float64, len(p.Unary)), make([]float64, len(p.Pair))
	z := 0.0
	for all := range 1 << p.N() {
		y := make([]uint8, p.N())
		for i := range y {
			y[i] = uint8(all >> i & 1)
		}
		w := math.Exp(-p.Energy(y))
		z += w
		for i, l := range y {
			node[2*i+int(l)] += w
		}
		for k, e := range p.Edges {
			edge[4*k+2*int(y[e[0]])+int(y[e[1]])] += w
		}
	}
	for _, v := range [][]float64{node, edge} {
		for i := range v {
			v[i] /= z
		}
	}
	return node, edge
}

// On two nodes the edge sum is the joint distribution: P(y) ∝ exp(-E(y)) = f_y0y1.
func TestTwoNodesAreTheJoint(t *testing.T) {
	joint := []float64{0.05, 0.3, 0.15, 0.5} // not symmetric
	m, g := given(2, []int{0, 0}, [][]float64{nil, joint}, EdgeSum)
	p, err := m.Energy(g)
	if err != nil {
		t.Fatal(err)
	}
	// A node has one edge, and nothing else says anything of it: t is 1.
	if got, want := m.Figure(p), []float64{0.15 + 0.5, 0.3 + 0.5}; !near(got, want, 1e-6) {
		t.Errorf("got the probabilities %v, want %v", got, want)
	}
	_, edge := marginals(p)
	if !near(edge, joint, 1e-6) {
		t.Errorf("got %v, want %v", edge, joint)
	}
}

// On a tree the association of the true marginals beside the true node marginals is the joint distribution, too.
func TestAssociationOnTreesIsTheJoint(t *testing.T) {
	// A chain of three nodes: P(y) = a(y0) b(y1|y0) c(y2|y1), a = (0.3, 0.7).
	first := []float64{0.3 * 0.9, 0.3 * 0.1, 0.7 * 0.4, 0.7 * 0.6} // P(y0, y1)
	middle := []float64{0.55, 0.45}                                // P(y1)
	second := []float64{0.55 * 0.2, 0.55 * 0.8, 0.45 * 0.5, 0.45 * 0.5}
	last := []float64{0.335, 0.665}
	m, g := given(2, []int{0, 0, 1}, [][]float64{nil, first, second}, Association)
	m.Options.UnaryWeight = 1
	copy(m.Node.Linear.W, slices.Concat([]float64{0.3, 0.7}, middle, last))
	p, err := m.Energy(g)
	if err != nil {
		t.Fatal(err)
	}
	// P(0,0)/(P(0)P(0)) = 0.27/(0.3 0.55)
	if want := -math.Log(0.27 / (0.3 * 0.55)); math.Abs(p.Pair[0]-want) > 1e-6 {
		t.Errorf("got %v for the first pair, want %v", p.Pair[0], want)
	}
	node, edge := marginals(p)
	if !near(node, slices.Concat([]float64{0.3, 0.7}, middle, last), 1e-5) || !near(edge, slices.Concat(first, second), 1e-5) {
		t.Errorf("got %v and %v, want the marginals", node, edge)
	}
}

// Shrinking by three quarters takes 0.4 with a frequency of 0.2 to 0.25, and is done before clamping.
func TestEdgeShrink(t *testing.T) {
	m, g := given(2, []int{0, 0}, [][]float64{nil, {0.4, -0.2, 0.7, -0.9}}, EdgeSum)
	m.Options.EdgeShrink, m.Pairs = 0.75, []float64{0.2, 0.2, 0.3, 0.3}
	m.Options.Clamp = 0.01
	p, err := m.Energy(g)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{-math.Log(0.25), -math.Log(0.1), -math.Log(0.4), -math.Log(0.01)}
	if !near(p.Pair, want, 1e-6) {
		t.Errorf("got %v, want %v", p.Pair, want)
	}
	m.Pairs = nil
	if m.check() == nil {
		t.Error("a model without the frequencies that it needs was accepted")
	}
}

// A node without edges costs what its own regressor says, whatever the potentials.
func TestIsolatedNodes(t *testing.T) {
	for _, potentials := range []string{EdgeSum, Association} {
		m, g := given(2, []int{0, 0}, [][]float64{nil, {0.25, 0.25, 0.25, 0.25}}, potentials)
		m.Node.Linear.B = []float64{0.2, 0.8}
		g.N, g.Features = 3, append(g.Features, 0, 0)
		p, err := m.Energy(g)
		if err != nil {
			t.Fatal(err)
		}
		if want := []float64{-math.Log(0.2), -math.Log(0.8)}; !near(p.Unary[4:], want, 1e-6) {
			t.Errorf("%s: got costs %v, want %v", potentials, p.Unary[4:], want)
		}
	}
}

// Predictions are clamped to [Clamp, 1], so that no cost is negative, infinite or not a number.
func TestClamp(t *testing.T) {
	m, g := given(2, []int{0, 0}, [][]float64{nil, {-0.5, 0, 2, 1e-12}}, EdgeSum)
	p, err := m.Energy(g)
	if err != nil {
		t.Fatal(err)
	}
	low := -math.Log(1e-9)
	if want := []float64{low, low, 0, low}; !near(p.Pair, want, 1e-9) {
		t.Errorf("got %v, want %v", p.Pair, want)
	}
}

func near(got, want []float64, tolerance float64) bool {
	return len(got) == len(want) && !slices.ContainsFunc(indices(got), func(i int) bool {
		return !(math.Abs(got[i]-want[i]) <= tolerance)
	})
}

func indices(s []float64) []int {
	out := make([]int, len(s))
	for i := range s {
		out[i] = i
	}
	return out
}

// The unary weight adds the node regressor's cost to nodes with edges: twice -log(0.2) and -log(0.8) at weight 2.
func TestUnaryWeight(t *testing.T) {
	m, g := given(2, []int{0, 0}, [][]float64{nil, {0.25, 0.25, 0.25, 0.25}}, EdgeSum)
	m.Node.Linear.B = []float64{0.2, 0.8}
	m.Options.UnaryWeight = 2
	p, err := m.Energy(g)
	if err != nil {
		t.Fatal(err)
	}
	a, b := -2*math.Log(0.2), -2*math.Log(0.8)
	if want := []float64{a, b, a, b}; !near(p.Unary, want, 1e-6) {
		t.Errorf("got costs %v, want %v", p.Unary, want)
	}
}

// With unaryWeight 3 the energy of two nodes counts the edge once and each node three times, so that
// its probabilities are those of a quarter of it.
func TestFigureCountsEvidenceOnce(t *testing.T) {
	p := &mrf.Problem{Labels: 2, Unary: []float64{0, 3, 2, -1}, Edges: [][2]int32{{0, 1}}, Pair: []float64{1, 0, -2, 4}}
	m := &Model{Kind: Trees, Terms: Pairwise, Options: TrainDefaults()}
	m.Options.UnaryWeight = 3
	quarter := &mrf.Problem{Labels: 2, Unary: []float64{0, 0.75, 0.5, -0.25}, Edges: p.Edges, Pair: []float64{0.25, 0, -0.5, 1}}
	node, _ := marginals(quarter)
	if got, want := m.Figure(p), []float64{node[1], node[3]}; !near(got, want, 1e-6) {
		t.Errorf("got %v, want %v", got, want)
	}
	m.Kind = Pseudolikelihood // which is trained as a distribution
	node, _ = marginals(p)
	if got, want := m.Figure(p), []float64{node[1], node[3]}; !near(got, want, 1e-6) {
		t.Errorf("pseudolikelihood: got %v, want %v", got, want)
	}
}
