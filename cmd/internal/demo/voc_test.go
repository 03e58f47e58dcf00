package demo

import (
	"encoding/xml"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/ingest"
	"hdseg/manifests/format"
)

func TestVOCDevkit(t *testing.T) {
	w := defaultWorld(t)
	sets := map[string][]string{}
	for _, set := range []string{"train", "val", "trainval"} {
		data, err := os.ReadFile(filepath.Join(w.VOCDir, "ImageSets", "Segmentation", set+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		sets[set] = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	}
	both := slices.Sorted(slices.Values(append(slices.Clone(sets["train"]), sets["val"]...)))
	if !slices.Equal(both, sets["trainval"]) || len(both) != 30 || len(slices.Compact(both)) != 30 {
		t.Fatalf("trainval: got %d ids, want the 30 of train and val, sorted", len(sets["trainval"]))
	}
	horses, seen := 0, map[uint8]bool{}
	for _, id := range sets["trainval"] {
		m, ok := decode(t, filepath.Join(w.VOCDir, "SegmentationClass", id+".png")).(*image.Paletted)
		if !ok || len(m.Palette) != 256 || m.Palette[13] != (color.RGBA{192, 0, 128, 255}) {
			t.Fatalf("%s: the mask is no palette PNG with VOC's palette", id)
		}
		if decode(t, filepath.Join(w.VOCDir, "JPEGImages", id+".jpg")).Bounds() != m.Bounds() {
			t.Errorf("%s: picture and mask differ in size", id)
		}
		if slices.Contains(m.Pix, 13) {
			horses++
		}
		for _, v := range m.Pix {
			seen[v] = true
		}
		checkBorder(t, id, m)
		checkVOCBoxes(t, filepath.Join(w.VOCDir, "Annotations", id+".xml"), m)
	}
	if horses != 24 {
		t.Errorf("pictures with horses: got %d, want 24", horses)
	}
	for v := range seen {
		if !slices.Contains([]uint8{0, 10, 12, 13, 255}, v) {
			t.Errorf("index %d is no class that is drawn", v)
		}
	}
	if len(seen) != 5 {
		t.Errorf("indices: got %d kinds, want ground, cow, dog, horse and void", len(seen))
	}
}

// checkBorder proves that void parts all classes, and that it is only a border.
func checkBorder(t *testing.T, id string, m *image.Paletted) {
	t.Helper()
	w, h := m.Rect.Dx(), m.Rect.Dy()
	touching := 0
	for y := range h {
		for x := range w {
			v := m.Pix[y*w+x]
			for _, j := range []int{y*w + min(x+1, w-1), min(y+1, h-1)*w + x} {
				if u := m.Pix[j]; u != v && u != format.VOCVoid && v != format.VOCVoid {
					touching++
				}
			}
		}
	}
	if touching > 0 {
		t.Errorf("%s: %d neighbours of different classes touch without void", id, touching)
	}
	void := 0
	for _, v := range m.Pix {
		if v == format.VOCVoid {
			void++
		}
	}
	// A figure is at least some 150 pixels around, four wide; grass frays outlines.
	if share := float64(void) / float64(len(m.Pix)); void < 600 || share > 0.25 {
		t.Errorf("%s: %d pixels, %.3f of the picture, are void", id, void, share)
	}
}

// checkVOCBoxes proves that the boxes of a class hold its labeled pixels (all but crumbs)
// and that each touches its figure: void or class within three pixels of every side.
func checkVOCBoxes(t *testing.T, file string, m *image.Paletted) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var a format.VOCAnnotation
	if err := xml.Unmarshal(data, &a); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if a.Width != m.Rect.Dx() || a.Height != m.Rect.Dy() || a.Folder != "VOC2012" || len(a.Objects) == 0 {
		t.Errorf("%s: got size %d x %d, folder %q, %d objects", file, a.Width, a.Height, a.Folder, len(a.Objects))
	}
	boxes := map[uint8][]image.Rectangle{}
	for _, o := range a.Objects {
		cls := uint8(ingest.VOCNumber(o.Name))
		box := image.Rect(o.XMin-1, o.YMin-1, o.XMax, o.YMax)
		if !box.In(m.Rect) || box.Empty() {
			t.Errorf("%s: box %v lies outside of %v", file, box, m.Rect)
		}
		boxes[cls] = append(boxes[cls], box)
		figure := func(x, y int) bool {
			v := m.ColorIndexAt(x, y)
			return v == cls || v == format.VOCVoid
		}
		checkSides(t, file, box, 3, figure)
	}
	for i, v := range m.Pix {
		p := image.Pt(i%m.Stride, i/m.Stride)
		if v != 0 && v != format.VOCVoid && !slices.ContainsFunc(boxes[v], p.In) {
			t.Errorf("%s: pixel %v of class %d lies in no box", file, p, v)
			return
		}
	}
}

// checkSides proves that a figure pixel lies within slack of every side of a box.
func checkSides(t *testing.T, file string, b image.Rectangle, slack int, figure func(x, y int) bool) {
	t.Helper()
	for name, strip := range map[string]image.Rectangle{
		"left": image.Rect(b.Min.X, b.Min.Y, b.Min.X+slack, b.Max.Y), "right": image.Rect(b.Max.X-slack, b.Min.Y, b.Max.X, b.Max.Y),
		"top": image.Rect(b.Min.X, b.Min.Y, b.Max.X, b.Min.Y+slack), "bottom": image.Rect(b.Min.X, b.Max.Y-slack, b.Max.X, b.Max.Y),
	} {
		found := false
		for y := strip.Min.Y; y < strip.Max.Y; y++ {
			for x := strip.Min.X; x < strip.Max.X; x++ {
				found = found || figure(x, y)
			}
		}
		if !found {
			t.Errorf("%s: box %v is not tight: no figure at its %s side", file, b, name)
		}
	}
}
