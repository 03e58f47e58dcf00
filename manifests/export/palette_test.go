package export_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	. "hdseg/manifests/export"
)

// Exported VOC masks hold indices, and the palette that makes them visible: horse is index 13, shown as VOC shows it, and no
// index looks like ground.
func TestVisibleIndices(t *testing.T) {
	s, m := horseWorld(t)
	out := filepath.Join(t.TempDir(), "out")
	mustRun(t, Request{Options: Options{Format: "voc"}, Manifest: m, Store: s, Out: out})
	files, err := filepath.Glob(filepath.Join(out, "VOCdevkit/VOC2012", "SegmentationClass", "*.png"))
	if err != nil || len(files) != 13 {
		t.Fatalf("got %d masks, %v, want 13", len(files), err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(f)
		f.Close()
		p, ok := img.(*image.Paletted)
		if err != nil || !ok {
			t.Fatalf("%s: got %T, %v, want a palette", file, img, err)
		}
		seen := map[uint8]bool{}
		for _, i := range p.Pix {
			seen[i] = true
		}
		if !seen[13] {
			t.Errorf("%s: no pixel has index 13", file)
		}
		for i, want := range map[uint8]color.RGBA{0: {0, 0, 0, 255}, 13: {192, 0, 128, 255}, 255: {224, 224, 192, 255}} {
			if got := color.RGBAModel.Convert(p.Palette[i]); got != want {
				t.Errorf("%s: index %d is shown as %v, want %v", file, i, got, want)
			}
			delete(seen, i)
		}
		if len(seen) > 0 {
			t.Errorf("%s: indices %v, want 0, 13 and 255 alone", file, seen)
		}
	}
}
