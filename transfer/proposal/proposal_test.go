package proposal

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"hdseg/manifests/raster"
)

func small() Options {
	o := Defaults()
	o.Grid, o.MinCells, o.Trees.Trees, o.Count = 8, 2, 40, 20
	return o
}

// blob draws a dark object on bright ground with a map that is mostly right about it.
func blob(r *rand.Rand) (*raster.RGB, []float32, image.Rectangle) {
	w, h := 80, 48
	im, soft := raster.NewRGB(w, h), make([]float32, w*h)
	box := image.Rect(0, 0, 24+r.IntN(20), 16+r.IntN(12)).Add(image.Pt(r.IntN(36), r.IntN(20)))
	for y := range h {
		for x := range w {
			v, p := uint8(180+r.IntN(40)), 0.25*r.Float32()
			if image.Pt(x, y).In(box) {
				v, p = uint8(60+r.IntN(40)), 0.3+0.6*r.Float32()
			}
			im.Set(x, y, v, v, v)
			soft[y*w+x] = p
		}
	}
	return im, soft, box
}

func learned(t *testing.T, workers int) *Trained {
	t.Helper()
	o := small()
	r := rand.New(rand.NewPCG(1, 2))
	var samples []*Sample
	for i := range 12 {
		im, soft, box := blob(r)
		samples = append(samples, NewSample(NewScene(im, soft, 0.4, 0.6, o), []image.Rectangle{box}, i, o))
	}
	trained, err := Train(samples, o, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return trained
}

// On pictures that it has not seen the first window lies on the object, nearly as well as the grid allows.
func TestPropose(t *testing.T) {
	trained := learned(t, 2)
	r := rand.New(rand.NewPCG(3, 4))
	o := small()
	var sum float64
	for range 10 {
		im, soft, box := blob(r)
		got := trained.Model.Propose(NewScene(im, soft, 0.4, 0.6, o))
		if len(got) == 0 || len(got) > o.Count {
			t.Fatalf("got %d windows, want 1..%d", len(got), o.Count)
		}
		sum += overlap(got[0].Box, box)
		weight := 0.0
		for i, w := range got {
			weight += w.Weight
			if w.Box.Empty() || !w.Box.In(image.Rect(0, 0, im.Width, im.Height)) {
				t.Errorf("window %d: %v, want a part of the picture", i, w.Box)
			}
			if i > 0 && (w.Score > got[i-1].Score || w.Weight > got[i-1].Weight) {
				t.Errorf("window %d is better than the one before", i)
			}
			for _, v := range got[:i] {
				if overlap(v.Box, w.Box) >= o.Overlap {
					t.Errorf("windows %v and %v overlap too much", v.Box, w.Box)
				}
			}
		}
		if math.Abs(weight-1) > 1e-9 {
			t.Errorf("weights sum to %g, want 1", weight)
		}
	}
	if sum /= 10; sum < 0.7 {
		t.Errorf("the first windows overlap objects by %.2f on average, want 0.7", sum)
	}
}

func TestSameForAnyWorkers(t *testing.T) {
	a, b := learned(t, 1), learned(t, 5)
	if !bytes.Equal(a.Model.Encode(), b.Model.Encode()) {
		t.Error("1 and 5 workers learned different models")
	}
	if bytes.Equal(a.Model.Encode(), a.Without(0).Encode()) {
		t.Error("a model without group 0 is the model of all")
	}
	if a.Without(99) != a.Model {
		t.Error("a group that was not learned from has a model without it")
	}
}

func TestEncode(t *testing.T) {
	o := small()
	m := learned(t, 2).Model
	back, err := Decode(m.Encode(), o)
	if err != nil {
		t.Fatal(err)
	}
	im, soft, _ := blob(rand.New(rand.NewPCG(5, 6)))
	s := NewScene(im, soft, 0.4, 0.6, o)
	if a, b := m.Propose(s), back.Propose(s); !reflect.DeepEqual(a, b) {
		t.Error("a decoded model proposes other windows")
	}
	for n, data := range [][]byte{nil, m.Encode()[:50]} {
		if _, err := Decode(data, o); err == nil {
			t.Errorf("%d: damaged bytes: no error", n)
		}
	}
}

// A map of ones in the two left columns of a 4 x 4 grid: the window of columns 1 and 2 is half full and holds half of all; its ring
// (one cell to each side, in the picture) holds the other half in 8 cells. Its rims left and right are full and empty.
func TestDescribe(t *testing.T) {
	o := Defaults()
	o.Grid, o.MinCells = 4, 1
	im := raster.NewRGB(32, 16)
	soft := make([]float32, 32*16)
	for i := range soft {
		if i%32 < 16 {
			soft[i] = 1
		}
		if i%32 < 16 {
			im.Pix[3*i] = 255
		}
	}
	s := NewScene(im, soft, 0.5, 1, o)
	f := s.describe(nil, image.Rect(1, 0, 3, 4))
	if len(f) != dims {
		t.Fatalf("got %d features, want %d", len(f), dims)
	}
	near := func(name string, k int, want float64) {
		t.Helper()
		if math.Abs(float64(f[k])-want) > 0.04 { // scaling blurs the edge of the map a little
			t.Errorf("%s: got %g, want %g", name, f[k], want)
		}
	}
	near("width", 0, 0.5)
	near("height", 1, 1)
	near("log aspect", 5, 0) // 16 x 16 pixels
	near("top on the border", 7, 1)
	near("left on the border", 6, 0)
	near("mean", 10, 0.5)
	near("share", 11, 0.5)
	near("expected IoU", 12, 4.0/12)
	near("ring", 13, 0.5)
	near("left rim", 14, 1)
	near("left outside", 15, 1)
	near("top outside", 17, -1) // there is nothing
	near("right rim", 18, 0)
	near("right outside", 19, 0)
	if len(windows(o)) != 100 { // 10 intervals of 4 cells, both ways
		t.Errorf("got %d windows, want 100", len(windows(o)))
	}
	if r := s.inPixels(image.Rect(1, 0, 3, 4)); r != image.Rect(8, 0, 24, 16) {
		t.Errorf("got %v, want (8,0)-(24,16)", r)
	}
}

// Pictures smaller than the grid, of one colour, with a map of nothing or of all.
func TestDegenerate(t *testing.T) {
	m := learned(t, 2).Model
	for _, p := range []float32{0, 1} {
		for _, size := range []image.Point{{1, 1}, {3, 40}, {40, 3}} {
			im := raster.NewRGB(size.X, size.Y)
			soft := make([]float32, size.X*size.Y)
			for i := range soft {
				soft[i] = p
			}
			got := m.Propose(NewScene(im, soft, 0.5, 0, small()))
			if len(got) == 0 {
				t.Errorf("%v: no window", size)
			}
			for _, w := range got {
				if w.Box.Empty() || math.IsNaN(w.Score) || math.IsNaN(w.Weight) {
					t.Errorf("%v: %+v", size, w)
				}
			}
		}
	}
}

func TestValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(o *Options){
		"grid":      func(o *Options) { o.Grid = 3 },
		"minCells":  func(o *Options) { o.MinCells = 17 },
		"count":     func(o *Options) { o.Count = 0 },
		"overlap":   func(o *Options) { o.Overlap = 0 },
		"sharpness": func(o *Options) { o.Sharpness = math.NaN() },
		"folds":     func(o *Options) { o.Folds = 1 },
		"loss":      func(o *Options) { o.Trees.Loss = "logistic" },
		"trees":     func(o *Options) { o.Trees.Depth = 0 },
	} {
		o := Defaults()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
