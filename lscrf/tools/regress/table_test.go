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
// unary. Edges are taken in the order of superpixel ids unless a row says otherwise.
func TestRealTable(t *testing.T) {
	pictures, test := peer.VOC(t, peer.Figure, peer.Horse), peer.TestSet(t, "horse", 90)
	d := realData(pictures, 0)
	w := &tableTest{t: t, pictures: test, graphs: realData(test, 0)}
	for _, p := range test {
		w.maps = append(w.maps, superpixel.SLIC(p.Image, superpixel.Defaults()))
	}
	o, it := Defaults(), IterDefaults()

	unary := w.nodes("unary, closed form", d, func() (*Linear, int) { return w.closed(d, Nodes), 1 })
	w.near(unary, w.nodes("unary, conjugate gradients", d, func() (*Linear, int) { return w.conjugate(d, Nodes) }))
	w.near(unary, w.nodes("unary, L-BFGS over rows", d, func() (*Linear, int) {
		m, r := LeastSquares(d, Nodes, o, it)
		return m, r.Passes
	}))
	w.nodes("unary, averaged SGD", d, func() (*Linear, int) {
		return SGD(d, Nodes, o, SGDDefaults(), pcg(1)), SGDDefaults().Epochs
	})
	w.nodes("unary, closed form, 25% sampled", d, func() (*Linear, int) { return w.closed(w.sampled(d, Nodes), Nodes), 1 })
	w.nodes("unary, logistic", d, func() (*Linear, int) { m, r := Logistic(d, o, it); return m, r.Passes })

	pairs := w.edges("pairwise, closed form", false, func() (*Linear, int) { return w.closed(d, Forward), 1 })
	w.near(pairs, w.edges("pairwise, conjugate gradients", false, func() (*Linear, int) { return w.conjugate(d, Forward) }))
	w.near(pairs, w.edges("pairwise, L-BFGS over rows", false, func() (*Linear, int) {
		m, r := LeastSquares(d, Forward, o, it)
		return m, r.Passes
	}))
	w.edges("pairwise, averaged SGD", false, func() (*Linear, int) {
		return SGD(d, Forward, o, SGDDefaults(), pcg(1)), SGDDefaults().Epochs
	})
	w.edges("pairwise, closed form, 10% sampled", false, func() (*Linear, int) { return w.closed(w.sampled(d, Forward), Forward), 1 })
	w.edges("pairwise, closed form, both orientations", true, func() (*Linear, int) { return w.closed(d, Edges), 1 })
	w.logLinear("piecewise", func() (LogLinear, int) {
		m, r := Piecewise(d, Forward, o, it)
		return m, r[0].Passes + r[1].Passes
	})
	w.logLinear("pseudolikelihood", func() (LogLinear, int) {
		m, r := Pseudolikelihood(d, Forward, o, it)
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
		s, err := train.Stats(Nodes)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := Solve(s, o)
		return m, 1
	})
}

type tableTest struct {
	t        *testing.T
	pictures []peer.Picture
	graphs   *Data
	maps     []*superpixel.Map
}

func (w *tableTest) closed(d *Data, kind Kind) *Linear { return solveAll(w.t, d, kind) }

func (w *tableTest) conjugate(d *Data, kind Kind) (*Linear, int) {
	s, err := d.Stats(kind)
	if err != nil {
		w.t.Fatal(err)
	}
	_, report := Solve(s, Defaults())
	m, r := SolveCG(s.Gram(report.Factors), Defaults(), IterDefaults())
	return m, r.Passes
}

// sampled keeps the paper's part of the rows.
func (w *tableTest) sampled(d *Data, kind Kind) *Data {
	s, err := d.Stats(kind)
	if err != nil {
		w.t.Fatal(err)
	}
	fraction := NodeFraction
	if kind != Nodes {
		fraction = EdgeFraction
	}
	rates, rng := SampleRates(kind, 2, s.Rows(), fraction), pcg(3)
	out := &Data{Dim: d.Dim, Labels: 2}
	for _, m := range d.Images {
		if kind == Nodes {
			m.NodeWeight = SampleNodes(m.Y, rates, rng)
		} else {
			m.EdgeWeight = SampleEdges(m.Edges, m.Y, 2, rates, rng)
		}
		out.Images = append(out.Images, m)
	}
	return out
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

// edges prints a row for least squares on pairs: the labeling of least energy -Σ log f, f the mean of both
// orientations where it was trained on both.
func (w *tableTest) edges(name string, both bool, train func() (*Linear, int)) float64 {
	start := peer.CPU()
	m, passes := train()
	cpu := peer.CPU() - start
	return w.score(name, cpu.Seconds(), passes, func(g *Image) []uint8 {
		f := w.tables(m, g, both)
		p := &mrf.Problem{Labels: 2, Unary: make([]float64, 2*len(g.X)/(m.Dim/2)), Edges: g.Edges, Pair: make([]float64, len(f))}
		for i, v := range Clamp(f) {
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
		for _, v := range w.tables(m.Pair, g, false) {
			p.Pair = append(p.Pair, -float64(v))
		}
		return new(mrf.Solver).Solve(p).Labels
	})
}

func (w *tableTest) tables(m *Linear, g *Image, both bool) []float32 {
	f := m.PredictEdges(g.X, g.Edges)
	if !both {
		return f
	}
	turned := make([][2]int32, len(g.Edges))
	for e, st := range g.Edges {
		turned[e] = [2]int32{st[1], st[0]}
	}
	back := m.PredictEdges(g.X, turned)
	for e := 0; e < len(f); e += 4 {
		for p, q := range [4]int{0, 2, 1, 3} {
			f[e+p] = (f[e+p] + back[e+q]) / 2
		}
	}
	return f
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
