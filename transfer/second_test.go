package transfer

import (
	"context"
	"image"
	"math"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// The second look is at the box around a large object and not at a small one, and is as sure as the expert of boxes is there.
func TestSecondLook(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	o := small()
	all := sourcesOf(m, manifests.Label, o)
	a, err := (&learner{store: store, o: o, tier: manifests.Label, workers: 1, phase: quiet}).assemble(context.Background(), all)
	if err != nil {
		t.Fatal(err)
	}
	im, err := o.loadPicture(store, all[0].record)
	if err != nil {
		t.Fatal(err)
	}
	mask := raster.NewMask(im.Width, im.Height)
	large := image.Rect(20, 20, 60, 50)
	for y := range im.Height {
		for x := range im.Width {
			if p := image.Pt(x, y); p.In(large) || p.In(image.Rect(80, 5, 84, 9)) {
				mask.Set(x, y, raster.Figure)
			}
		}
	}
	none := func(string) bool { return false }
	second := a.expert.second
	want := 0.0
	for _, p := range second.guess(im, []image.Rectangle{large}, none)[0].soft {
		want += math.Abs(2*float64(p)-1) / float64(large.Dx()*large.Dy())
	}
	if got := second.sureOf(im, mask, none); math.Abs(got-want) > 1e-6 {
		t.Errorf("got %g, want %g", got, want)
	}
	if got := second.sureOf(im, raster.NewMask(im.Width, im.Height), none); got != 0 {
		t.Errorf("without figure: got %g, want 0", got)
	}
	p := a.expert.propose(im, sourceWindows(mask, manifests.Label, o), none)
	if got, want := p.signs[secondSure], second.sureOf(im, p.mask, none); got != want || got == 0 {
		t.Errorf("sign: got %g, want %g and not 0", got, want)
	}
	if w := a.without(all[0]); w.second.model == second.model {
		t.Error("a source's second look is by a model that has seen it")
	}
}
