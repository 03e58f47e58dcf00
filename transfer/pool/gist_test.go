package pool

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"hdseg/manifests/raster"
)

// grating returns a grey wave of amplitude 60 with the frequency and direction of a filter, even about the patch's left and upper side.
func grating(scale, turn int) []float32 {
	f, a := gistTop/math.Exp2(float64(scale)), math.Pi*float64(turn)/gistOrientations
	out := make([]float32, 3*patchSize*patchSize)
	for i := range out {
		x, y := float64(i/3%patchSize)+0.5, float64(i/3/patchSize)+0.5
		out[i] = float32(128 + 60*math.Cos(2*math.Pi*f*(x*math.Cos(a)+y*math.Sin(a))))
	}
	return out
}

// Waves of 4 and 8 pixels across the patch go on in its reflection. Of amplitude 60 and local standard deviation 60√½ the finest is evened
// out to 60/(10+60√½); half of that answers. Of the other the local mean has already taken a 16th. A filter beside it in scale or
// direction has its neighbour's center at two halves of its width, where it has fallen to 1/2⁴.
func TestGISTOfWaves(t *testing.T) {
	for scale, amplitude := range []float64{60, 60 * 15. / 16} {
		got := gistAnswers(grating(scale, 0))
		own := amplitude / (gistNoise + amplitude*math.Sqrt2/2) / 2
		near := func(k int, want float64) {
			t.Helper()
			for c, v := range got[k*gistCells*gistCells:][:gistCells*gistCells] {
				if math.Abs(float64(v)-want) > 1e-3 {
					t.Errorf("wave of scale %d: filter %d, cell %d: got %g, want %g", scale, k, c, v, want)
				}
			}
		}
		near(scale*gistOrientations, own)
		near(scale*gistOrientations+1, own/16)
		near(scale*gistOrientations+gistOrientations-1, own/16) // a wave also runs the other way, 22.5° from this one
		near((scale+1)*gistOrientations, own/16)
		near(scale*gistOrientations+gistOrientations/2, 0)
	}
}

// Every wave answers its own filter most.
func TestGISTTellsWavesApart(t *testing.T) {
	for k := range gistScales * gistOrientations {
		got := gistAnswers(grating(k/gistOrientations, k%gistOrientations))
		best, most := 0, float32(0)
		for i := range gistScales * gistOrientations {
			var sum float32
			for _, v := range got[i*gistCells*gistCells:][:gistCells*gistCells] {
				sum += v
			}
			if sum > most {
				best, most = i, sum
			}
		}
		if best != k {
			t.Errorf("the wave of filter %d answers filter %d most", k, best)
		}
	}
}

// A mirrored patch has the same answers in mirrored cells, of filters of mirrored direction.
func TestGISTMirrored(t *testing.T) {
	im, m := bar(rand.New(rand.NewPCG(8, 8)))
	patch := colorPatch(im, Windows(m, 1)[0], 0.1, patchSize)
	a, b := gist(patch), gist(mirrored(patch, patchSize))
	for i, v := range a {
		k, cy, cx := i/(gistCells*gistCells), i/gistCells%gistCells, i%gistCells
		k = k/gistOrientations*gistOrientations + (gistOrientations-k%gistOrientations)%gistOrientations
		if w := b[(k*gistCells+cy)*gistCells+gistCells-1-cx]; math.Abs(float64(v-w)) > 1e-5 {
			t.Fatalf("value %d: got %g, mirrored %g", i, v, w)
		}
	}
}

// One colour has no descriptor, noise of a grey level hardly any, a picture nearly length 1.
func TestGISTLength(t *testing.T) {
	length := func(im *raster.RGB) float64 {
		d := gist(colorPatch(im, image.Rect(0, 0, im.Width, im.Height), 0, patchSize))
		return math.Sqrt(float64(dot(d, d)))
	}
	grey := raster.NewRGB(64, 64)
	for i := range grey.Pix {
		grey.Pix[i] = 90
	}
	if got := length(grey); got > 1e-6 {
		t.Errorf("one colour: length %g, want 0", got)
	}
	r := rand.New(rand.NewPCG(3, 3))
	for i := range grey.Pix {
		grey.Pix[i] = uint8(89 + r.IntN(3))
	}
	if got := length(grey); got > 0.3 {
		t.Errorf("noise of one grey level: length %g, want at most 0.3", got)
	}
	im, _ := bar(r)
	if got := length(im); got < 0.9 || got > 1 {
		t.Errorf("bars: length %g, want 0.9 to 1", got)
	}
}

// Pools of each descriptor keep it: what was decoded answers alike, and pools of different ones are not joined.
func TestDescriptors(t *testing.T) {
	sizes := map[string]int{DescriptorHOG: 7*7*36 + 5, DescriptorGIST: 4*8*16 + 5, DescriptorBoth: 7*7*36 + 4*8*16 + 5}
	im, m := bar(rand.New(rand.NewPCG(6, 6)))
	for name, want := range sizes {
		o := Defaults()
		o.Descriptor = name
		p := New(o)
		add(p, "a", im, m)
		if got := len(p.Describe(im, Windows(m, 1)[0])); got != want {
			t.Errorf("%s: got %d values, want %d", name, got, want)
		}
		q, err := Decode(p.Encode())
		if err != nil || q.Options().Descriptor != name || q.Len() != 2 {
			t.Fatalf("%s: decoded %v, %v", name, q, err)
		}
		if got := q.Nearest(p.Describe(im, Windows(m, 1)[0]), 1, nil)[0][0]; got.Window != 0 || got.Distance > 1e-5 {
			t.Errorf("%s: the window's own nearest is %v, want itself", name, got)
		}
		if d := p.descriptor(0); name == DescriptorBoth {
			if hogs, gists := dot(d[:hogSize], d[:hogSize]), dot(d[hogSize:hogSize+gistSize], d[hogSize:hogSize+gistSize]); math.Abs(float64(hogs)-0.5) > 1e-3 || gists > 0.5 || gists < 0.4 {
				t.Errorf("HOG and GIST have squared lengths %g and %g, want a half each", hogs, gists)
			}
		}
	}
	o := Defaults()
	o.Descriptor = "sift"
	if o.Validate() == nil {
		t.Error("an unknown descriptor is accepted")
	}
}

func BenchmarkDescriptor(b *testing.B) {
	im, m := bar(rand.New(rand.NewPCG(6, 6)))
	patch := colorPatch(im, Windows(m, 1)[0], 0.1, patchSize)
	b.Run("hog", func(b *testing.B) {
		for b.Loop() {
			hog(patch)
		}
	})
	b.Run("gist", func(b *testing.B) {
		for b.Loop() {
			gist(patch)
		}
	})
}
