package raster

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestResizeNearest(t *testing.T) {
	m := NewMask(4, 2)
	copy(m.Pix, []uint8{0, 1, 255, 0, 1, 1, 0, 255})
	// Width 2: centres of target pixels lie at 1 and 3 of 4; height 1: at 1 of 2, the second row.
	if got := ResizeNearest(m, 2, 1); got.At(0, 0) != 1 || got.At(1, 0) != 255 {
		t.Errorf("smaller: got %v, want [1 255]", got.Pix)
	}
	big := ResizeNearest(m, 8, 4)
	for y := range 4 {
		for x := range 8 {
			if big.At(x, y) != m.At(x/2, y/2) {
				t.Errorf("larger: (%d, %d): got %d, want %d", x, y, big.At(x, y), m.At(x/2, y/2))
			}
		}
	}
}

func TestResizeField(t *testing.T) {
	src := []float32{1, 1, 0, 0.5}
	// Halving: radius 2, centres 0.5 and 2.5. Weights of samples 0..2 for centre 0.5 are 3/4, 3/4, 1/4, of sum 7/4:
	// figure (3/4 + 3/4)/(7/4) = 6/7. For centre 2.5 samples 1..3 have 1/4, 3/4, 3/4: (1/4*1 + 3/4*0 + 3/4*0.5)/(7/4) = 5/14.
	got := ResizeField(src, 4, 1, 2, 1)
	if math.Abs(float64(got[0])-6.0/7) > 1e-6 || math.Abs(float64(got[1])-5.0/14) > 1e-6 {
		t.Errorf("got %v, want [6/7 5/14]", got)
	}
	// Same size: the values themselves.
	if got := ResizeField(src, 4, 1, 4, 1); got[0] != 1 || got[1] != 1 || got[2] != 0 || got[3] != 0.5 {
		t.Errorf("same size: got %v", got)
	}
}

func TestResizeFieldRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 20).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		w2, h2 := rapid.IntRange(1, 30).Draw(t, "w2"), rapid.IntRange(1, 30).Draw(t, "h2")
		src := make([]float32, w*h)
		for i := range src {
			src[i] = rapid.Float32Range(-1, 1).Draw(t, "v")
		}
		lo, hi := src[0], src[0]
		for _, v := range src {
			lo, hi = min(lo, v), max(hi, v)
		}
		for _, v := range ResizeField(src, w, h, w2, h2) {
			if v < lo-1e-5 || v > hi+1e-5 {
				t.Fatalf("got %v outside %v..%v", v, lo, hi)
			}
		}
	})
}

func TestResizeRGB(t *testing.T) {
	m := NewRGB(40, 30)
	for y := range 30 {
		for x := range 40 {
			m.Set(x, y, uint8(6*x), uint8(8*y), 77)
		}
	}
	out := Resize(m, 20, 15)
	if out.Width != 20 || out.Height != 15 {
		t.Fatalf("got %d x %d", out.Width, out.Height)
	}
	// A ramp stays a ramp away from the border: target x covers source centre 2x+0.5.
	r, g, b := out.At(10, 7)
	if absDiff(r, 123) > 1 || absDiff(g, 116) > 1 || b != 77 {
		t.Errorf("got %d,%d,%d, want about 123,116,77", r, g, b)
	}
	same := Resize(m, 40, 30)
	if same == m || same.Pix[100] != m.Pix[100] {
		t.Error("the same size is not a copy")
	}
}

// A picture for people keeps flat parts and its mean.
func TestShown(t *testing.T) {
	m := NewRGB(60, 40)
	for y := range 40 {
		for x := range 60 {
			m.Set(x, y, 10, uint8(200*(x/30)), 90)
		}
	}
	s := Shown(m, 20, 10)
	r, g, b := s.At(2, 5)
	r2, g2, b2 := s.At(17, 5)
	if s.Width != 20 || s.Height != 10 || r != 10 || g != 0 || b != 90 || r2 != 10 || g2 != 200 || b2 != 90 {
		t.Errorf("got %d x %d, %d,%d,%d and %d,%d,%d", s.Width, s.Height, r, g, b, r2, g2, b2)
	}
}
