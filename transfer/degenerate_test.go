package transfer

import (
	"context"
	"image"
	"math"
	"testing"

	"hdseg/ingest/raster"
	"hdseg/manifests"
)

// Pictures and boxes from which nothing can be learned get a mask with a status or a small predicted IoU, never a
// number that is none.
func TestDegenerate(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	for name, change := range map[string]func(o *Options){
		"with a class model": func(*Options) {},
		"prior only":         func(o *Options) { o.ClassModel = false },
		"nearest":            func(o *Options) { o.ClassModel, o.Pool.Vote = false, "nearest" },
	} {
		o := small()
		change(&o)
		l := &learner{store: store, o: o, tier: manifests.BBox, workers: 2, tick: func() {}}
		e, err := l.learn(context.Background(), sourcesOf(m, manifests.BBox, o))
		if err != nil {
			t.Fatal(err)
		}
		if (e.model != nil) != o.ClassModel {
			t.Errorf("%s: model is there: %v", name, e.model != nil)
		}
		none := func(string) bool { return true }
		gray, tiny := raster.NewRGB(40, 30), raster.NewRGB(1, 1)
		for _, c := range []struct {
			im      *raster.RGB
			boxes   []image.Rectangle
			exclude func(string) bool
		}{
			{gray, []image.Rectangle{image.Rect(0, 0, 40, 30)}, nil},
			{gray, []image.Rectangle{image.Rect(10, 10, 30, 20)}, none},
			{gray, []image.Rectangle{image.Rect(5, 5, 8, 6)}, nil},
			{speckled(), []image.Rectangle{image.Rect(0, 0, 2, 2)}, none},
			{gray, []image.Rectangle{image.Rect(39, 29, 40, 30), image.Rect(0, 0, 1, 30), image.Rect(0, 0, 40, 1)}, nil},
			{tiny, []image.Rectangle{image.Rect(0, 0, 1, 1)}, nil},
		} {
			p := e.propose(c.im, c.boxes, c.exclude)
			_, figure, void := p.mask.Areas()
			if void != 0 || p.mask.Width != c.im.Width || p.mask.Height != c.im.Height {
				t.Errorf("%s: %v: mask of %d x %d with %d void pixels", name, c.boxes, p.mask.Width, p.mask.Height, void)
			}
			if c.exclude != nil && p.status == "" {
				t.Errorf("%s: %v: no source voted, and there is no status", name, c.boxes)
			}
			if figure == 0 && p.status == "" {
				t.Errorf("%s: %v: an empty mask without a status", name, c.boxes)
			}
			if !(p.quality > 0 && p.quality <= 1) {
				t.Errorf("%s: %v: predicted IoU %g, want more than 0 and at most 1", name, c.boxes, p.quality)
			}
			for i, s := range p.signs {
				if math.IsNaN(s) || math.IsInf(s, 0) {
					t.Errorf("%s: %v: sign %d is %g", name, c.boxes, i, s)
				}
			}
		}
	}
}

// speckled is a picture whose colours alone divide it.
func speckled() *raster.RGB {
	im := raster.NewRGB(2, 2)
	copy(im.Pix, []uint8{250, 10, 10, 10, 240, 20, 245, 12, 12, 15, 250, 25})
	return im
}
