package raster

import (
	"image"
	"testing"
)

// Studio range: luma 16 is black and 235 white; interpolated chroma by hand.
func TestWebPColor(t *testing.T) {
	for _, c := range []struct {
		y, u, v int
		want    [3]uint8
	}{{16, 128, 128, [3]uint8{}}, {235, 128, 128, [3]uint8{255, 255, 255}}, {0, 128, 128, [3]uint8{}}, {255, 128, 128, [3]uint8{255, 255, 255}}} {
		if r, g, b := studioRGB(c.y, c.u, c.v); [3]uint8{r, g, b} != c.want {
			t.Errorf("studioRGB(%d, %d, %d) = %d %d %d, want %v", c.y, c.u, c.v, r, g, b, c.want)
		}
	}
	out := make([]uint8, 4)
	interpolate(out, []uint8{0, 160}, []uint8{0, 160})
	if want := [4]uint8{0, 40, 120, 160}; [4]uint8(out) != want { // quarters between the two samples
		t.Errorf("along a row: got %v, want %v", out, want)
	}
	interpolate(out[:3], []uint8{160, 160}, []uint8{0, 0})
	if want := [3]uint8{120, 120, 120}; [3]uint8(out[:3]) != want { // three quarters of the row itself
		t.Errorf("between rows: got %v, want %v", out[:3], want)
	}
	img := image.NewYCbCr(image.Rect(0, 0, 3, 3), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = 235
	}
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = 128, 128
	}
	for _, v := range fromWebP(img).Pix {
		if v != 255 {
			t.Fatalf("white planes: got %d", v)
		}
	}
}
