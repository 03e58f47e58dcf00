package pool

import (
	"image"
	"math"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

func TestAxis(t *testing.T) {
	// [0, 3) in two cells: the middle pixel is shared.
	got := axis(0, 3, 3, 2)
	want := [][]sample{{{0, 1 / 1.5}, {1, 0.5 / 1.5}}, {{1, 0.5 / 1.5}, {2, 1 / 1.5}}}
	for k := range want {
		if len(got[k]) != len(want[k]) {
			t.Fatalf("cell %d: got %v, want %v", k, got[k], want[k])
		}
		for j := range want[k] {
			if got[k][j].at != want[k][j].at || math.Abs(float64(got[k][j].weight-want[k][j].weight)) > 1e-6 {
				t.Errorf("cell %d: got %v, want %v", k, got[k], want[k])
			}
		}
	}
	for _, c := range []struct{ lo, hi float64 }{{-4, 9}, {1, 2}, {0.3, 4.7}, {6, 12}} {
		for k, cell := range axis(c.lo, c.hi, 5, 7) {
			var sum float32
			for _, s := range cell {
				sum += s.weight
				if s.at < 0 || s.at > 4 {
					t.Errorf("[%g, %g) cell %d: pixel %d is outside", c.lo, c.hi, k, s.at)
				}
			}
			if math.Abs(float64(sum-1)) > 1e-5 {
				t.Errorf("[%g, %g) cell %d: weights sum to %g", c.lo, c.hi, k, sum)
			}
		}
	}
}

// A 4 x 2 window in 2 x 2 cells of 2 x 1 pixels; a void pixel counts half.
func TestMaskPatch(t *testing.T) {
	m := draw(
		"....",
		"##?.",
		"#.#.")
	got := maskPatch(m, image.Rect(0, 1, 4, 3), 2)
	want := []uint8{255, 64, 128, 128} // row 1: ## is 255, ?. is 255/4; row 2: #. and #. are 255/2
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHOG(t *testing.T) {
	im := raster.NewRGB(64, 64)
	for y := range 64 {
		for x := range 64 {
			v := uint8(x/8%2) * 100 // vertical stripes: gradients along x only
			im.Set(x, y, v, v, v)
		}
	}
	d := hog(colorPatch(im, image.Rect(0, 0, 64, 64), 0, 64))
	var along, all float64
	for i, v := range d {
		all += float64(v) * float64(v)
		if i%hogBins == 0 {
			along += float64(v) * float64(v)
		}
	}
	if math.Abs(all-1) > 1e-5 || along < 0.999 {
		t.Errorf("stripes: got length² %g of which %g horizontal, want 1 and 1", all, along)
	}
	for i, v := range hog(colorPatch(raster.NewRGB(10, 5), image.Rect(2, 1, 9, 4), 0.1, 64)) {
		if v != 0 {
			t.Fatalf("one colour: value %d is %g, want 0", i, v)
		}
	}
}
