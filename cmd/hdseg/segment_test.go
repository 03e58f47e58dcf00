package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/manifests/raster"
)

func namesOf(all []named) string {
	var out []string
	for _, p := range all {
		out = append(out, filepath.ToSlash(p.name))
	}
	return strings.Join(out, " ")
}

// Names of results lie in the folder that was asked for, whatever the picture is called.
func TestNamesOfSegmentedPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"pics/.png", "a/photo.tar.jpg", "plain"} {
		try(t, os.MkdirAll(filepath.Dir(name), 0o777))
		try(t, os.WriteFile(name, nil, 0o666))
	}
	got, err := picturesOf([]string{"pics/.png", "a/photo.tar.jpg", "plain"}, "out")
	if want := ".png photo.tar plain"; err != nil || namesOf(got) != want {
		t.Errorf("got %q, %v, want %s", namesOf(got), err, want)
	}
	// All that are missing are named, and nothing is segmented.
	if _, err := picturesOf([]string{"no.jpg", "plain", "a/no.png"}, "out"); err == nil || err.Error() != "no.jpg: no such file or folder\na/no.png: no such file or folder" {
		t.Errorf("missing pictures: got %v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	try(t, os.Mkdir(empty, 0o777))
	t.Chdir(empty)
	for _, bad := range []string{".", "..", "*.jpg"} {
		if _, err := picturesOf([]string{bad}, "out"); err == nil {
			t.Errorf("%q: want an error", bad)
		}
	}
}

// A folder means the pictures in it and below, told by their bytes, without earlier results.
func TestFoldersOfSegmentedPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	const pixels, tiff = "\x89PNG\r\n\x1a\n", "II*\x00"
	for name, data := range map[string]string{
		"in/a.png": pixels, "in/sub/a.jpg": pixels, "in/sub/b.jpg": pixels, "in/sub/b.png": pixels, "in/sub/.hidden.png": pixels, "in/notes.txt": "text", "in/scan.tif": tiff,
		"in/a.mask.png": pixels, "in/a.overlay.png": pixels, "in/masks/old.png": pixels, "more/b[1].png": pixels, "more/c.png": pixels,
	} {
		try(t, os.MkdirAll(filepath.Dir(name), 0o777))
		try(t, os.WriteFile(name, []byte(data), 0o666))
	}
	for _, c := range []struct{ args, want string }{
		{"in", "a scan sub/a sub/b.jpg sub/b.png"},
		{"in more/*.png", "a scan sub/a sub/b.jpg sub/b.png b[1] c"},
		{"more/b[1].png", "b[1]"},
		{"mor*", "b[1] c"},
		{"more/c.png ./more/c.png more/*.png", "c b[1]"}, // each once
	} {
		got, err := picturesOf(strings.Fields(c.args), filepath.Join("in", "masks"))
		if err != nil || namesOf(got) != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.args, namesOf(got), err, c.want)
		}
	}
	if _, err := picturesOf([]string{"in", "in/sub"}, "out"); err == nil || !strings.Contains(err.Error(), "would both be written as a.mask.png") {
		t.Errorf("two pictures of one name: got %v", err)
	}
}

// One thing is not called several.
func TestPlurals(t *testing.T) {
	for _, c := range []struct {
		r    segmentResult
		want string
	}{
		{segmentResult{Folder: "m", one: "mask and overlay", many: "masks and overlays", Masks: make([]segmented, 1)}, "\n1 mask and overlay in m/\n"},
		{segmentResult{Folder: "m/", one: "mask and overlay", many: "masks and overlays", Masks: make([]segmented, 2)}, "\n2 masks and overlays in m/\n"},
	} {
		var b bytes.Buffer
		if c.r.table(&b); !strings.HasSuffix(filepath.ToSlash(b.String()), c.want) {
			t.Errorf("got %q, want %q at its end", b.String(), c.want)
		}
	}
	if got := plural(1, "mask", "masks") + ", " + plural(0, "box", "boxes") + ", " + plural(2, "box", "boxes"); got != "1 mask, 0 boxes, 2 boxes" {
		t.Errorf("got %q", got)
	}
}

func TestSegmentWritesOverNoInput(t *testing.T) {
	dir := t.TempDir()
	a, b := named{filepath.Join(dir, "x.png"), "x"}, named{filepath.Join(dir, "x.mask.png"), "x.mask"}
	for _, p := range []named{a, b} {
		try(t, os.WriteFile(p.file, []byte("\x89PNG\r\n\x1a\n"+p.file), 0o666))
	}
	if err := overInputs("", []named{a, b}, dir, results); err == nil || !strings.Contains(err.Error(), "its x.mask.png would be written over") {
		t.Errorf("got %v", err)
	}
	if err := overInputs("", []named{a, b}, filepath.Join(dir, "masks"), results); err != nil {
		t.Errorf("another folder: got %v", err)
	}
	if err := overInputs("", []named{a}, dir, results); err != nil { // an earlier result is no input
		t.Errorf("again: got %v", err)
	}
	linked := filepath.Join(dir, "linked")
	try(t, os.Mkdir(linked, 0o777), os.Link(b.file, filepath.Join(linked, "x.mask.png")))
	if err := overInputs("", []named{a}, linked, results); err != nil {
		t.Errorf("a picture that is no input: got %v", err)
	}
	if err := overInputs(b.file, []named{a}, linked, results); err == nil || !strings.Contains(err.Error(), "which is an input") {
		t.Errorf("another name of an input: got %v", err)
	}
}

// A folder is segmented into a like one; probabilities are 16 bits deep and agree with the mask where
// they are sure; what is too large or beyond the limit is said.
func TestSegmentFolder(t *testing.T) {
	w, _ := world(t, false)
	model := filepath.Join(filepath.Dir(drawn(t)), "models", "paper", "manual-linear-pairwise.model")
	t.Chdir(t.TempDir())
	says(t, exitUsage, "-o is missing", "segment", "--model", model, w.TestDir)
	out := must(t, "segment", "--model", model, "-o", "masks", "--probability", w.TestDir+"/im*")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 4 || lines[3] != "3 masks, overlays and probabilities in masks/" {
		t.Errorf("got %q, want 3 masks and a last line that says where", out)
	}
	files, err := filepath.Glob(filepath.Join("masks", "*.probability.png"))
	if err != nil || len(files) != 3 {
		t.Fatalf("got %v, %v, want 3 files", files, err)
	}
	try(t, os.MkdirAll("torn", 0o777))
	for name, data := range map[string]string{"empty.jpg": "", "text.PNG": "hello", "notes.txt": "hello"} {
		try(t, os.WriteFile(filepath.Join("torn", name), []byte(data), 0o666))
	}
	said, errs, code := hdseg(t, "segment", "--model", model, "-o", "masks", "torn")
	if said += errs; code != exitSkips || !strings.Contains(said, "empty.jpg") || !strings.Contains(said, "text.PNG") || strings.Contains(said, "notes.txt") {
		t.Errorf("a folder with pictures that cannot be read: got exit %d and %q", code, said)
	}
	sure, wrong, beside, all := 0, 0, 0, 0
	for _, f := range files {
		p, ok := openPNG(t, f).(*image.Gray16)
		mask, is := openPNG(t, strings.Replace(f, ".probability", ".mask", 1)).(*image.Gray)
		if !ok || !is || p.Rect != mask.Rect {
			t.Fatalf("%s: got a %T, want 16-bit gray of the mask's size", f, p)
		}
		for i, m := range mask.Pix {
			v := uint16(p.Pix[2*i])<<8 | uint16(p.Pix[2*i+1])
			if all++; v >= 32768 != (m == 255) {
				beside++
			}
			if v < 6554 || v > 58981 { // under a tenth, or over nine
				sure++
				if v > 58981 != (m == 255) {
					wrong++
				}
			}
		}
	}
	if sure == 0 || wrong > sure/10 {
		t.Errorf("got %d pixels that are sure, of which %d contradict the mask", sure, wrong)
	}
	if beside > all/6 {
		t.Errorf("%d of %d pixels lie on the other side of one half than the mask says, want a sixth at most", beside, all)
	}
	var r segmentResult
	out, _, code = hdseg(t, "segment", "--model", model, "-o", "few", "--limit", "2", "--max-pixels", "10", w.TestDir, "--json")
	try(t, json.Unmarshal([]byte(out), &r))
	if !strings.Contains(out, "; --max-pixels N allows more") {
		t.Errorf("got %s, want what allows more", out)
	}
	if code != exitSkips || r.Left != 4 || len(r.Unread) != 2 || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "4 pictures are left") }) {
		t.Errorf("got exit %d and %s, want 2 pictures skipped and 4 left", code, out)
	}
}

// Masks end inside of superpixels: the probability is the same all over a superpixel, and the mask is
// not. It is the labeling of superpixels in most of each.
func TestSegmentEndsAtPixels(t *testing.T) {
	w, _ := world(t, false)
	file := filepath.Join(filepath.Dir(drawn(t)), "models", "paper", "manual-linear-pairwise.model")
	mod, err := (&app{}).readModel(file)
	try(t, err)
	files := found(t, filepath.Join(w.TestDir, "images", "*"))
	cut, moved, all := 0, 0, 0
	for _, f := range files {
		data := read(t, f)
		img, _, err := raster.Decode(data, raster.DefaultLimits())
		try(t, err)
		g, sp, array, err := lscrf.NewGraph(f, img, mod.Setup)
		try(t, err)
		c, err := pipeline.Cut(mod, g, sp, img, array)
		try(t, err)
		whole, err := mod.Mask(f, img)
		try(t, err)
		seen := make([][2]bool, sp.N)
		for i, v := range c.Mask.Pix {
			seen[sp.Labels[i]][v] = true
			if all++; v != whole.Pix[i] {
				moved++
			}
		}
		for _, s := range seen {
			if s[0] && s[1] {
				cut++
			}
		}
	}
	if cut == 0 || moved == 0 || moved > all/10 {
		t.Errorf("the masks cut %d superpixels, and change %d of %d pixels, want some of both and a tenth at most", cut, moved, all)
	}
}

func openPNG(t *testing.T, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	try(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	try(t, err)
	return img
}
