package superpixel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/internal/peer"
	"hdseg/manifests/raster"
)

// halves returns a w x h picture, black left of column x0 and white from there on.
func halves(w, h, x0 int) *raster.RGB {
	img := raster.NewRGB(w, h)
	for y := range h {
		for x := x0; x < w; x++ {
			img.Set(x, y, 255, 255, 255)
		}
	}
	return img
}

func methods(count int) []Options {
	s := Defaults()
	s.Count = count
	w := s
	w.Method = MethodWard
	return []Options{s, w}
}

// Two superpixels asked for are the two halves, although the border is not where the grid's is.
func TestHalves(t *testing.T) {
	for _, o := range methods(2) {
		m := Segment(halves(12, 5, 5), o)
		if err := m.check(12, 5); err != nil {
			t.Fatal(err)
		}
		for i, l := range m.Labels {
			want := int32(0)
			if i%12 >= 5 {
				want = 1
			}
			if l != want {
				t.Fatalf("%s: pixel (%d, %d) in superpixel %d, want %d", o.Method, i%12, i/12, l, want)
			}
		}
	}
}

// In one colour only place counts. 3 x 2 cells of a 6 x 4 picture are 2 x 2 pixels each; the centers begin at x = 1, 3, 5
// and y = 1, 3 (the middle of a cell is its third pixel). In the first pass columns 0..2 go to 1, for a tie goes to the lower id,
// 3 and 4 to 3, and 5 to 5; likewise rows 0..2 and 3. The means 1, 3.5 and 5, and 1 and 3, change nothing.
func TestOneColor(t *testing.T) {
	o := Defaults()
	o.Count, o.sweeps = 6, 0
	m := SLIC(raster.NewRGB(6, 4), o)
	if want, _, _ := parse("000112", "000112", "000112", "333445"); !slices.Equal(m.Labels, want) || m.N != 6 {
		t.Fatalf("got %v, want %v", m.Labels, want)
	}
}

// Whatever the picture and the options, a map is complete, numbered in order and connected, and equal input gives equal
// output.
func TestAnyPicture(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	ran := 0
	for _, size := range [][2]int{{1, 1}, {1, 40}, {40, 1}, {2, 3}, {7, 5}, {64, 9}, {33, 50}} {
		w, h := size[0], size[1]
		for kind := range 3 {
			img := raster.NewRGB(w, h)
			for i := range img.Pix {
				switch kind {
				case 1:
					img.Pix[i] = uint8(rng.IntN(256))
				case 2:
					img.Pix[i] = uint8(rng.IntN(2) * 255)
				}
			}
			for _, count := range []int{1, 2, 7, 50, maxCount} {
				for _, o := range methods(count) {
					o.Compactness = []float64{0, 1, 10, 1000}[rng.IntN(4)]
					o.borderCompactness = []float64{0, 7}[rng.IntN(2)]
					o.smoothness = []float64{0, 20}[rng.IntN(2)]
					o.sweeps = rng.IntN(6)
					m := Segment(img, o)
					if err := m.check(w, h); err != nil {
						t.Fatalf("%d x %d, %+v: %v", h, w, o, err)
					}
					if o.Method == MethodWard && m.N > count {
						t.Fatalf("%d x %d, %+v: %d superpixels", h, w, o, m.N)
					}
					if again := Segment(img, o); !slices.Equal(m.Labels, again.Labels) {
						t.Fatalf("%d x %d, %+v: another map the second time", h, w, o)
					}
					ran++
				}
			}
		}
	}
	if ran != 7*3*5*2 {
		t.Fatalf("ran %d cases", ran)
	}
}

// One pixel each is possible.
func TestCountAbovePixels(t *testing.T) {
	o := Defaults()
	o.Count, o.sweeps = 1000, 0
	img := raster.NewRGB(3, 2)
	for i := range img.Pix {
		img.Pix[i] = uint8(40 * i)
	}
	if m := SLIC(img, o); m.N != 6 {
		t.Errorf("got %d superpixels, want 6", m.N)
	}
}

// The number made is near the number asked for.
func TestCount(t *testing.T) {
	img := peer.Scene(320, 240, 4)
	for _, count := range []int{50, 350} {
		for _, o := range methods(count) {
			m := Segment(img, o)
			if d := m.N - count; o.Method == MethodWard && d != 0 || d < -count/5 || d > count/5 {
				t.Errorf("%s: asked for %d, got %d", o.Method, count, m.N)
			}
		}
	}
}

func TestValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatal(err)
	}
	err := Options{Method: "x", Compactness: -1}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, field := range []string{"method", "count", "compactness"} {
		if !strings.Contains(err.Error(), field+": got") {
			t.Errorf("%s is not named in:\n%v", field, err)
		}
	}
	peer.Panics(t, map[string]func(){"no options": func() { SLIC(raster.NewRGB(2, 2), Options{}) }})
}
