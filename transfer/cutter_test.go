package transfer

import (
	"context"
	"image"
	"slices"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// TestCutter cuts beasts from their boxes as transfer does, from a click, and by corrections, which stay where they are made.
func TestCutter(t *testing.T) {
	m, store, truth := world(t, t.TempDir())
	o := small()
	o.clicks.Side, o.clicks.Trees.Trees = 64, 20
	c, skips, err := newCutter(context.Background(), m, store, o, 2, nil)
	if err != nil || len(skips) > 0 || c == nil || c.scenes.clicks == nil {
		t.Fatalf("got %+v, skips %v, %v", c, skips, err)
	}
	res := run(t, m, store, 2)
	for i := range m.Records {
		r := &m.Records[i]
		im, err := loadImage(store, r)
		if err != nil {
			t.Fatal(err)
		}
		not := func(id string) bool { return id == r.ID }
		if r.Tier == manifests.BBox {
			k, _ := res.Manifest.Records[i].MaskOf(manifests.BBox)
			want, err := loadMask(store, r, k)
			if err != nil {
				t.Fatal(err)
			}
			b := r.Boxes[0]
			got := c.Cut(im, Pointing{Boxes: []image.Rectangle{image.Rect(b.XMin, b.YMin, b.XMax, b.YMax)}}, not)
			if !slices.Equal(got.Pix, want.Pix) {
				t.Errorf("%s: the cut from its box is not the mask of transfer", r.ID)
			}
		}
		x, y, _ := truth[r.ID].Deepest(raster.Figure)
		click := c.Cut(im, Pointing{Clicks: []image.Point{{x, y}}}, not)
		if v := iou(confusion(truth[r.ID], click)); v < 0.85 {
			t.Errorf("%s: one click gives an IoU of %.3f, want 0.85", r.ID, v)
		}
		marks := open(im)
		marks.Set(x, y, raster.Ground)
		away := c.Cut(im, Pointing{Marks: marks, Was: click}, not)
		if away.At(x, y) != raster.Ground {
			t.Errorf("%s: what was clicked away is still figure", r.ID)
		}
		if again := c.Cut(im, Pointing{Marks: marks, Was: away}, not); !slices.Equal(again.Pix, away.Pix) {
			t.Errorf("%s: marks that the mask has already change it", r.ID)
		}
	}
	// The second time it is recalled, and is the same.
	d, _, err := newCutter(context.Background(), m, store, o, 1, func(phase string) func(done, total int) {
		t.Errorf("phase %q: it is learned again", phase)
		return func(int, int) {}
	})
	if err != nil {
		t.Fatal(err)
	}
	im, err := loadImage(store, &m.Records[0])
	if err != nil {
		t.Fatal(err)
	}
	p := Pointing{Clicks: []image.Point{{40, 30}}}
	if !slices.Equal(c.Cut(im, p, nil).Pix, d.Cut(im, p, nil).Pix) {
		t.Error("a cutter that was recalled cuts otherwise")
	}
}

// TestCutterNone has no masks to learn from: cuts go by colors.
func TestCutterNone(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	m.Records = slices.DeleteFunc(m.Records, func(r manifests.Record) bool { return r.Tier == manifests.Manual })
	if c, _, err := NewCutter(context.Background(), m, store, nil, 1, nil); c != nil || err != nil {
		t.Errorf("got %v, %v, want none", c, err)
	}
}

// TestPointingShrunk cuts a large picture on a small copy: a mark of one pixel counts, and so does the size of the answer.
func TestPointingShrunk(t *testing.T) {
	im := raster.NewRGB(1600, 1200)
	for i := range im.Pix {
		im.Pix[i] = uint8(i * 31 % 251)
	}
	marks := open(im)
	marks.Set(801, 601, raster.Figure)
	got := (*Cutter)(nil).Cut(im, Pointing{Boxes: []image.Rectangle{image.Rect(10, 10, 1500, 1100)}, Marks: marks}, nil)
	if got.Width != 1600 || got.Height != 1200 || got.At(801, 601) != raster.Figure || got.At(5, 5) != raster.Ground {
		t.Errorf("got %d x %d, (801, 601) is %d", got.Width, got.Height, got.At(801, 601))
	}
}

// TestChangedAt takes over only what hangs together with a mark.
func TestChangedAt(t *testing.T) {
	was := &raster.Mask{Pix: []uint8{0, 0, 0, 0, 0, 0}, Width: 6, Height: 1}
	now := &raster.Mask{Pix: []uint8{1, 1, 0, 0, 1, 1}, Width: 6, Height: 1}
	marks := &raster.Mask{Pix: []uint8{255, 1, 255, 0, 255, 255}, Width: 6, Height: 1}
	if got := changedAt(was, now, marks).Pix; !slices.Equal(got, []uint8{1, 1, 0, 0, 0, 0}) {
		t.Errorf("got %v", got)
	}
}
