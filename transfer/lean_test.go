package transfer

import (
	"math"
	"testing"

	"hdseg/manifests/raster"
)

// Of free pixels 0.8, 0.4, 0.4 and 0.1 the first alone is expected to reach 0.8/(1+0.9) = 0.42, the first three
// 1.6/(3+0.1) = 0.52, all 1.7/4 = 0.43: the border lies just under 0.4. Fixed pixels do not count.
func TestBorder(t *testing.T) {
	const v, g = raster.Void, raster.Ground
	soft := []float32{0.8, 0.4, 0.4, 0.1, 1, 0}
	at := border(soft, &raster.Mask{Pix: []uint8{v, v, v, v, g, g}, Width: 6, Height: 1})
	if at > 0.4 || at < 0.399 {
		t.Errorf("border %g, want 0.4", at)
	}
	for i, want := range []bool{true, true, true, false, true, false} {
		if got := lean(soft, at)[i]; got >= 0.5 != want {
			t.Errorf("pixel %d: %g became %g, want figure %v", i, soft[i], got, want)
		}
	}
	if got := lean(soft, at); got[4] != 1 || got[5] != 0 {
		t.Errorf("sure pixels became %g and %g, want 1 and 0", got[4], got[5])
	}
	// Odds of 1/4 over odds of 1/4 are one.
	if got := lean([]float32{0.2}, 0.2)[0]; math.Abs(float64(got)-0.5) > 1e-6 {
		t.Errorf("the border became %g, want 0.5", got)
	}
	if at := border([]float32{0, 0}, &raster.Mask{Pix: []uint8{v, v}, Width: 2, Height: 1}); at != 0.5 {
		t.Errorf("no hope: border %g, want 0.5", at)
	}
}
