package demo

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests/format"
)

// A member is a file of an archive.
type member struct {
	name string
	data []byte
}

// members reads a tar or tar.gz to its end or first error.
func members(t *testing.T, file string) ([]member, error) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var out []member
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if h.Typeflag != tar.TypeReg || h.Format != tar.FormatUSTAR || !h.ModTime.Equal(archiveTime) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s: %s: header depends on more than the member: %+v", file, h.Name, h)
		}
		data, err := io.ReadAll(tr)
		if err != nil {
			return out, err
		}
		out = append(out, member{h.Name, data})
	}
}

func TestImageNetArchives(t *testing.T) {
	w := defaultWorld(t)
	images, err := members(t, w.ImageNetTar)
	if err != nil {
		t.Fatal(err)
	}
	if len(images) != 24+16 {
		t.Errorf("pictures: got %d, want 40", len(images))
	}
	sizes := map[string]image.Point{}
	for _, m := range images {
		id, ok := strings.CutSuffix(m.name, ".JPEG")
		if !ok || !strings.HasPrefix(id, "n02374451_") || strings.Contains(id, "/") {
			t.Errorf("member %q: want a flat n02374451_N.JPEG", m.name)
		}
		pic, err := jpeg.Decode(bytes.NewReader(m.data))
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		if _, again := sizes[id]; again {
			t.Errorf("%s: twice in the archive", id)
		}
		sizes[id] = pic.Bounds().Size()
		if decode(t, filepath.Join(w.TruthDir, id+".png")).Bounds().Size() != sizes[id] {
			t.Errorf("%s: picture and truth differ in size", id)
		}
	}
	files, err := members(t, w.BoxesTar)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 24 {
		t.Errorf("box files: got %d, want 24", len(files))
	}
	shown, words, pairs := 0, 0, 0
	for _, m := range files {
		id := strings.TrimSuffix(strings.TrimPrefix(m.name, "Annotation/n02374451/"), ".xml")
		var a format.VOCAnnotation
		if err := xml.Unmarshal(m.data, &a); err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		if a.Filename != id || sizes[id] == (image.Point{}) {
			t.Errorf("%s: names the file %q of no picture", m.name, a.Filename)
		}
		if a.Width != sizes[id].X {
			shown++
		}
		if len(a.Objects) > 1 {
			pairs++
		}
		if a.Objects[0].Name == "horse" {
			words++
		} else if a.Objects[0].Name != "n02374451" {
			t.Errorf("%s: object %q, want an id or a word", m.name, a.Objects[0].Name)
		}
		checkImageNetBoxes(t, id, a, decode(t, filepath.Join(w.TruthDir, id+".png")).(*image.Gray))
	}
	// Of 40 pictures 24 have boxes: about 6 in another size, 8 with a word, and some with two figures.
	if shown < 2 || shown > 12 || words < 3 || words > 14 || pairs < 1 {
		t.Errorf("got %d displayed sizes, %d words, %d pairs, want some of each", shown, words, pairs)
	}
}

// checkImageNetBoxes maps boxes from the displayed size to the picture, outwards to
// whole pixels, and holds them against the true mask.
func checkImageNetBoxes(t *testing.T, id string, a format.VOCAnnotation, truth *image.Gray) {
	t.Helper()
	sx, sy := float64(truth.Rect.Dx())/float64(a.Width), float64(truth.Rect.Dy())/float64(a.Height)
	slack := 1
	if sx != 1 {
		slack = 2 + int(max(sx, sy))
	}
	var boxes []image.Rectangle
	for _, o := range a.Objects {
		b := image.Rect(int(float64(o.XMin-1)*sx), int(float64(o.YMin-1)*sy),
			int(math.Ceil(float64(o.XMax)*sx)), int(math.Ceil(float64(o.YMax)*sy))).Intersect(truth.Rect)
		checkSides(t, id, b, slack, func(x, y int) bool { return truth.GrayAt(x, y).Y != 0 })
		boxes = append(boxes, b.Inset(-slack))
	}
	inside, outside := 0, 0
	for i, v := range truth.Pix {
		if v != 255 {
			continue
		}
		p, in := image.Pt(i%truth.Stride, i/truth.Stride), false
		for _, b := range boxes {
			in = in || p.In(b)
		}
		if in {
			inside++
		} else {
			outside++
		}
	}
	if outside > 40 || inside == 0 { // figures of which fewer than 40 pixels show have no box
		t.Errorf("%s: %d figure pixels lie inside the boxes, %d outside", id, inside, outside)
	}
}

func TestNewObjectByHand(t *testing.T) {
	// Half-open 10..30 x 5..20 in a picture of 40 x 20, shown as 60 x 30: times 3/2.
	// Columns 15..45 are 16..45 in 1-based inclusive words; rows 7.5..30 round to 8..30, so 9..30.
	got := newObject("x", image.Rect(10, 5, 30, 20), 40, 20, 60, 30)
	want := format.VOCObject{Name: "x", Pose: "Unspecified", Truncated: 1, XMin: 16, YMin: 9, XMax: 45, YMax: 30}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := newObject("x", image.Rect(10, 5, 30, 15), 40, 20, 40, 20); got.XMin != 11 || got.XMax != 30 || got.Truncated != 0 {
		t.Errorf("in the picture's own size: got %+v, want columns 11..30, whole", got)
	}
}
