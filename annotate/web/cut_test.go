package web

import (
	"image"
	"testing"
	"time"

	"hdseg/manifests/raster"
	"hdseg/transfer"
)

// byColor cuts by the picture's colors alone.
var byColor *transfer.Cutter

// disk is a light disc on a dark ground, and where it is.
func disk(width, height int) (*raster.RGB, *raster.Mask) {
	im, m := raster.NewRGB(width, height), raster.NewMask(width, height)
	for y := range height {
		for x := range width {
			v := uint8(40 + (x*7+y*13)%20)
			if dx, dy := 2*x-width, 2*y-height; 4*(dx*dx+dy*dy) < height*height {
				v += 150
				m.Set(x, y, raster.Figure)
			}
			im.Set(x, y, v, v, v/2)
		}
	}
	return im, m
}

// TestCut finds a disc in its box on pictures of usual and of large size, and obeys scribbles. Times are printed, not judged.
func TestCut(t *testing.T) {
	for _, size := range []image.Point{{500, 375}, {4000, 3000}} {
		im, truth := disk(size.X, size.Y)
		start := time.Now()
		got := byColor.Cut(im, transfer.Pointing{Boxes: []image.Rectangle{bounds(truth)}}, nil)
		t.Logf("%v: box to cut in %v", size, time.Since(start).Round(time.Millisecond))
		if v := iouOf(truth, got); v < 0.97 {
			t.Errorf("%v: IoU %.3f, want 0.97", size, v)
		}
	}
	im, truth := disk(100, 80)
	marks := raster.NewMask(100, 80)
	for i := range marks.Pix {
		marks.Pix[i] = raster.Void
	}
	marks.Set(50, 40, raster.Ground)
	marks.Set(2, 2, raster.Figure)
	got := byColor.Cut(im, transfer.Pointing{Marks: marks, Was: truth}, nil)
	if got.At(50, 40) != raster.Ground || got.At(2, 2) != raster.Figure {
		t.Error("a scribbled pixel has another label")
	}
}
