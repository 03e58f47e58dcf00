package feature

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// TestRealSIFT prints the median processor time per image on 40 test horses, one core: of 342 descriptors, and beside it
// what OpenCV needs for the same points; of the draft features, of the cues of saliency, of auto-context and of the 1,969 histograms of 350 superpixels.
//
//	HDSEG_REAL=1 HDSEG_PYTHON=python3 go test -run RealSIFT -v ./lscrf/tools/feature
//
// A key point of size 8 has bins of 12 px, one of size 16 bins of 24. It holds ours to a third of OpenCV's time.
func TestRealSIFT(t *testing.T) {
	horses := peer.TestSet(t, "horse", 40)
	var grays [][]float32
	var maps []*superpixel.Map
	var samples []Sample
	var drafts [][]float32
	for i, p := range horses {
		grays = append(grays, raster.Gray(p.Image))
		maps = append(maps, superpixel.SLIC(p.Image, superpixel.Defaults()))
		drafts = append(drafts, Extract(p.Image, maps[i], Defaults()))
		samples = append(samples, NewSample(p.Image, Defaults(), rand.New(rand.NewPCG(1, uint64(i)))))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	measure := func(name string, f func(i int)) float64 {
		ms := peer.Milliseconds(peer.Median(5, func() {
			for i := range horses {
				f(i)
			}
		})) / float64(len(horses))
		t.Logf("%-44s cpu %7.3f ms per image", name, ms)
		return ms
	}
	var at []point
	for y := range 18 {
		for x := range 19 {
			at = append(at, point{10 + x*310/18, 10 + y*290/17})
		}
	}
	out := make([]float32, 128*len(at))
	descriptors := func(name string, bin int, sigma float64) float64 {
		o := Defaults()
		o.SIFTBin, o.SIFTSigma = bin, sigma
		return measure("hdseg SIFT, 342 points, "+name, func(i int) {
			img := horses[i].Image
			sift(out, 128, grays[i], img.Width, img.Height, clip(at, img), o)
		})
	}
	descriptors("default", Defaults().SIFTBin, Defaults().SIFTSigma)
	ours := []float64{descriptors("as OpenCV's size 8", 12, 1.52), descriptors("as OpenCV's size 16", 24, 1.52)}
	for i, theirs := range peer.Shared(t, "sift") {
		t.Logf("1/%.1f of OpenCV's time", theirs/ours[i])
		if 3*ours[i] > theirs {
			t.Errorf("%.1f ms, want at most a third of %.1f", ours[i], theirs)
		}
	}
	measure("hdseg draft features of 350 superpixels", func(i int) { Extract(horses[i].Image, maps[i], Defaults()) })
	measure("hdseg saliency cues beside them", func(i int) { saliency(horses[i].Image, maps[i]) })
	measure("hdseg auto-context of one output", func(i int) {
		at := Places(drafts[i], DraftDim)
		p := make([]float32, len(at))
		for s := range p {
			p[s] = float32(at[s].X)
		}
		AutoContext(p, 1, at, maps[i].Edges())
	})
	o := Defaults()
	o.Set, o.Vocabulary = HDSeg, NewVocabulary(samples, Defaults(), rand.New(rand.NewPCG(1, 99)))
	measure("hdseg 1,969 features of 350 superpixels", func(i int) { Extract(horses[i].Image, maps[i], o) })
}

// clip moves points that lie outside a small picture to its border, so that all pictures have equally many.
func clip(at []point, img *raster.RGB) []point {
	at = slices.Clone(at)
	for i := range at {
		at[i].x, at[i].y = min(at[i].x, img.Width-1), min(at[i].y, img.Height-1)
	}
	return at
}
