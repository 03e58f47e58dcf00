package ingest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// conventionSets plants folders of one base name, each with three pictures of which the masks have the given values.
func conventionSets(t *testing.T, sets ...[3][]uint8) Request {
	t.Helper()
	req := Request{Dataset: "x", Class: Horse(), Options: Defaults(), Workers: 2, Version: "test"}
	dir, seed := t.TempDir(), 0
	for i, masks := range sets {
		root := string(rune('a'+i)) + "/mine"
		for k, values := range masks {
			seed++
			id := string(rune('a'+i)) + string(rune('1'+k))
			plant(t, dir, member{root + "/images/" + id + ".jpg", jpegBytes(40, 30, seed)}, member{root + "/masks/" + id + ".png", grayMask(40, 30, values...)})
		}
		req.Folders = append(req.Folders, filepath.Join(dir, root))
	}
	return req
}

// What 255 means is one thing in one source. Two sources of one base name are two.
func TestMaskConventions(t *testing.T) {
	black, void, figure := []uint8{0}, []uint8{0, 1, 255}, []uint8{0, 255}
	_, _, err := ingestOf(t, conventionSets(t, [3][]uint8{black, void, figure}))
	if err == nil || !strings.Contains(err.Error(), "mine/masks/a2.png has the values 0,1,255") || !strings.Contains(err.Error(), "mine/masks/a3.png has 0,255") {
		t.Errorf("both in one source: got %v", err)
	}
	req := conventionSets(t, [3][]uint8{black, void, void}, [3][]uint8{black, figure, figure})
	res := wantSkips(t, req)
	// Three stripes of 40 columns are 0 to 13, 14 to 26 and 27 to 39 (x*3/40): the last two are 13 wide.
	if a, b := record(t, res, "a2").Masks[0], record(t, res, "b2").Masks[0]; a.Figure != 13*30 || a.Void != 13*30 || b.Figure != 20*30 || b.Void != 0 {
		t.Errorf("got %+v and %+v", a, b)
	}

	// The first contradiction ends the run: what comes after it is not read.
	req = conventionSets(t, [3][]uint8{void, figure, black}, [3][]uint8{black, black, black})
	req.Workers = 1
	store, err := manifests.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	_, err = Run(t.Context(), req, store, func(stage string, done, _ int) {
		if stage == "ingest" {
			most = done
		}
	})
	if err == nil || most != 2 {
		t.Errorf("got %v after %d pictures, want a refusal after 2", err, most)
	}
}

// A stated convention that leaves no mask of a source its figure is a mistake; one that leaves some is none.
func TestMaskConventionEmptiesSource(t *testing.T) {
	figure := []uint8{0, 255}
	for name, c := range map[string]struct {
		sets [][3][]uint8
		want string // "" for accepted
	}{
		"all":              {[][3][]uint8{{figure, figure, figure}}, "mine: no mask has figure with ingest.maskValues=0,1,255, and mine/masks/a1.png has the values 0,255"},
		"all of the other": {[][3][]uint8{{{0, 1}, {0, 1}, {0, 1}}, {figure, figure, figure}}, "mine/masks/b1.png"},
		"not all":          {[][3][]uint8{{figure, figure, {0, 1}}}, ""},
		"nobody had any":   {[][3][]uint8{{{0}, {0}, {0}}}, ""},
		"128":              {[][3][]uint8{{{0}, {0, 128}, {128}}}, "mine: no mask has figure with ingest.maskValues=0,128,255, and mine/masks/a2.png has the values 0,128: want --set ingest.maskValues=0,128 or other masks"},
		"128 beside 255":   {[][3][]uint8{{{0, 128}, figure, {0, 128, 255}}}, ""},
	} {
		req := conventionSets(t, c.sets...)
		req.Options.MaskValues = "0,1,255"
		if strings.HasPrefix(name, "128") {
			req.Options.MaskValues = "0,128,255"
		}
		_, _, err := ingestOf(t, req)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// Masks of 0 and 128 alone lose everything if 128 is void, which nothing but a figure of 255 in the same source says: else the convention must be
// stated, and can be.
func TestMaskConvention128(t *testing.T) {
	only := []uint8{0, 128}
	for name, c := range map[string]struct {
		masks [3][]uint8
		asks  bool
	}{
		"all":              {[3][]uint8{only, only, only}, true},
		"one beside black": {[3][]uint8{{0}, only, {0}}, true},
		"all void":         {[3][]uint8{{128}, {128}, {128}}, true},
		"beside 0 and 1":   {[3][]uint8{{0, 1}, only, {0, 1}}, true},
		"beside 0,1,255":   {[3][]uint8{{0, 1, 255}, only, {0, 1}}, true},
		"beside 0,255":     {[3][]uint8{only, {0, 255}, only}, false},
		"beside 0,128,255": {[3][]uint8{only, only, {0, 128, 255}}, false},
		"black":            {[3][]uint8{{0}, {0}, {0}}, false},
	} {
		_, _, err := ingestOf(t, conventionSets(t, c.masks))
		if (err != nil) != c.asks || err != nil && !(strings.Contains(err.Error(), "has the values 0,128") && strings.Contains(err.Error(), "--set ingest.maskValues=0,128 takes 128 for figure")) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	req := conventionSets(t, [3][]uint8{only, only, only})
	req.Options.MaskValues = "0,128"
	res := wantSkips(t, req)
	if m := record(t, res, "a2").Masks[0]; m.Figure != 600 || m.Void != 0 { // the right half of 40 x 30
		t.Errorf("got %+v", m)
	}
}

// Masks that are all black are what they are, and a sentence says it.
func TestMasksWithoutFigure(t *testing.T) {
	said := func(req Request) bool {
		res, _ := mustIngest(t, req)
		return slices.ContainsFunc(res.Notices(&req), func(s string) bool {
			return strings.Contains(s, "none of the 3 manual masks of source folder (train) has figure")
		})
	}
	if !said(conventionSets(t, [3][]uint8{{0}, {0}, {0}})) || said(conventionSets(t, [3][]uint8{{0}, {0}, {0, 255}})) {
		t.Error("said of the wrong set, or not at all")
	}
}

// Values that no convention knows drop the picture, and the message says which there are.
func TestUnknownMaskValues(t *testing.T) {
	res := wantSkips(t, conventionSets(t, [3][]uint8{{0, 77}, {0, 255}, {0, 255}}), "a1 bad_mask_values")
	if d := res.Manifest.Skipped[0].Detail; res.Dropped != 1 || !strings.Contains(d, "mine/masks/a1.png: mask: got values [0 77], want 0 and 1, 0 and 255") {
		t.Errorf("got %q, dropped %d", d, res.Dropped)
	}
}
