package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A record is drawn with a panel for the picture and one for each mask, and said in words.
func TestShow(t *testing.T) {
	manifest := drawn(t)
	t.Chdir(t.TempDir())
	_, m, _, err := manifests.ReadFile(manifest)
	try(t, err)
	var boxed *manifests.Record
	for i := range m.Records {
		if r := &m.Records[i]; r.Tier == manifests.BBox && len(r.Masks) > 0 {
			boxed = r
		}
	}
	if boxed == nil {
		t.Fatal("no record with a box and a mask")
	}
	file := manifests.FileKey(boxed.ID) + ".png"
	for range 2 { // the second replaces the first
		out := must(t, "show", boxed.ID, manifest)
		for _, want := range []string{boxed.ID + ": train, bbox, ", "  box 1: ", "  mask bbox, revision 0, predicted IoU ", "wrote " + file} {
			if !strings.Contains(out, want) {
				t.Errorf("got %q, want %q in it", out, want)
			}
		}
	}
	img := openPNG(t, file)
	panels := 1 + len(boxed.Masks)
	w := max(200, boxed.Image.Width)
	if got, want := img.Bounds().Dx(), panels*(w+8)-8; got != want {
		t.Errorf("the picture is %d wide, want %d for %d panels", got, want, panels)
	}
	b := boxed.Boxes[0]
	r, g, blue, _ := img.At(b.XMin+1, (b.YMin+b.YMax)/2).RGBA()
	if got := fmt.Sprint(r>>8, g>>8, blue>>8); got != "255 220 0" {
		t.Errorf("the left edge of the box has the color %s, want 255 220 0", got)
	}
	try(t, os.WriteFile("mine.png", []byte(pngMagic+"mine"), 0o666))
	says(t, exitError, "mine.png", "show", boxed.ID, manifest, "-o", "mine.png")
	says(t, exitError, "no record of this id: want one such as "+m.Records[0].ID, "show", "nobody", manifest)
	// Two letters that changed places, one too many, and one too few.
	id := m.Records[0].ID
	for _, command := range []string{"show", "why"} {
		for _, near := range []string{id[:2] + id[3:4] + id[2:3] + id[4:], id + "0", id[1:]} {
			says(t, exitError, near+": "+manifest+" has no record of this id; did you mean ", command, near, manifest)
		}
	}
}
