package regress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// realData returns the superpixel graphs of pictures of two labels, with extra columns of noise
// behind the draft features.
func realData(pictures []peer.Picture, extra int) *Data {
	rng := pcg(5)
	d := &Data{Dim: feature.DraftDim + extra, Labels: 2}
	for _, p := range pictures {
		sp := superpixel.SLIC(p.Image, superpixel.Defaults())
		x := feature.Extract(p.Image, sp, feature.Defaults())
		m := Image{Edges: sp.Edges(), Y: superpixel.Majority(sp, p.Mask)}
		for s := range sp.N {
			m.X = append(m.X, x[s*feature.DraftDim:(s+1)*feature.DraftDim]...)
			for range extra {
				m.X = append(m.X, float32(rng.NormFloat64()))
			}
			if m.Y[s] == raster.Void {
				m.Y[s] = Skip
			}
		}
		d.Images = append(d.Images, m)
	}
	return d
}

// TestRealStats prints the processor time of the statistics of all edges, per label pair, and one
// solve, for the shared VOC horses at the paper's width (133 features and 10 columns of noise in
// place of tree features, 287 with both ends and the intercept), and what numpy and OpenBLAS need
// to gather the edge rows and multiply them:
//
//	HDSEG_REAL=1 HDSEG_PYTHON=python3 go test -run RealStats -v ./lscrf/tools/regress
//
// It holds ours to half of numpy's time.
func TestRealStats(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	horses := realData(peer.VOC(t, peer.Figure, peer.Horse), 10)
	file := filepath.Join(t.TempDir(), "horses.npz")
	nodes, edges := writeGraphs(t, file, horses)
	ours := peer.Milliseconds(peer.Median(9, func() { solveAll(t, horses, Edges, Defaults()) }))
	t.Logf("%d VOC horses, %d nodes, %d edges, kernels %s: cpu %.3f ms", len(horses.Images), nodes, edges, kernels.name, ours)
	python, ok := peer.Python(t)
	if !ok {
		return
	}
	var theirs float64
	text := peer.Run(t, python, "testdata/gram_peer.py", file)
	if _, err := fmt.Sscan(text, &theirs); err != nil {
		t.Fatalf("gram_peer.py: %v: %s", err, text)
	}
	t.Logf("numpy and OpenBLAS: cpu %.3f ms, %.1f times as much", theirs, theirs/ours)
	if 2*ours > theirs {
		t.Errorf("%.1f ms, want at most half of %.1f", ours, theirs)
	}
}

func solveAll(t *testing.T, d *Data, kind Kind, o Options) *Linear {
	s := newStats(kind, d.Dim, d.Labels)
	for _, m := range d.Images {
		if err := s.AddImage(m.X, m.Edges, m.Y); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := Solve(s, d, o)
	return m
}

// writeGraphs writes the graphs as one for Python, without what is not labeled.
func writeGraphs(t *testing.T, file string, d *Data) (nodes, edges int) {
	var x []float32
	var y []uint8
	var e []int32
	for _, m := range d.Images {
		base := int32(len(y))
		x, y = append(x, m.X...), append(y, m.Y...)
		m.eachEdge(func(s, t int) { e = append(e, base+int32(s), base+int32(t)) })
	}
	peer.WriteNPZ(t, file, peer.Array{Name: "x", Columns: d.Dim, Data: x}, peer.Array{Name: "y", Columns: 1, Data: y}, peer.Array{Name: "e", Columns: 2, Data: e})
	return len(y), len(e) / 2
}

// TestRealTable trains every solver and baseline on the VOC horses and prints processor time and
// per-class accuracy in percent, pooled over the pixels of all 90 test horses:
//
//	HDSEG_REAL=1 go test -run RealTable -v ./lscrf/tools/regress
//
// It holds the rows that solve one problem exactly to each other, and pairwise least squares to be
// better than unary.
func TestRealTable(t *testing.T) {
	pictures, test := peer.VOC(t, peer.Figure, peer.Horse), peer.TestSet(t, "horse", 90)
	d := realData(pictures, 0)
	w := &tableTest{t: t, pictures: test, graphs: realData(test, 0)}
	for _, p := range test {
		w.maps = append(w.maps, superpixel.SLIC(p.Image, superpixel.Defaults()))
	}
	o, it := Defaults(), IterDefaults()
	cg := o
	cg.Solver = CG
	unary := w.nodes("unary, closed form", func() *Linear { return solveAll(t, d, Nodes, o) })
	w.near(unary, w.nodes("unary, conjugate gradients", func() *Linear { return solveAll(t, d, Nodes, cg) }))
	sgd := o
	sgd.Solver = SGD
	w.nodes("unary, averaged SGD", func() *Linear { return solveAll(t, d, Nodes, sgd) })
	w.nodes("unary, logistic", func() *Linear { m, _ := Logistic(d, o, it); return m })
	pairs := w.edges("pairwise, closed form", func() *Linear { return solveAll(t, d, Edges, o) })
	w.near(pairs, w.edges("pairwise, conjugate gradients", func() *Linear { return solveAll(t, d, Edges, cg) }))
	w.edges("pairwise, averaged SGD", func() *Linear { return solveAll(t, d, Edges, sgd) })
	w.logLinear("piecewise", func() LogLinear {
		unary, _ := Logistic(d, o, it)
		pair, _ := PairLogistic(d, o, it)
		return LogLinear{unary, pair}
	})
	w.logLinear("pseudolikelihood", func() LogLinear { m, _ := Pseudolikelihood(d, o, it); return m })
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
	o.Lambda = 1e-3
	w.nodes("unary, 1,969 features, closed form", func() *Linear { return solveAll(t, train, Nodes, o) })
}

type tableTest struct {
	t        *testing.T
	pictures []peer.Picture
	graphs   *Data
	maps     []*superpixel.Map
}

// nodes prints a row for a model whose largest output is the label.
func (w *tableTest) nodes(name string, train func() *Linear) float64 {
	start := peer.CPU()
	m := train()
	cpu := peer.CPU() - start
	return w.score(name, cpu.Seconds(), func(g *Image) []uint8 {
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

// edges prints a row for least squares on pairs: the labeling of least energy -Σ log f.
func (w *tableTest) edges(name string, train func() *Linear) float64 {
	start := peer.CPU()
	m := train()
	cpu := peer.CPU() - start
	return w.score(name, cpu.Seconds(), func(g *Image) []uint8 {
		f := m.PredictEdges(g.X, g.Edges)
		p := &mrf.Problem{Labels: 2, Unary: make([]float64, 2*len(g.X)/(m.Dim/2)), Edges: g.Edges, Pair: make([]float64, len(f))}
		for i, v := range f {
			p.Pair[i] = -math.Log(min(max(float64(v), ClampLow), 1))
		}
		return new(mrf.Solver).Solve(p).Labels
	})
}

func (w *tableTest) logLinear(name string, train func() LogLinear) float64 {
	start := peer.CPU()
	m := train()
	cpu := peer.CPU() - start
	return w.score(name, cpu.Seconds(), func(g *Image) []uint8 {
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
func (w *tableTest) score(name string, cpu float64, label func(g *Image) []uint8) float64 {
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
	w.t.Logf("%-40s cpu %8.3f s   per-class accuracy %6.2f", name, cpu, accuracy)
	return accuracy
}

func (w *tableTest) near(a, b float64) {
	w.t.Helper()
	if math.Abs(a-b) > 0.3 {
		w.t.Errorf("accuracies %.2f and %.2f of one problem solved exactly, want them within 0.3", a, b)
	}
}
