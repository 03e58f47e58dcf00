package exchange

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// options are those of a manifest without records.
func options(class string, othersGround bool) Options {
	return Options{Class: class, OthersGround: othersGround, Record: func(string) (int, bool) { return 0, false }}
}

// items are three pictures: a mask with a hole and void, one without figure, and none; one id is a path.
func items() []Item {
	item := func(id string, mask *raster.Mask) Item {
		return Item{Record: &manifests.Record{ID: id}, Image: raster.NewRGB(7, 5), Mask: mask}
	}
	full, empty := raster.NewMask(7, 5), raster.NewMask(7, 5)
	for y := 1; y < 4; y++ {
		for x := 1; x < 5; x++ {
			full.Set(x, y, raster.Figure)
		}
	}
	full.Set(2, 2, raster.Ground)
	full.Set(6, 4, raster.Void)
	full.Set(4, 3, raster.Void)
	return []Item{item("a", full), item("../b", empty), item("c", nil)}
}

// written exports items in a format and returns the folder.
func written(t *testing.T, kind string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	w, err := Create(kind, dir, "horse")
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items() {
		if err := w.Add(it); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRoundTrip writes each format and reads the same pixels back.
func TestRoundTrip(t *testing.T) {
	for _, kind := range Formats {
		dir := written(t, kind)
		path := map[string]string{PNG: "masks", Labelme: "", COCO: "annotations.json", CVAT: "annotations.zip"}[kind]
		got, err := Open(kind, filepath.Join(dir, path), options("horse", false))
		if err != nil {
			t.Fatal(kind, err)
		}
		byName := map[string]Drawn{}
		for _, d := range got {
			byName[d.Name] = d
		}
		for _, it := range items()[:2] {
			d, ok := byName[Name(it.Record)]
			if !ok {
				t.Fatalf("%s: %s is missing", kind, it.Record.ID)
			}
			m, _, err := d.Mask(7, 5)
			if err != nil || !bytes.Equal(m.Pix, it.Mask.Pix) {
				t.Errorf("%s: %s: %v: got %v, want %v", kind, it.Record.ID, err, m, it.Mask.Pix)
			}
			if _, _, err := d.Mask(5, 7); err == nil {
				t.Errorf("%s: a turned mask was taken", kind)
			}
		}
		if _, err := Create(kind, dir, "horse"); err == nil {
			t.Errorf("%s: written over what is there", kind)
		}
	}
}

// zipOf packs files in the order of their names; a name that ends in "@" becomes a link.
func zipOf(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	names := []string{}
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		h := &zip.FileHeader{Name: strings.TrimSuffix(n, "@"), Method: zip.Deflate}
		if strings.HasSuffix(n, "@") {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, files[n])
	}
	z.Close()
	file := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

const labels = "background:0,0,0::\nhorse:250,50,83::\ncow:1,2,3::\n"

// TestZipAttacks refuses names that lead out of the archive, links, bombs and label maps that contradict themselves.
func TestZipAttacks(t *testing.T) {
	for _, name := range []string{"../evil.png", "/etc/passwd", "SegmentationClass/../../a.png", `..\a.png`, "SegmentationClass//a.png", "SegmentationClass/a.png@"} {
		if _, err := Open(CVAT, zipOf(t, map[string]string{"labelmap.txt": labels, name: "x"}), options("horse", false)); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	for name, text := range map[string]string{"none": "", "no background": "horse:1,1,1::\n", "twice": "background:0,0,0::\nbackground:1,1,1::\n", "one color": "background:0,0,0::\nhorse:0,0,0::\n", "no color": "background\n"} {
		if _, err := Open(CVAT, zipOf(t, map[string]string{"labelmap.txt": text}), options("horse", false)); err == nil {
			t.Errorf("label map with %s: want an error", name)
		}
	}
	marked := zipOf(t, map[string]string{"labelmap.txt": "\xef\xbb\xbf" + labels})
	if _, err := Open(CVAT, marked, options("horse", false)); err != nil {
		t.Errorf("a label map behind a byte order mark: %v", err)
	}
	bomb := zipOf(t, map[string]string{"labelmap.txt": labels, "SegmentationClass/a.png": strings.Repeat("0", 30<<20)})
	d, err := Open(CVAT, bomb, options("horse", false))
	if err != nil || len(d) != 1 {
		t.Fatal(err, d)
	}
	if _, _, err := d[0].Mask(7, 5); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("bomb: got %v, want a limit", err)
	}
	if _, err := Open(CVAT, zipOf(t, map[string]string{"labelmap.txt": strings.Repeat("#\n", 2<<20)}), options("horse", false)); err == nil {
		t.Error("a label map of 4 MB: want an error")
	}
}

// TestLabelme lays shapes over one another: figure, holes, void. A pixel of the square 1..5 whose center is inside is figure.
func TestLabelme(t *testing.T) {
	file := func(shapes string) string {
		return `{"version":"5.4.1","imageWidth":7,"imageHeight":5,"shapes":[` + shapes + `]}`
	}
	square := `{"label":"horse","shape_type":"polygon","points":[[1,1],[5,1],[5,4],[1,4]]}`
	m, err := readLabelme([]byte("\xef\xbb\xbf"+file(`{"label":"hole","shape_type":"rectangle","points":[[2,2],[3,3]]},`+square+`,{"label":"void","shape_type":"rectangle","points":[[4,0],[7,2]]}`)), "a", options("horse", false), 7, 5)
	if err != nil {
		t.Fatal(err)
	}
	if m.At(1, 1) != raster.Figure || m.At(0, 0) != raster.Ground || m.At(2, 2) != raster.Ground || m.At(4, 1) != raster.Void {
		t.Errorf("got %v", m.Pix)
	}
	for name, shapes := range map[string]string{
		"label": `{"label":"cow","shape_type":"polygon","points":[[1,1],[5,1],[5,4]]}`, "line": `{"label":"horse","shape_type":"line","points":[[1,1],[5,1]]}`,
		"two points": `{"label":"horse","shape_type":"polygon","points":[[1,1],[5,1]]}`, "mask outside": `{"label":"horse","shape_type":"mask","points":[[5,1],[9,4]],"mask":"AAAA"}`,
		"far away": `{"label":"horse","shape_type":"polygon","points":[[1,1],[1e300,1],[5,4]]}`,
	} {
		if _, err := readLabelme([]byte(file(shapes)), "a", options("horse", false), 7, 5); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	if m, err := readLabelme([]byte(file("")), "a", options("horse", false), 7, 5); err != nil || slices.Contains(m.Pix, raster.Figure) {
		t.Errorf("no shapes: %v, want an empty mask", err)
	}
}

func FuzzLabelme(f *testing.F) {
	for _, it := range items()[:2] {
		data, err := encodeLabelme("a", "horse", it)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := readLabelme(data, "a", options("horse", false), 7, 5); err == nil {
			raster.EncodeMaskPNG(m) // panics on values that are none
		}
	})
}

// Whatever a zip holds, its masks are read or refused.
func FuzzCVAT(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "out")
	w, err := Create(CVAT, dir, "horse")
	for _, it := range items()[:2] {
		err = errors.Join(err, w.Add(it))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "annotations.zip"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	outer, err := os.ReadFile(zipOf(f, map[string]string{"x/task.zip": string(data)}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(outer)
	f.Fuzz(func(t *testing.T, data []byte) {
		room := int64(1 << 20)
		s := &source{path: "x.zip", room: &room}
		if s.content(data) != nil {
			return
		}
		drawn, err := s.open(CVAT, options("horse", true))
		if err != nil {
			return
		}
		for _, d := range drawn {
			if d.Err != nil {
				continue
			}
			if m, _, err := d.Mask(7, 5); err == nil && (m.Width != 7 || m.Height != 5) {
				t.Errorf("%s: got a mask of %d x %d", d.Name, m.Width, m.Height)
			}
		}
	})
}

// The digest of an archive is worked out once, not once for each of its masks: a reader of a large archive with many masks
// would otherwise hash it all day. Every mask names the archive's digest.
func TestArchiveDigest(t *testing.T) {
	dir := written(t, CVAT)
	file := filepath.Join(dir, "annotations.zip")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := Open(CVAT, file, options("horse", false))
	if err != nil || len(drawn) == 0 {
		t.Fatal(drawn, err)
	}
	for _, d := range drawn {
		if _, input, err := d.Mask(7, 5); err != nil || input != manifests.Sum(data) {
			t.Errorf("%s: got digest %s, %v", d.Name, input, err)
		}
	}
}

// A tar that ends before its first block is whole is an error, not a panic.
func TestShortTar(t *testing.T) {
	data := make([]byte, 600)
	copy(data, "p0.png")
	copy(data[257:], "ustar")
	file := filepath.Join(t.TempDir(), "m.tar")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(PNG, file, options("horse", false)); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("got %v, want an error that says so", err)
	}
}
