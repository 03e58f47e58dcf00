package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// Every combination of tag, shape and setting. The mask is figure in its own left half, the right side of a mirrored or half turned picture's is
// then figure if it was turned with it.
func TestMaskOrientation(t *testing.T) {
	const left, right, top, bottom = "left", "right", "top", "bottom"
	side := func(m *raster.Mask) string {
		quarter := func(right, bottom int) bool {
			return m.At((1+2*right)*m.Width/4, (1+2*bottom)*m.Height/4) == raster.Figure
		}
		switch [4]bool{quarter(0, 0), quarter(1, 0), quarter(0, 1), quarter(1, 1)} {
		case [4]bool{true, false, true, false}:
			return left
		case [4]bool{false, true, false, true}:
			return right
		case [4]bool{true, true, false, false}:
			return top
		case [4]bool{false, false, true, true}:
			return bottom
		}
		return "none"
	}
	for _, c := range []struct {
		tag             byte
		w, h, mw, mh    int // stored picture, mask
		setting, resize string
		side            string
		notes           string
	}{
		// The size tells, whatever the setting. 6: the stored left side is the upright top.
		{6, 40, 30, 40, 30, "auto", "", top, followsStored},
		{6, 40, 30, 40, 30, "upright", "", top, followsStored},
		{6, 40, 30, 30, 40, "auto", "", left, followsUpright},
		{6, 40, 30, 30, 40, "stored", "", left, followsUpright},
		{8, 40, 30, 40, 30, "auto", "", bottom, followsStored},
		// It cannot tell.
		{2, 40, 30, 40, 30, "auto", "", right, followsStored + " " + assumedStored},
		{3, 40, 30, 40, 30, "auto", "", right, followsStored + " " + assumedStored},
		{4, 40, 30, 40, 30, "auto", "", left, followsStored + " " + assumedStored},
		{6, 32, 32, 32, 32, "auto", "", top, followsStored + " " + assumedStored},
		{3, 40, 30, 40, 30, "stored", "", right, followsStored},
		{6, 32, 32, 32, 32, "stored", "", top, followsStored},
		{3, 40, 30, 40, 30, "upright", "", left, followsUpright},
		{2, 40, 30, 40, 30, "upright", "", left, followsUpright},
		{6, 32, 32, 32, 32, "upright", "", left, followsUpright},
		// Nothing is turned, so that nothing is said.
		{1, 40, 30, 40, 30, "upright", "", left, ""},
		// Of another size, the shape tells; 13 x 10 is nearer to 40 x 30, 10 x 13 to 30 x 40.
		{6, 40, 30, 13, 10, "auto", "nearest", top, "mask_resized " + followsStored},
		{6, 40, 30, 10, 13, "auto", "nearest", left, "mask_resized " + followsUpright},
		{3, 40, 30, 20, 15, "upright", "nearest", left, "mask_resized " + followsUpright},
		{3, 40, 30, 20, 15, "auto", "nearest", right, "mask_resized " + followsStored + " " + assumedStored},
	} {
		data := jpegBytes(c.w, c.h, 1)
		if c.tag != 1 {
			data = withExif(data, c.tag)
		}
		req := folderOf(t, member{"images/p.jpg", data}, member{"masks/p.png", grayMask(c.mw, c.mh, 255, 0)})
		req.Options.MaskOrientation, req.Options.ResizeMasks = c.setting, c.resize
		res, store := mustIngest(t, req)
		r := record(t, res, "p")
		m := maskOf(t, store, r)
		if got := side(m); got != c.side || m.Width != r.Image.Width || m.Height != r.Image.Height || strings.Join(r.Image.Notes, " ") != c.notes {
			t.Errorf("%+v: got %s, %d x %d of %d x %d, notes %v", c, got, m.Width, m.Height, r.Image.Width, r.Image.Height, r.Image.Notes)
		}
		for _, n := range r.Image.Notes {
			if res.Warnings[n] != 1 {
				t.Errorf("%+v: %s is not counted: %v", c, n, res.Warnings)
			}
		}
		told := slices.ContainsFunc(res.Notices(&req), func(s string) bool { return strings.Contains(s, "ingest.maskOrientation") })
		if told != strings.Contains(c.notes, assumedStored) {
			t.Errorf("%+v: got notices %v", c, res.Notices(&req))
		}
	}
}

// Masks that HDSeg adds to a folder's picture follow stored pixels whatever the folder's do.
func TestMaskOrientationOfHDSeg(t *testing.T) {
	req := folderOf(t, member{"images/n02374451_1.jpg", withExif(jpegBytes(40, 30, 1), 3)}, member{"masks/n02374451_1.png", grayMask(40, 30, 255, 0)})
	req.HDSeg = []string{plant(t, t.TempDir(), member{"HDSeg/annotations/HorseSeg/n02374451/n02374451_1.no.png", grayMask(40, 30, 255, 0)})}
	req.Options.MaskOrientation = OrientationUpright
	res, store := mustIngest(t, req)
	r := record(t, res, "n02374451_1")
	if len(r.Masks) != 2 || r.Masks[0].Tier != HDSegTier || r.Masks[1].Tier != manifests.Manual {
		t.Fatalf("got %+v", r.Masks)
	}
	for i, figure := range []int{39, 0} {
		r := r
		r.Masks = r.Masks[i:]
		if m := maskOf(t, store, r); m.At(figure, 5) != raster.Figure || m.At(39-figure, 5) != raster.Ground {
			t.Errorf("mask %d: the figure is not at x = %d", i, figure)
		}
	}
}

// A mask that does not fit is refused with what would help.
func TestMaskSizeRemedies(t *testing.T) {
	for _, c := range []struct {
		exif   bool
		mw, mh int
		want   string
	}{
		{true, 20, 15, "got 20 x 15, want the picture's 40 x 30 as stored, or 30 x 40 upright; --set ingest.resizeMasks=nearest"},
		{true, 15, 20, "got 15 x 20, want the picture's 40 x 30 as stored, or 30 x 40 upright; --set ingest.resizeMasks=nearest"},
		{true, 20, 20, "want the picture's 40 x 30 as stored, or 30 x 40 upright; the shape differs"},
		{false, 20, 15, "got 20 x 15, want the picture's 40 x 30; --set ingest.resizeMasks=nearest"},
		{false, 15, 20, "it is turned by a quarter: are its rows written as columns?"},
		{false, 40, 15, "the shape differs too, so scaling does not help: is the mask cut short, or of another picture?"},
	} {
		picture := jpegBytes(40, 30, 1)
		if c.exif {
			picture = withExif(picture, 6)
		}
		req := folderOf(t, member{"images/p.jpg", picture}, member{"masks/p.png", grayMask(c.mw, c.mh, 255, 0)})
		res := wantSkips(t, req, "p mask_size")
		if d := res.Manifest.Skipped[0].Detail; !strings.Contains(d, c.want) {
			t.Errorf("%s: got %q", fmt.Sprint(c), d)
		}
		// What the remedy is offered for is helped by it; what has another shape is never stretched.
		req.Options.ResizeMasks = ResizeNearest
		if res, _ := mustIngest(t, req); (res.Kept == 1) != strings.Contains(c.want, "resizeMasks") {
			t.Errorf("%s: kept %d", fmt.Sprint(c), res.Kept)
		}
	}
}
