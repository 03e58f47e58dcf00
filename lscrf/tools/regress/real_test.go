package regress

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// realData returns the superpixel graphs of pictures of two labels, with extra columns of noise behind the draft features.
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

// TestRealStats prints the processor time of the statistics of all edges, per label pair, and one solve: for the
// shared VOC horses at the paper's width (133 features and 10 columns of noise in place of tree features, 287
// with both ends and the intercept) and for the generated problem of peers.py gram; and beside each what numpy
// and OpenBLAS need to gather the edge rows and multiply them.
//
//	HDSEG_REAL=1 HDSEG_PYTHON=python3 go test -run RealStats -v ./lscrf/tools/regress
//
// It holds ours to half of numpy's time.
func TestRealStats(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	horses := realData(peer.VOC(t, peer.Figure, peer.Horse), 10)
	file := filepath.Join(t.TempDir(), "horses.npz")
	nodes, edges := writeGraphs(t, file, horses)
	t.Logf("%d VOC horses, %d nodes, %d edges, kernel %s", len(horses.Images), nodes, edges, kernels.name)
	ours := peer.Milliseconds(peer.Median(9, func() { solveAll(t, horses) }))
	t.Logf("hdseg, VOC horses                               cpu %9.3f ms", ours)
	if python, ok := peer.Python(t); ok {
		var theirs float64
		text := peer.Run(t, python, "testdata/gram_peer.py", file)
		if _, err := fmt.Sscan(text, &theirs); err != nil {
			t.Fatalf("gram_peer.py: %v: %s", err, text)
		}
		t.Logf("numpy/OpenBLAS                                  cpu %9.3f ms", theirs)
		hold(t, ours, theirs)
	}
	generated := &Data{Dim: 143, Labels: 2}
	for _, p := range gramSet(200_000, false) {
		generated.Images = append(generated.Images, Image{X: p.x, Edges: p.edges, Y: p.y})
	}
	ours = peer.Milliseconds(peer.Median(3, func() { solveAll(t, generated) }))
	t.Logf("hdseg, generated                                cpu %9.3f ms", ours)
	for _, theirs := range peer.Shared(t, "gram", "--orientations", "1", "--runs", "3") {
		hold(t, ours, theirs)
	}
}

func solveAll(t *testing.T, d *Data) *Linear {
	s := statsOfData(t, d, Edges)
	m, _ := Solve(s, nil, Defaults())
	return m
}

func hold(t *testing.T, ours, theirs float64) {
	t.Helper()
	t.Logf("%.1f times as fast", theirs/ours)
	if 2*ours > theirs {
		t.Errorf("%.1f ms, want at most half of %.1f", ours, theirs)
	}
}

// writeGraphs writes the graphs as one for Python, without what is not labeled.
func writeGraphs(t *testing.T, file string, d *Data) (nodes, edges int) {
	var x []float32
	var y []uint8
	var e []int32
	for _, m := range d.Images {
		base := int32(len(y))
		x, y = append(x, m.X...), append(y, m.Y...)
		m.eachEdge(func(s, t int, _ float64) { e = append(e, base+int32(s), base+int32(t)) })
	}
	peer.WriteNPZ(t, file, peer.Array{Name: "x", Columns: d.Dim, Data: x}, peer.Array{Name: "y", Columns: 1, Data: y}, peer.Array{Name: "e", Columns: 2, Data: e})
	return len(y), len(e) / 2
}
