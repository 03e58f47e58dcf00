package transfer

import (
	"math"
	"testing"

	"hdseg/ingest/raster"
)

// Of free pixels 0.8, 0.4, 0.4 and 0.1 the first alone is expected to reach 0.8/(1+0.9) = 0.42, the first three
// 1.6/(3+0.1) = 0.52, all 1.7/4 = 0.43: the border lies just under 0.4. Fixed pixels do not count.
func TestLean(t *testing.T) {
	const v, g = raster.Void, raster.Ground
	soft := []float32{0.8, 0.4, 0.4, 0.1, 1, 0}
	got := lean(soft, &raster.Mask{Pix: []uint8{v, v, v, v, g, g}, Width: 6, Height: 1})
	for i, figure := range []bool{true, true, true, false, true, false} {
		if got[i] >= 0.5 != figure {
			t.Errorf("pixel %d: %g became %g, want figure %v", i, soft[i], got[i], figure)
		}
	}
	if got[4] != 1 || got[5] != 0 {
		t.Errorf("sure pixels became %g and %g, want 1 and 0", got[4], got[5])
	}
	for i, p := range lean([]float32{0, 0, 1, 1}, &raster.Mask{Pix: []uint8{v, v, v, v}, Width: 2, Height: 2}) {
		if want := []float32{0, 0, 1, 1}[i]; math.Abs(float64(p-want)) > 1e-6 {
			t.Errorf("sure pixel %d became %g, want %g", i, p, want)
		}
	}
	for _, p := range lean([]float32{0, 0}, &raster.Mask{Pix: []uint8{v, v}, Width: 2, Height: 1}) {
		if p != 0 {
			t.Errorf("no hope became %g, want 0", p)
		}
	}
}
