package cut

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

// scene draws a disk of one colour on another, both with noise, and a box around it with a flat prior.
func scene(w, h, cx, cy, radius int) (im *raster.RGB, soft []float32, fixed, truth *raster.Mask) {
	r := rand.New(rand.NewPCG(1, 2))
	im, fixed, truth = raster.NewRGB(w, h), raster.NewMask(w, h), raster.NewMask(w, h)
	soft = make([]float32, w*h)
	for y := range h {
		for x := range w {
			c := [3]int{60, 120, 50}
			if (x-cx)*(x-cx)+(y-cy)*(y-cy) < radius*radius {
				c = [3]int{140, 90, 60}
				truth.Set(x, y, raster.Figure)
			}
			im.Set(x, y, uint8(c[0]+r.IntN(30)), uint8(c[1]+r.IntN(30)), uint8(c[2]+r.IntN(30)))
			if image.Pt(x, y).In(image.Rect(cx-radius-3, cy-radius-3, cx+radius+3, cy+radius+3)) {
				fixed.Set(x, y, raster.Void)
				soft[y*w+x] = 0.7
			}
		}
	}
	return im, soft, fixed, truth
}

func wrong(a, b *raster.Mask) (n int) {
	for i, v := range a.Pix {
		if v != b.Pix[i] {
			n++
		}
	}
	return n
}

func TestSegmentDisk(t *testing.T) {
	im, soft, fixed, truth := scene(160, 120, 70, 60, 40)
	for _, work := range []int{0, 2500} { // at full size, and shrunk twice with a band
		o := Defaults()
		o.WorkPixels = work
		res := Segment(im, soft, fixed, o)
		if n := wrong(res.Mask, truth); n > 40 || res.Status != "" || res.Rounds == maxRounds {
			t.Errorf("workPixels %d: %d pixels wrong, status %q, %d rounds; want at most 40 of %d, and fewer than %d rounds",
				work, n, res.Status, res.Rounds, 160*120, maxRounds)
		}
	}
}

func TestSegmentKeepsFixed(t *testing.T) {
	im, soft, fixed, _ := scene(160, 120, 70, 60, 40)
	fixed.Set(70, 60, raster.Ground)
	fixed.Set(32, 22, raster.Figure)
	res := Segment(im, soft, fixed, Defaults())
	if res.Mask.At(70, 60) != raster.Ground || res.Mask.At(32, 22) != raster.Figure || res.Mask.At(0, 0) != raster.Ground {
		t.Error("a given label changed")
	}
}

func TestSegmentDegenerate(t *testing.T) {
	gray := func(w, h int) *raster.RGB {
		m := raster.NewRGB(w, h)
		for i := range m.Pix {
			m.Pix[i] = 90
		}
		return m
	}
	fill := func(n int, v float32) []float32 { return slices.Repeat([]float32{v}, n) }
	void := func(w, h int, r image.Rectangle) *raster.Mask {
		m := raster.NewMask(w, h)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				m.Set(x, y, raster.Void)
			}
		}
		return m
	}
	for _, c := range []struct {
		name  string
		im    *raster.RGB
		soft  []float32
		fixed *raster.Mask
		want  string
	}{
		{"nothing free", gray(4, 3), fill(12, 1), raster.NewMask(4, 3), StatusNoFree},
		{"whole image, no ground anywhere", gray(4, 3), fill(12, 1), void(4, 3, image.Rect(0, 0, 4, 3)), StatusNoPrior},
		{"prior of zero", gray(40, 30), fill(1200, 0), void(40, 30, image.Rect(5, 5, 20, 20)), StatusNoPrior},
		{"prior of NaN", gray(40, 30), fill(1200, float32(math.NaN())), void(40, 30, image.Rect(5, 5, 20, 20)), StatusNoPrior},
		// 9 pixels gain 9·log 999 = 62 nats as figure; their border costs (12 + 20/√2)·50 = 1307.
		{"one colour, sure prior", gray(40, 30), fill(1200, 1), void(40, 30, image.Rect(5, 5, 8, 8)), StatusEmpty},
		{"one pixel", gray(1, 1), fill(1, 0.9), void(1, 1, image.Rect(0, 0, 1, 1)), StatusNoPrior},
	} {
		res := Segment(c.im, c.soft, c.fixed, Defaults())
		if res.Status != c.want {
			t.Errorf("%s: got status %q, want %q", c.name, res.Status, c.want)
		}
		if slices.Contains(res.Mask.Pix, raster.Void) {
			t.Errorf("%s: void left in the mask", c.name)
		}
	}
}

// Three pixels in a row with colours 0, 0.5, 0.5: differences 0.75 and 0 squared, so β = 2/(2·0.75).
func TestContrast(t *testing.T) {
	p := &plane{w: 3, h: 1, rgb: []float32{0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}
	c := newContrast(p)
	if want := 2 / 1.5; math.Abs(c.beta-want) > 1e-6 {
		t.Errorf("beta: got %g, want %g", c.beta, want)
	}
	if got, want := c.weight[0], math.Exp(-1); math.Abs(float64(got)-want) > 1e-5 {
		t.Errorf("weight over the edge: got %g, want exp(-1)", got)
	}
	if got := c.weight[4]; got != 1 {
		t.Errorf("weight within a colour: got %g, want 1", got)
	}
	if c.weight[8] != 0 || c.weight[1] != 0 {
		t.Error("weights to pixels outside are not 0")
	}
	for x := float32(0); x < 20; x += 0.0137 {
		if got, want := float64(expNeg(x)), math.Exp(-float64(x)); math.Abs(got-want) > 1e-5*want+2e-7 {
			t.Fatalf("expNeg(%g): got %g, want %g", x, got, want)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	o := Defaults()
	o.WorkPixels, o.ColorWeight, o.Gamma = -1, 101, math.NaN()
	if err := o.Validate(); err == nil || len(err.(interface{ Unwrap() []error }).Unwrap()) != 3 {
		t.Errorf("got %v, want three faults", err)
	}
}
