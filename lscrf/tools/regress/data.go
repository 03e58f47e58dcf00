package regress

import (
	"fmt"
	"math"
)

// Data are images held in memory for the solvers that go over rows again and again; Stats
// need none of it.
type Data struct {
	Dim, Labels int
	Images      []Image
}

// An Image is a graph of nodes with Dim features each, row by row, and a label per node, or Skip.
// NodeWeight and EdgeWeight are at least 0; nil means 1 everywhere. Solvers only read it.
type Image struct {
	X                      []float32
	Edges                  [][2]int32
	Y                      []uint8
	NodeWeight, EdgeWeight []float32
}

// check panics on wrong lengths, labels and node numbers, and on features that are not finite:
// AddImage refuses such images.
func (d *Data) check() {
	for i, m := range d.Images {
		n := len(m.Y)
		if len(m.X) != n*d.Dim || m.NodeWeight != nil && len(m.NodeWeight) != n || m.EdgeWeight != nil &&
			len(m.EdgeWeight) != len(m.Edges) {
			panic(fmt.Sprintf("regress: image %d: %d features, %d node and %d edge weights for %d nodes of %d features and %d edges",
				i, len(m.X), len(m.NodeWeight), len(m.EdgeWeight), n, d.Dim, len(m.Edges)))
		}
		if !finite(m.X) {
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

// nodeWeight returns the weight of a node that is not Skip.
func (m *Image) nodeWeight(s int) float64 {
	if m.NodeWeight == nil {
		return 1
	}
	return float64(m.NodeWeight[s])
}

// eachEdge visits the edges with weight between labeled nodes.
func (m *Image) eachEdge(visit func(s, t int, w float64)) {
	for e, st := range m.Edges {
		if m.Y[st[0]] == Skip || m.Y[st[1]] == Skip {
			continue
		}
		w := 1.0
		if m.EdgeWeight != nil {
			if w = float64(m.EdgeWeight[e]); w == 0 {
				continue
			}
		}
		visit(int(st[0]), int(st[1]), w)
	}
}

// weights returns the sum of weights per output of a kind.
func (d *Data) weights(kind Kind) []float64 {
	out := make([]float64, outputs(kind, d.Labels))
	for i := range d.Images {
		m := &d.Images[i]
		if kind == Nodes {
			for s, y := range m.Y {
				if y != Skip {
					out[y] += m.nodeWeight(s)
				}
			}
			continue
		}
		m.eachEdge(func(s, t int, w float64) { out[int(m.Y[s])*d.Labels+int(m.Y[t])] += w })
	}
	return out
}

func outputs(kind Kind, labels int) int {
	if kind == Nodes {
		return labels
	}
	return labels * labels
}

// factors returns the weight of each output's rows under a balance, with all outputs that occur
// learned.
func (d *Data) factors(kind Kind, balance string) []float64 {
	w := d.weights(kind)
	seen := make([]bool, len(w))
	for p, v := range w {
		seen[p] = v > 0
	}
	return Balanced(balance, kind, d.Labels, w, seen)
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
			deviation[c] += u * u
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

func finite(x []float32) bool { return kernels.maxBits(x) < math.Float32bits(float32(math.Inf(1))) }
