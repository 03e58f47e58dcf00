package ingest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// imageNetOf replaces a world's ImageNet pictures and boxes.
func imageNetOf(t testing.TB, pictures, boxes []member) Request {
	req := world(t)
	req.ImageNet = []string{plant(t, t.TempDir(), pictures...)}
	req.Boxes = []string{plant(t, t.TempDir(), boxes...)}
	return req
}

// wantSkips runs a request and compares its skips, as "record reason".
func wantSkips(t *testing.T, req Request, want ...string) *Result {
	t.Helper()
	res, _ := mustIngest(t, req)
	if got := reasons(res); !slices.Equal(got, want) {
		t.Errorf("got skips %v (%v), want %v", got, res.Manifest.Skipped, want)
	}
	return res
}

// A corrupt JPEG, a text file and an empty file are skipped by name, and the rest is kept.
func TestCorruptPictures(t *testing.T) {
	whole := jpegBytes(40, 30, 1)
	res := wantSkips(t, imageNetOf(t, []member{
		{"n02374451_1.JPEG", whole[:len(whole)*9/10]}, {"n02374451_2.JPEG", []byte("<html>404</html>")},
		{"n02374451_3.JPEG", nil}, {"n02374451_4.JPEG", whole}}, nil),
		"n02374451_1 corrupt_image", "n02374451_2 not_a_picture", "n02374451_3 not_a_picture")
	if s := res.Manifest.Skipped[0]; !strings.Contains(s.Detail, "n02374451_1.JPEG: jpeg: cut short") {
		t.Errorf("got %q", s.Detail)
	}
	if res.Dropped != 3 || res.Kept != 5 {
		t.Errorf("dropped %d, kept %d", res.Dropped, res.Kept)
	}
}

// Files that VOC's list promises and the devkit lacks.
func TestVOCMissing(t *testing.T) {
	req := world(t)
	dir := filepath.Join(req.VOC[0], "VOC2012")
	if err := errors.Join(os.Remove(filepath.Join(dir, "SegmentationClass", "2007_000001.png")), os.Remove(filepath.Join(dir, "JPEGImages", "2008_000002.jpg"))); err != nil {
		t.Fatal(err)
	}
	wantSkips(t, req, "2007_000001 missing_mask", "2008_000002 missing_image")
}

// A mask of another size than its picture is refused. So is one of another kind.
func TestMaskOfWrongSize(t *testing.T) {
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2012/SegmentationClass/2007_000001.png", vocMask(41, 30, 13)}, member{"VOC2012/SegmentationClass/2008_000002.png", []byte("no png")})
	plant(t, req.Test, member{"masks/t1.png", grayMask(40, 30, 0, 7)}, member{"masks/t2.png", grayMask(20, 15, 0, 255)})
	res := wantSkips(t, req, "2007_000001 mask_size", "2008_000002 corrupt_mask", "t1 bad_mask_values", "t2 mask_size")
	if d := res.Manifest.Skipped[0].Detail; !strings.Contains(d, "got 41 x 30, want the picture's 40 x 30") {
		t.Errorf("got %q", d)
	}
}

// A mask without figure is legal and flagged.
func TestEmptyMask(t *testing.T) {
	req := world(t)
	plant(t, req.Test, member{"masks/t1.png", grayMask(40, 30, 0)}, member{"masks/t2.png", grayMask(40, 30, 255)})
	res := wantSkips(t, req)
	if a, b := record(t, res, "t1").Masks[0], record(t, res, "t2").Masks[0]; a.Status != "empty" || a.Figure != 0 || b.Status != "full" || b.Figure != 1200 {
		t.Errorf("got %+v and %+v", a, b)
	}
}

// Where one mask of a folder uses 255 as void, a mask of 0 and 255 cannot be told from a figure, and the
// convention must be stated.
func TestAmbiguousMaskValues(t *testing.T) {
	req := world(t)
	plant(t, req.Test, member{"masks/t1.png", grayMask(40, 30, 0, 1, 255)})
	_, _, err := ingestOf(t, req)
	if err == nil || !strings.Contains(err.Error(), "t1.png") || !strings.Contains(err.Error(), "t2.png") || !strings.Contains(err.Error(), "maskValues") {
		t.Fatalf("got %v", err)
	}
	req.Options.MaskValues = "0,1,255"
	res := wantSkips(t, req)
	if m := record(t, res, "t2").Masks[0]; m.Figure != 0 || m.Void != 600 {
		t.Errorf("got %+v, want 600 void pixels", m)
	}
}

// Boxes are clipped, tested for emptiness afterwards, and every message names the record
// and the object. A record whose boxes all drop becomes one of the label tier.
func TestBoxRepairs(t *testing.T) {
	picture := func(n string) member { return member{"n02374451_" + n + ".JPEG", jpegBytes(40, 30, 1)} }
	res := wantSkips(t, imageNetOf(t,
		[]member{picture("1"), picture("2"), picture("3"), picture("4"), picture("5"), picture("6")},
		[]member{
			{"n02374451_1.xml", boxXML(40, 30, [5]any{"x", 41, 1, 60, 10})},                                       // outside
			{"n02374451_2.xml", boxXML(40, 30, [5]any{"x", 7, 5, 7, 9}, [5]any{"x", 31, 21, 50, 40})},             // no width; sticks out
			{"n02374451_3.xml", boxXML(0, 0, [5]any{"x", 1, 1, 9, 9})},                                            // nothing to scale by
			{"n02374451_4.xml", []byte("<annotation><object>")},                                                   // cut
			{"n02374451_5.xml", boxXML(40, 30, [5]any{"x", 20, 3, 10, 8})},                                        // dragged from the right
			{"n02374451_6.xml", boxXML(40, 30, [5]any{"n02389559", 1, 1, 9, 9}, [5]any{"n02389026", 2, 3, 4, 5})}, // a donkey; a sorrel
		}),
		"n02374451_1 box_outside", "n02374451_2 box_empty", "n02374451_3 box_size", "n02374451_4 bad_box_file")
	for id, want := range map[string]struct {
		tier  manifests.Tier
		boxes []manifests.Box
	}{
		"n02374451_1": {manifests.Label, nil},
		"n02374451_2": {manifests.BBox, []manifests.Box{{XMin: 30, YMin: 20, XMax: 40, YMax: 30}}},
		"n02374451_3": {manifests.Label, nil},
		"n02374451_4": {manifests.Label, nil},
		"n02374451_5": {manifests.BBox, []manifests.Box{{XMin: 9, YMin: 2, XMax: 20, YMax: 8}}},
		"n02374451_6": {manifests.BBox, []manifests.Box{{XMin: 1, YMin: 2, XMax: 4, YMax: 5}}},
	} {
		if r := record(t, res, id); r.Tier != want.tier || !slices.Equal(r.Boxes, want.boxes) {
			t.Errorf("%s: got %s %v, want %s %v", id, r.Tier, r.Boxes, want.tier, want.boxes)
		}
	}
	if res.Warnings["box_clipped"] != 1 || res.Warnings["box_swapped"] != 1 || res.Other["box_of_other_class"] != 2 || res.Dropped != 0 {
		t.Errorf("got warnings %v, dropped %d", res.Warnings, res.Dropped)
	}
	for i, want := range []string{"n02374451_1.xml: object 1 (x): ", "n02374451_2.xml: object 1 (x): ", "n02374451_3.xml: object 1 (x): ", "n02374451_4.xml: box xml: "} {
		if d := res.Manifest.Skipped[i].Detail; !strings.Contains(d, "/"+want) {
			t.Errorf("got %q, want the file and the object's number: %q", d, want)
		}
	}
}

// What ImageNet swaps, VOC refuses; the mask keeps its record.
func TestVOCBoxMinOverMax(t *testing.T) {
	req := world(t)
	plant(t, req.VOC[0], member{"VOC2012/Annotations/2007_000001.xml", boxXML(40, 30, [5]any{"horse", 20, 1, 10, 30})})
	res := wantSkips(t, req, "2007_000001 box_swapped")
	if r := record(t, res, "2007_000001"); r.Tier != manifests.Manual || len(r.Boxes) != 0 {
		t.Errorf("got %+v", r)
	}
}

// A coordinate of 0 in any file of a set means that the set counts from 0.
func TestBoxBase(t *testing.T) {
	pictures := []member{{"n02374451_1.JPEG", jpegBytes(40, 30, 1)}, {"n02374451_2.JPEG", jpegBytes(40, 30, 2)}}
	boxes := []member{{"n02374451_1.xml", boxXML(40, 30, [5]any{"x", 5, 6, 19, 29})}, {"n02374451_2.xml", boxXML(40, 30, [5]any{"x", 0, 0, 9, 9})}}
	req := imageNetOf(t, pictures, boxes)
	for base, want := range map[string]manifests.Box{"auto": {XMin: 5, YMin: 6, XMax: 20, YMax: 30}, "0": {XMin: 5, YMin: 6, XMax: 20, YMax: 30}, "1": {XMin: 4, YMin: 5, XMax: 19, YMax: 29}} {
		req.Options.BoxBase = base
		res, _ := mustIngest(t, req)
		if got := record(t, res, "n02374451_1").Boxes[0]; got != want {
			t.Errorf("base %s: got %v, want %v", base, got, want)
		}
	}
}

// A portrait photo of a folder is stored as it came, and its mask is brought upright with it, unless it was
// drawn on the upright picture. ImageNet's and VOC's annotations follow stored pixels, so their tags are ignored and noted.
func TestOrientationBySource(t *testing.T) {
	req := world(t)
	plant(t, req.Test,
		member{"images/t1.jpg", withExif(jpegBytes(40, 30, 8), 6)}, member{"masks/t1.png", grayMask(40, 30, 0, 255)}, // stored frame: figure right
		member{"images/t2.jpg", withExif(jpegBytes(40, 30, 9), 6)}, member{"masks/t2.png", grayMask(30, 40, 0, 255)}) // upright frame
	plant(t, req.VOC[0], member{"VOC2012/JPEGImages/2007_000001.jpg", withExif(jpegBytes(40, 30, 1), 6)})
	res, store := mustIngest(t, req)
	for id, figureAt := range map[string][2]int{"t1": {0, 39}, "t2": {29, 0}} {
		r := record(t, res, id)
		if r.Image.Width != 30 || r.Image.Height != 40 || r.Image.Orientation != 6 {
			t.Errorf("%s: got %+v, want 30 x 40 with orientation 6", id, r.Image)
		}
		m := maskOf(t, store, r)
		// Orientation 6: the stored right side is the upright bottom.
		if m.Width != 30 || m.Height != 40 || m.At(figureAt[0], figureAt[1]) != 1 || m.At(0, 0) != 0 {
			t.Errorf("%s: the mask is not upright", id)
		}
	}
	r := record(t, res, "2007_000001")
	if r.Image.Width != 40 || r.Image.Orientation != 1 || !slices.Contains(r.Image.Notes, "exif_ignored") {
		t.Errorf("VOC: got %+v", r.Image)
	}
	// Bytes are stored untouched, tag included.
	data, err := store.Read(r.Image.Path, r.Image.SHA256)
	if err != nil || !bytes.Equal(data, withExif(jpegBytes(40, 30, 1), 6)) {
		t.Errorf("the stored bytes changed: %v", err)
	}
}

// A PNG under the name of a JPEG is taken for what it is, stored with the right extension, and counted.
func TestExtensionMismatch(t *testing.T) {
	res, _ := mustIngest(t, imageNetOf(t, []member{{"n02374451_1.JPEG", grayMask(9, 7, 1, 2, 3)}}, nil))
	r := record(t, res, "n02374451_1")
	if r.Image.Format != "png" || !strings.HasSuffix(r.Image.Path, ".png") || res.Warnings["ext_mismatch"] != 1 {
		t.Errorf("got %+v, warnings %v", r.Image, res.Warnings)
	}
}

// Ids match whole, n02374451_1 is not n02374451_10; a second picture of one id is refused and
// names the first.
func TestIDsMatchWhole(t *testing.T) {
	req := imageNetOf(t, []member{{"a/n02374451_1.JPEG", jpegBytes(40, 30, 1)}, {"b/n02374451_1.JPEG", jpegBytes(40, 30, 2)}, {"n02374451_11.JPEG", jpegBytes(40, 30, 3)}},
		[]member{{"n02374451_11.xml", boxXML(40, 30, [5]any{"x", 1, 1, 9, 9})}})
	res := wantSkips(t, req, "n02374451_1 duplicate_id")
	if record(t, res, "n02374451_1").Tier != manifests.Label || record(t, res, "n02374451_11").Tier != manifests.BBox {
		t.Error("the box went to the wrong picture")
	}
	if d := res.Manifest.Skipped[0].Detail; !strings.Contains(d, "a/n02374451_1.JPEG") || !strings.Contains(d, "b/n02374451_1.JPEG") {
		t.Errorf("got %q, want both files", d)
	}
}

// Folder names become ids of letters, digits, '-', '_', '.' and percent codes.
func TestNamesBecomeSafe(t *testing.T) {
	for name, want := range map[string]string{
		"22.0/1.1.png": "22.0%2F1.1", "1.1": "1.1", "a b.jpg": "a%20b", "\xff.png": "%FF", "é.png": "%C3%A9", "e\u0301.png": "e%CC%81",
		"c:d.png": "c%3Ad", `x\y.png`: "x%5Cy", ".x.png": "%2Ex", "con.png": "%63on", "LPT1.1.png": "%4CPT1.1", "COM0.png": "COM0", "2008_000008.jpg": "2008_000008",
	} {
		if got := safeID(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// Too many skips are an error that still carries the result.
func TestMaxSkip(t *testing.T) {
	req := imageNetOf(t, []member{{"n02374451_1.JPEG", nil}}, nil)
	// 3 VOC + 1 + 2 test pictures, one of them skipped: 1/6.
	req.Options.MaxSkip = 0.16
	res, _, err := ingestOf(t, req)
	var limit *SkipLimitError
	if !errors.As(err, &limit) || limit.Skipped != 1 || limit.Read != 6 || res == nil || !strings.Contains(err.Error(), "n02374451_1: not_a_picture") {
		t.Errorf("got %v", err)
	}
	// 1 is 100 %: no limit. 0 allows none, and nothing dropped is fine.
	for _, allowed := range []float64{0.17, 1} {
		req.Options.MaxSkip = allowed
		if _, _, err := ingestOf(t, req); err != nil {
			t.Error(err)
		}
	}
	req.Options.MaxSkip = 0
	if _, _, err := ingestOf(t, req); !errors.As(err, &limit) || !strings.Contains(err.Error(), "skipped 1 of 6 pictures, want at most 0 %") {
		t.Errorf("got %v", err)
	}
	req = world(t)
	req.Options.MaxSkip = 0
	mustIngest(t, req)
	// Nothing is kept at all: 100 % are allowed to be dropped.
	req = folderOf(t, member{"images/a.jpg", nil})
	mustIngest(t, req)
}
