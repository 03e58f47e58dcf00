package feature

import (
	"math"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// The superpixels of strips are black, half and half, and white: L is 0, 50, 100, so neighbors are 50 apart and the ends 100. Centers
// are at 1/6, 1/2 and 5/6 across. Of the border's pixels they have 4+4+4, 4+4 and 4+4+4.
func TestSaliency(t *testing.T) {
	img, sp := strips()
	o := Defaults()
	o.Set = Saliency
	out := Extract(img, sp, o)
	if len(out) != 3*SaliencyDim || Dim(o) != SaliencyDim || o.NeedsVocabulary() {
		t.Fatalf("got %d values", len(out))
	}
	near, nearer := math.Exp(-1./9/0.02), math.Exp(-4./9/0.02) // kernels of distances 1/3 and 2/3
	for i, want := range []map[int]float64{
		{
			0: 0, 3: 0, 6: 0, 7: 1. / 3, 8: 0, 9: 1. / 6, 10: 1. / 3, 11: 12. / 4, 12: 1, 13: 1, 14: 1, 15: 1,
			16: 1. / 6, 20: 1. / 6, 22: 50, 23: (50*near + 100*nearer) / (1 + near + nearer), 24: (50*(1-near) + 100*(1-nearer)) / (2 - near - nearer),
			26: (8*50 + 12*100) / 20., 27: 0, 28: 50, 33: 0,
		},
		{
			0: 50, 3: 50, 6: 50, 7: 0, 9: 0.5, 11: 8. / 4, 13: 8. / 4, // of its columns the middle two have a gradient of 100
			16: 1. / 2, 20: 5. / 6, 22: 100. / 3, 23: 2 * 50 * near / (1 + 2*near), 24: 50, 26: 50, 28: 50,
		},
		{0: 100, 5: 0, 16: 5. / 6, 20: 1. / 2, 22: 50, 26: 80},
	} {
		want[25] = 0                                                     // no other has its color
		want[34], want[36], want[37], want[39], want[41] = 0, 1, 0, 0, 0 // all steps are of the median contrast, so they count nothing
		want[35] = 32 / math.Sqrt(48)
		for k, w := range want {
			if got := float64(out[i*SaliencyDim+DraftDim+k]); math.Abs(got-w) > 1e-3 {
				t.Errorf("superpixel %d, cue %d: got %g, want %g", i, k, got, w)
			}
		}
	}
}

// A chain of L = 0, 10, 40, 100 has steps of 10, 30, 60; the least ones of its nodes are 10, 10, 30, 60, so 30 is noise, and what
// remains is 0, 0, 30.
func TestRoads(t *testing.T) {
	r := make([]region, 4)
	for i, l := range []float64{0, 10, 40, 100} {
		r[i].lab[0] = l
	}
	chain := [][2]int32{{0, 1}, {1, 2}, {2, 3}}
	g := newRoads(r, chain)
	inf := math.Inf(1)
	d := make([]float64, 4)
	for _, c := range []struct {
		limit float64
		from  []int32
		want  [4]float64
	}{
		{inf, []int32{0}, [4]float64{0, 0, 0, 30}},
		{inf, []int32{3}, [4]float64{30, 30, 30, 0}},
		{30, []int32{3}, [4]float64{inf, inf, inf, 0}},
		{inf, []int32{0, 3}, [4]float64{0, 0, 0, 0}},
	} {
		if g.distances(d, c.limit, c.from...); [4]float64(d) != c.want {
			t.Errorf("from %v below %g: got %v, want %v", c.from, c.limit, d, c.want)
		}
	}
}

// Distances agree with relaxing every edge until nothing changes (Bellman and Ford).
func TestRoadsReal(t *testing.T) {
	img := peer.Scene(120, 90, 3)
	sp := superpixel.SLIC(img, superpixel.Defaults())
	r, edges := regionsOf(img, sp), sp.Edges()
	g := newRoads(r, edges)
	d := make([]float64, sp.N)
	for _, from := range []int32{0, int32(sp.N / 2), int32(sp.N - 1)} {
		g.distances(d, math.Inf(1), from)
		want := make([]float64, sp.N)
		for i := range want {
			want[i] = math.Inf(1)
		}
		want[from] = 0
		for range sp.N {
			for s := range want {
				for k, u := range g.next[s] {
					want[u] = min(want[u], want[s]+g.length[s][k])
				}
			}
		}
		for i, w := range want {
			if math.Abs(d[i]-w) > 1e-9 {
				t.Fatalf("from %d to %d: got %g, want %g", from, i, d[i], w)
			}
		}
	}
}

// In a mirror left and right change places and nothing else does.
func TestSaliencyMirror(t *testing.T) {
	img := peer.Scene(90, 60, 2)
	o := superpixel.Defaults()
	o.Count = 40
	sp := superpixel.SLIC(img, o)
	back := &superpixel.Map{Labels: make([]int32, len(sp.Labels)), Width: sp.Width, Height: sp.Height, N: sp.N}
	for i, l := range sp.Labels {
		x, y := i%sp.Width, i/sp.Width
		back.Labels[y*sp.Width+sp.Width-1-x] = l
	}
	a, b := saliency(img, sp), saliency(raster.Orient(img, 2), back)
	for i := range sp.N {
		for k := range cues {
			other := k
			switch k {
			case 29, 37:
				other = k + 2
			case 31, 39:
				other = k - 2
			}
			if p, q := float64(a[i*cues+k]), float64(b[i*cues+other]); math.Abs(p-q) > 1e-3*(1+math.Abs(p)) {
				t.Errorf("superpixel %d, cue %d: %g, and %g in the mirror", i, k, p, q)
			}
		}
	}
}
