package appearance

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

func small() Options {
	o := Windows()
	o.Side, o.Folds, o.Trees.Trees = 48, 2, 20
	return o
}

// scene draws a red disk, whose prior says only "near the middle", on green noise.
func scene(r *rand.Rand) (Window, *raster.Mask) {
	im, m := raster.NewRGB(70, 60), raster.NewMask(70, 60)
	radius := 10 + r.IntN(8)
	cx, cy := 35+r.IntN(5), 30+r.IntN(5)
	for y := range 60 {
		for x := range 70 {
			im.Set(x, y, uint8(40+r.IntN(40)), uint8(120+r.IntN(40)), uint8(60+r.IntN(40)))
			if (x-cx)*(x-cx)+(y-cy)*(y-cy) <= radius*radius {
				im.Set(x, y, uint8(160+r.IntN(40)), uint8(50+r.IntN(40)), uint8(60+r.IntN(40)))
				m.Set(x, y, raster.Figure)
			}
		}
	}
	w := Window{Image: im, Box: image.Rect(cx-radius, cy-radius, cx+radius+1, cy+radius+1), Size: 8, Prior: make([]float32, 64)}
	for i := range w.Prior {
		x, y := float64(i%8)-3.5, float64(i/8)-3.5
		w.Prior[i] = float32(math.Exp(-(x*x + y*y) / 16))
	}
	return w, m
}

func samples(seed uint64, n int) []*Sample {
	r := rand.New(rand.NewPCG(seed, 1))
	var out []*Sample
	for i := range n {
		w, m := scene(r)
		out = append(out, NewSample(w, m, i, small()))
	}
	return out
}

func TestTrainAndJudge(t *testing.T) {
	trained, err := Train(samples(1, 10), small(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := trained.Model
	r := rand.New(rand.NewPCG(2, 2))
	for k := range 4 {
		w, truth := scene(r)
		p := m.Judge(w)
		wrong := 0
		for i, v := range p {
			x, y := w.Box.Min.X+i%w.Box.Dx(), w.Box.Min.Y+i/w.Box.Dx()
			if (v > 0.5) != (truth.At(x, y) == raster.Figure) {
				wrong++
			}
		}
		if share := float64(wrong) / float64(len(p)); share > 0.1 {
			t.Errorf("scene %d: %.2f of the pixels are judged wrong, want at most 0.1 on a disk this plain", k, share)
		}
	}
	again, err := Train(samples(1, 10), small(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Model.Encode(), m.Encode()) || !bytes.Equal(again.Without(3).Encode(), trained.Without(3).Encode()) {
		t.Error("1 and 2 workers made different models")
	}
	back, err := Decode(m.Encode(), small())
	if err != nil {
		t.Fatal(err)
	}
	w, _ := scene(r)
	if !slices.Equal(back.Judge(w), m.Judge(w)) {
		t.Error("a decoded model judges otherwise")
	}
	for n := range 20 {
		if _, err := Decode(m.Encode()[:n*len(m.Encode())/20], small()); err == nil {
			t.Errorf("%d twentieths of a model decode", n)
		}
	}
}

// Whether a picture's mask is right or all ground, the first stage without the picture is the same;
// that of all is not, nor that without another fold.
func TestWithout(t *testing.T) {
	train := func(blank int) *Trained {
		r := rand.New(rand.NewPCG(1, 1))
		var all []*Sample
		for i := range 6 {
			w, m := scene(r)
			if i == blank {
				clear(m.Pix)
			}
			all = append(all, NewSample(w, m, i, small()))
		}
		out, err := Train(all, small(), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a, b := train(-1), train(2)
	if !reflect.DeepEqual(a.Without(2).First, b.Without(2).First) {
		t.Error("the model without picture 2 has learned from its mask")
	}
	if reflect.DeepEqual(a.Model.First, b.Model.First) || a.Without(99) != a.Model {
		t.Error("the model of all pictures has not learned from all")
	}
	differ := 0
	for i := range 6 {
		if !reflect.DeepEqual(a.Without(i).First, b.Without(i).First) {
			differ++
		}
	}
	if differ != 3 {
		t.Errorf("%d of 6 pictures have a model that knows picture 2, want the 3 of the other fold", differ)
	}
}

// Windows from which nothing can be learned are still judged with numbers.
func TestDegenerate(t *testing.T) {
	trained, err := Train(samples(3, 6), small(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := trained.Model
	gray := raster.NewRGB(40, 30)
	for _, b := range []image.Rectangle{
		image.Rect(3, 4, 4, 5), image.Rect(0, 0, 40, 30), image.Rect(39, 29, 40, 30), image.Rect(0, 7, 40, 8), image.Rect(5, 0, 6, 30), image.Rect(2, 2, 5, 3),
	} {
		for _, prior := range []float32{0, 0.5, 1} {
			p := m.Judge(Window{Image: gray, Box: b, Prior: []float32{prior}, Size: 1})
			if len(p) != b.Dx()*b.Dy() {
				t.Fatalf("box %v: got %d values, want %d", b, len(p), b.Dx()*b.Dy())
			}
			for i, v := range p {
				if !(v >= 0 && v <= 1) {
					t.Fatalf("box %v: value %d is %g, want 0..1", b, i, v)
				}
			}
		}
	}
	if _, err := Train(nil, small(), 1, nil); err == nil {
		t.Error("no samples: no error")
	}
	one := raster.NewRGB(1, 1)
	if p := m.Judge(Window{Image: one, Box: image.Rect(0, 0, 1, 1), Prior: []float32{0.5}, Size: 1}); len(p) != 1 {
		t.Errorf("a picture of one pixel: got %d values", len(p))
	}
}

// Three superpixels in a row with L = 0, 3, 10, the first a seed: steps cost 1+3 and 1+7.
func TestGeodesic(t *testing.T) {
	v := &view{regions: []region{{}, {lab: [3]float64{3, 0, 0}}, {lab: [3]float64{10, 0, 0}}}, edges: [][2]int32{{0, 1}, {1, 2}}}
	got := v.geodesicOf(func(i int) bool { return i == 0 })
	if want := []float32{0, 4, 12}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if far := v.geodesicOf(func(int) bool { return false }); far[0] != far[2] || math.IsInf(float64(far[0]), 0) {
		t.Errorf("no seeds: got %v, want one finite distance", far)
	}
}

// Four superpixels of area 99, two of L = 0 and two of L = 100, p = 1 for one of the dark ones: the
// other dark one looks like figure (a = 99/100, b = 0), the bright ones like ground (a = 0).
func TestOdds(t *testing.T) {
	v := &view{regions: []region{{area: 99}, {area: 99}, {area: 99, lab: [3]float64{100, 0, 0}}, {area: 99, lab: [3]float64{100, 0, 0}}}}
	got := v.odds(v.affinity(0), []float32{1, 0, 0, 0})
	// the first does not speak for itself
	if !(got[1] > 0.999 && got[2] < 0.001 && got[3] < 0.001 && got[0] < 0.001) {
		t.Errorf("got %v, want about 0, 1, 0, 0", got)
	}
	post := posterior([]float32{0.5, 0.2}, []float32{0.8, 0.8}) // .4/(.4+.1), .16/(.16+.16)
	if math.Abs(float64(post[0])-0.8) > 1e-6 || math.Abs(float64(post[1])-0.5) > 1e-6 {
		t.Errorf("posterior: got %v, want 0.8 and 0.5", post)
	}
}
