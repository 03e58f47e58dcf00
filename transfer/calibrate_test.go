package transfer

import (
	"math"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

// The first sign is -10..10 and the IoU rises by 0.02 per unit; in standard deviations each of the 21 masks adds 1 to the sum of squares, the
// ridge 0.3, so that the slope is 0.02/1.3. The second sign never varies.
func TestGrader(t *testing.T) {
	var signs [][]float64
	var truth []float64
	for k := -10; k <= 10; k++ {
		signs, truth = append(signs, []float64{float64(k), 0}), append(truth, 0.6+0.02*float64(k))
	}
	g := fitGrader(signs, truth)
	for _, k := range []float64{-10, 0, 7} {
		if got, want := g.predict([]float64{k, 5}), 0.6+0.02/1.3*k; math.Abs(got-want) > 1e-4 {
			t.Errorf("sign %g: got %g, want %g", k, got, want)
		}
	}
	if got := g.predict([]float64{-1000, 0}); got != 0.01 {
		t.Errorf("far below: got %g, want 0.01", got)
	}
	if got := fitGrader(signs[:gradeFrom-1], truth[:gradeFrom-1]).predict([]float64{0.3, 9}); got != 0.3 {
		t.Errorf("too few to learn from: got %g, want the first sign, 0.3", got)
	}
	if g.valid() {
		t.Errorf("a grader of two signs: got valid, want of %d only", signCount)
	}
	if none := new(grader); !none.valid() {
		t.Error("a grader that had too little to learn from: got not valid")
	}
}

// A band of void along a border gets the labels of its two sides, ground where they are as near; void that is farther than four pixels from both stays.
func TestSettled(t *testing.T) {
	const f, v = raster.Figure, raster.Void
	in := &raster.Mask{Width: 16, Height: 1, Pix: []uint8{f, f, v, v, v, 0, 0, v, v, v, v, v, v, v, v, v}}
	want := []uint8{f, f, f, 0, 0, 0, 0, 0, 0, 0, 0, v, v, v, v, v}
	if got := settled(in).Pix; !slices.Equal(got, want) || in.Pix[2] != v {
		t.Errorf("got %v, want %v; the input is %v", got, want, in.Pix)
	}
	// of the eight around a pixel more are figure, though one below it is ground
	in = &raster.Mask{Width: 3, Height: 3, Pix: []uint8{f, f, f, f, v, f, 0, 0, 0}}
	if got := settled(in).At(1, 1); got != f {
		t.Errorf("five of eight are figure: got %d", got)
	}
}
