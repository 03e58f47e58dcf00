package transfer

import (
	"image"
	"math"
	"testing"

	"hdseg/manifests/raster"
	"hdseg/transfer/cut"
	"hdseg/transfer/pool"
)

// Four free pixels beside a fixed one. The mask has the first two: of it 0.9 + 0.6 is expected to be figure, of the rest 0.2 + 0.5, so the
// expected IoU is 1.5 / (2 + 0.7). |2p-1| is 0.8, 0.2, 0.6, 0. Two are between a quarter and three, beside two of the figure. The prior's
// mask has the first pixel alone, one of the figure's two. The figure reaches all sides but the right one.
func TestSigns(t *testing.T) {
	void := raster.Void
	im := &raster.RGB{Width: 4, Height: 2, Pix: make([]uint8, 24)}
	fixed := &raster.Mask{Width: 4, Height: 2, Pix: []uint8{void, void, void, void, 0, 0, 0, 0}}
	res := &cut.Result{Mask: &raster.Mask{Width: 4, Height: 2, Pix: []uint8{1, 1, 0, 0, 0, 0, 0, 0}}}
	g := guess{box: image.Rect(0, 0, 4, 1), prior: pool.Prior{Soft: make([]float32, pool.MaskSide*pool.MaskSide)}}
	g.prior.Soft[0], g.prior.Soft[pool.MaskSide/4] = 0.9, 0.1
	got := signs(im, []float32{0.9, 0.6, 0.2, 0.5, 0, 0, 0, 0}, fixed, res, []guess{g})
	if len(got) != signCount {
		t.Fatalf("got %d signs, want %d", len(got), signCount)
	}
	for i, want := range []float64{1.5 / 2.7, 0.4, 2. / 4, 0, 1. / 2, 3. / 4, 0} {
		if math.Abs(got[i]-want) > 1e-6 {
			t.Errorf("sign %d: got %g, want %g", i, got[i], want)
		}
	}
}

// Figure is white in the models and ground black. Of a mask's four free pixels the first and the third are white: half of it is surely
// figure, and of every second one, which is black, nothing.
func TestColorSure(t *testing.T) {
	of := func(grey float32) *cut.Mixture { return cut.FitMixture([]float32{grey, grey, grey}, []float32{1}, 1) }
	im := &raster.RGB{Width: 5, Height: 1, Pix: []uint8{255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0}}
	fixed := &raster.Mask{Width: 5, Height: 1, Pix: []uint8{raster.Void, raster.Void, raster.Ground, raster.Void, raster.Void}}
	res := &cut.Result{Mask: &raster.Mask{Width: 5, Height: 1, Pix: []uint8{1, 1, 1, 1, 1}}, Figure: of(1), Ground: of(0)}
	if got := colorSure(im, fixed, res, 4); math.Abs(got-0.5) > 1e-6 {
		t.Errorf("got %g, want 0.5", got)
	}
	if got := colorSure(im, fixed, res, 2*colorPixels); got > 1e-6 {
		t.Errorf("every second: got %g, want 0", got)
	}
	if got := colorSure(im, fixed, &cut.Result{Mask: res.Mask}, 4); got != 0 {
		t.Errorf("without models: got %g, want 0", got)
	}
}
