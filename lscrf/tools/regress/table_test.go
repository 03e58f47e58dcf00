package regress

import (
	"math"
	"math/rand/v2"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// TestRealTable trains every solver and baseline on the VOC horses and prints processor time and per-class
// accuracy in percent, pooled over the pixels of all 90 test horses:
//
//	HDSEG_REAL=1 go test -run RealTable -v ./lscrf/tools/regress
//
// It holds the rows that solve one problem exactly to each other, and pairwise least squares to be better than
// unary. Edges are taken in the order of superpixel ids.
func TestRealTable(t *testing.T) {
	pictures, test := peer.VOC(t, peer.Figure, peer.Horse), peer.TestSet(t, "horse", 90)
	d := realData(pictures, 0)
	w := &tableTest{t: t, pictures: test, graphs: realData(test, 0)}
	for _, p := range test {
		w.maps = append(w.maps, superpixel.SLIC(p.Image, superpixel.Defaults()))
	}
	o, it := Defaults(), IterDefaults()

	unary := w.nodes("unary, closed form", d, w.solved(d, Nodes, ClosedForm, 1))
	w.near(unary, w.nodes("unary, conjugate gradients", d, w.solved(d, Nodes, CG, 0)))
	w.nodes("unary, averaged SGD", d, w.solved(d, Nodes, SGD, sgdPasses))
	w.nodes("unary, logistic", d, func() (*Linear, int) { m, r := Logistic(d, o, it); return m, r.Passes })

	pairs := w.edges("pairwise, closed form", w.solved(d, Edges, ClosedForm, 1))
	w.near(pairs, w.edges("pairwise, conjugate gradients", w.solved(d, Edges, CG, 0)))
	w.edges("pairwise, averaged SGD", w.solved(d, Edges, SGD, sgdPasses))
	w.logLinear("piecewise", func() (LogLinear, int) {
		unary, r := Logistic(d, o, it)
		pair, q := PairLogistic(d, o, it)
		return LogLinear{unary, pair}, r.Passes + q.Passes
	})
	w.logLinear("pseudolikelihood", func() (LogLinear, int) {
		m, r := Pseudolikelihood(d, o, it)
		return m, r.Passes
	})
	if pairs <= unary {
		t.Errorf("pairwise least squares has %.2f, want more than the %.2f of unary", pairs, unary)
	}

	// The published histograms are for unary models.
	hist := feature.Defaults()
	var samples []feature.Sample
	for i, p := range pictures {
		samples = append(samples, feature.NewSample(p.Image, hist, rand.New(rand.NewPCG(1, uint64(i)))))
	}
	hist.Set, hist.Vocabulary = feature.HDSeg, feature.NewVocabulary(samples, hist, rand.New(rand.NewPCG(1, 999)))
	wide := func(d *Data, pictures []peer.Picture) *Data {
		out := &Data{Dim: feature.HDSegDim, Labels: 2}
		for i, p := range pictures {
			sp := superpixel.SLIC(p.Image, superpixel.Defaults())
			out.Images = append(out.Images, Image{X: feature.Extract(p.Image, sp, hist), Y: d.Images[i].Y})
		}
		return out
	}
	train := wide(d, pictures)
	w.graphs = wide(w.graphs, test)
	w.nodes("unary, 1,969 features, closed form", train, func() (*Linear, int) {
		o.Lambda = 1e-3
		m, _ := Solve(statsOfData(t, train, Nodes), nil, o)
		return m, 1
	})
}

type tableTest struct {
	t        *testing.T
	pictures []peer.Picture
	graphs   *Data
	maps     []*superpixel.Map
}

// solved fits d by a solver; passes are those that are known.
func (w *tableTest) solved(d *Data, kind Kind, solver string, passes int) func() (*Linear, int) {
	return func() (*Linear, int) {
		o := Defaults()
		o.Solver = solver
		m, _ := Solve(statsOfData(w.t, d, kind), d, o)
		return m, passes
	}
}

// nodes prints a row for a model whose largest output is the label.
func (w *tableTest) nodes(name string, d *Data, train func() (*Linear, int)) float64 {
	start := peer.CPU()
	m, passes := train()
	cpu := peer.CPU() - start
	return w.score(name, cpu.Seconds(), passes, func(g *Image) []uint8 {
		f := m.PredictNodes(g.X)
		y := make([]uint8, len(f)/2)
		for s := range y {
			if f[2*s+1] > f[2*s] {
				y[s] = 1
			}
		}
		return y
	})
}

// edges prints a row for least squares on pairs: the labeling of least energy -Σ log f, f as clamped.
func (w *tableTest) edges(name string, train func() (*Linear, int)) float64 {
	start := peer.CPU()
	m, passes := train()
	cpu := peer.CPU() - start
	return w.score(name, cpu.Seconds(), passes, func(g *Image) []uint8 {
		f := m.PredictEdges(g.X, g.Edges)
		p := &mrf.Problem{Labels: 2, Unary: make([]float64, 2*len(g.X)/(m.Dim/2)), Edges: g.Edges, Pair: make([]float64, len(f))}
		for i, v := range clamp(f) {
			p.Pair[i] = -math.Log(float64(v))
		}
		return new(mrf.Solver).Solve(p).Labels
	})
}

func (w *tableTest) logLinear(name string, train func() (LogLinear, int)) float64 {
	start := peer.CPU()
	m, passes := train()
	cpu := peer.CPU() - start
	return w.score(name, cpu.Seconds(), passes, func(g *Image) []uint8 {
		p := &mrf.Problem{Labels: 2, Edges: g.Edges}
		for _, v := range m.Unary.PredictNodes(g.X) {
			p.Unary = append(p.Unary, -float64(v))
		}
		for _, v := range m.Pair.PredictEdges(g.X, g.Edges) {
			p.Pair = append(p.Pair, -float64(v))
		}
		return new(mrf.Solver).Solve(p).Labels
	})
}

// score prints a row and returns the accuracy.
func (w *tableTest) score(name string, cpu float64, passes int, label func(g *Image) []uint8) float64 {
	var right, all [2]float64
	for i := range w.graphs.Images {
		y := label(&w.graphs.Images[i])
		mask := w.pictures[i].Mask
		for k, s := range w.maps[i].Labels {
			if v := mask.Pix[k]; v != raster.Void {
				all[v]++
				if y[s] == v {
					right[v]++
				}
			}
		}
	}
	accuracy := 100 * (right[0]/all[0] + right[1]/all[1]) / 2
	w.t.Logf("%-40s cpu %8.3f s, %4d passes   per-class accuracy %6.2f", name, cpu, passes, accuracy)
	return accuracy
}

func (w *tableTest) near(a, b float64) {
	w.t.Helper()
	if math.Abs(a-b) > 0.3 {
		w.t.Errorf("accuracies %.2f and %.2f of one problem solved exactly, want them within 0.3", a, b)
	}
}
