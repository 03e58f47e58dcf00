package transfer

import (
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// expertOf learns from n drawn sources.
func expertOf(t *testing.T, n int, tier manifests.Tier, o Options) *expert {
	t.Helper()
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, uint64(n)))
	m := &manifests.Manifest{}
	for i := range n {
		im, mask, _ := beast(r)
		rec := manifests.Record{ID: fmt.Sprintf("m%d", i), Split: manifests.Train, Tier: manifests.Manual, Image: manifests.Image{Width: im.Width, Height: im.Height, Orientation: 1}}
		ref := manifests.Mask{Tier: manifests.Manual}
		if rec.Image.Path, rec.Image.SHA256, err = store.Put("images", rec.ID, "png", raster.EncodePNG(im)); err != nil {
			t.Fatal(err)
		}
		if ref.Path, ref.SHA256, err = store.Put("masks/manual", rec.ID, "png", raster.EncodeMaskPNG(mask)); err != nil {
			t.Fatal(err)
		}
		rec.Masks = []manifests.Mask{ref}
		m.Records = append(m.Records, rec)
	}
	l := &learner{store: store, o: o, tier: tier, workers: 2, phase: quiet}
	e, err := l.learn(context.Background(), sourcesOf(m, tier, o))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Pictures and boxes from which nothing can be learned get a mask with a status, and the lowest predicted IoU with it, never a number that is
// none: of both tiers, by any number of sources (none: of one, which must not say anything), of which those of 30 all find their masks
// back, so that a grader learns that every mask is good.
func TestDegenerate(t *testing.T) {
	methods := map[string]func(o *Options){
		"with a class model": func(*Options) {},
		"prior only":         func(o *Options) { o.ClassModel = false },
	}
	for _, tier := range []manifests.Tier{manifests.BBox, manifests.Label} {
		for _, sources := range []int{0, 1, 3, 30} {
			for name, change := range methods {
				if sources == 30 && name != "with a class model" {
					continue // takes long, and differs in the prior only
				}
				o := small()
				change(&o)
				e := expertOf(t, max(sources, 1), tier, o)
				if want := o.ClassModel && sources == 30; (e.model != nil) != want {
					t.Errorf("%s: %d sources: model is there: %v", name, sources, !want)
				}
				exclude := func(string) bool { return sources == 0 }
				for _, c := range hopeless(tier) {
					what := fmt.Sprintf("%s, %s, %d sources: %s", tier, name, sources, c.name)
					p := e.propose(picture{RGB: c.im}, c.windows, exclude)
					if _, _, void := p.mask.Areas(); void != 0 || p.mask.Width != c.im.Width || p.mask.Height != c.im.Height {
						t.Errorf("%s: mask of %d x %d with %d void pixels", what, p.mask.Width, p.mask.Height, void)
					}
					if p.status == "" || p.quality != leastQuality {
						t.Errorf("%s: status %q, predicted IoU %g, want one and %g", what, p.status, p.quality, leastQuality)
					}
					for i, s := range p.signs {
						if math.IsNaN(s) || math.IsInf(s, 0) {
							t.Errorf("%s: sign %d is %g", what, i, s)
						}
					}
				}
				im, _, b := beast(rand.New(rand.NewPCG(9, 9)))
				windows := []image.Rectangle{image.Rect(b.XMin, b.YMin, b.XMax, b.YMax)}
				if tier == manifests.Label {
					windows[0] = image.Rect(0, 0, im.Width, im.Height)
				}
				if p := e.propose(picture{RGB: im}, windows, exclude); sources == 30 && (p.status != "" || p.quality < 0.3) {
					t.Errorf("%s, %s, %d sources: a beast: status %q, predicted IoU %g", tier, name, sources, p.status, p.quality)
				} else if sources == 0 && p.status == "" {
					t.Errorf("%s, %s: no source voted, and there is no status", tier, name)
				}
			}
		}
	}
}

type hopelessCase struct {
	name    string
	im      *raster.RGB
	windows []image.Rectangle
}

// hopeless returns pictures that show nothing, with boxes for the bbox tier.
func hopeless(tier manifests.Tier) []hopelessCase {
	r := rand.New(rand.NewPCG(4, 4))
	fill := func(w, h int, level func(x, y int) int) *raster.RGB {
		im := raster.NewRGB(w, h)
		for y := range h {
			for x := range w {
				v := uint8(level(x, y))
				im.Set(x, y, v, v, v)
			}
		}
		return im
	}
	gray := fill(160, 120, func(int, int) int { return 128 })
	noise := fill(160, 120, func(int, int) int { return 127 + r.IntN(3) })
	across := fill(160, 120, func(x, _ int) int { return x * 255 / 159 })
	slope := fill(160, 120, func(x, y int) int { return 20 + (x+y)/2 + r.IntN(2) })
	black, tiny := raster.NewRGB(40, 30), raster.NewRGB(1, 1)
	out := []hopelessCase{{"gray", gray, nil}, {"noise of 1", noise, nil}, {"all levels across", across, nil}, {"slope", slope, nil}, {"black", black, nil}, {"one pixel", tiny, nil}}
	for i := range out {
		out[i].windows = []image.Rectangle{image.Rect(0, 0, out[i].im.Width, out[i].im.Height)}
	}
	if tier == manifests.Label {
		return out
	}
	speckled := raster.NewRGB(2, 2)
	copy(speckled.Pix, []uint8{250, 10, 10, 10, 240, 20, 245, 12, 12, 15, 250, 25})
	for _, im := range []*raster.RGB{gray, noise, across, slope} {
		out = append(out, hopelessCase{"a box inside", im, []image.Rectangle{image.Rect(40, 30, 120, 90)}})
	}
	return append(out,
		hopelessCase{"3 pixels of black", black, []image.Rectangle{image.Rect(5, 5, 8, 6)}},
		hopelessCase{"boxes at the border", black, []image.Rectangle{image.Rect(39, 29, 40, 30), image.Rect(0, 0, 1, 30), image.Rect(0, 0, 40, 1)}},
		hopelessCase{"2 x 2 pixels", speckled, []image.Rectangle{image.Rect(0, 0, 2, 2)}},
	)
}
