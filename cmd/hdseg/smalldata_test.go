package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A data set without test images has a table without scores, a study without curves, and is told so; its model segments pictures of
// one pixel, one line, 16 bits and alpha.
func TestDataWithoutTests(t *testing.T) {
	w, _ := world(t, false)
	dir := t.TempDir()
	must(t, "ingest", "-c", "horseseg", "--folder", w.TestDir, "-o", filepath.Join(dir, "out"))
	in := filepath.Join(dir, "out", "stages", "ingest.yaml")
	page, model := filepath.Join(dir, "x.html"), filepath.Join(dir, "x.model")

	b := result[benchResult](t, "bench", "-i", in, "--tiers", "manual", "--model", "linear,trees", "--set", "train.trees.trees=3", "--html", page, "--json")
	if len(b.Rows) != 4 || b.Rows[0].PerClassPooled.OK || len(b.Warnings) != 1 || b.Warnings[0] != noTest {
		t.Errorf("bench: got %d rows and warnings %q", len(b.Rows), b.Warnings)
	}
	if data, err := os.ReadFile(page); err != nil || strings.Contains(string(data), ">NaN") || !strings.Contains(string(data), "nothing can be drawn") {
		t.Errorf("the page (%v) does not say that there are no test images", err)
	}
	s := result[studyResult](t, "study", "-i", in, "--html", page, "--json")
	if len(s.Curves) != 0 || len(s.Warnings) != 1 || !strings.Contains(strings.Join(s.Warnings, "\n"), "there are no test images") {
		t.Errorf("study: got %d curves and warnings %q", len(s.Curves), s.Warnings)
	}
	if data, err := os.ReadFile(page); err != nil || !strings.Contains(string(data), "there are no test images") {
		t.Errorf("the study's page (%v) does not say that there are no test images", err)
	}

	must(t, "train", "-i", in, "--preset", "fast", "-o", model)
	pictures := map[string]image.Image{"pixel": image.NewRGBA(image.Rect(0, 0, 1, 1)), "line": image.NewRGBA(image.Rect(0, 0, 1, 9))}
	deep, glass := image.NewGray16(image.Rect(0, 0, 40, 30)), image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for y := range 30 {
		for x := range 40 {
			deep.SetGray16(x, y, color.Gray16{uint16(x * 1600)})
			glass.SetNRGBA(x, y, color.NRGBA{uint8(x * 6), uint8(y * 8), 90, uint8(x * 6)})
		}
	}
	pictures["deep"], pictures["glass"] = deep, glass
	args := []string{"segment", "--model", model, "-o", dir, "--json"}
	for name, img := range pictures {
		file := filepath.Join(dir, name+".png")
		f, err := os.Create(file)
		try(t, err)
		try(t, png.Encode(f, img))
		try(t, f.Close())
		args = append(args, file)
	}
	must(t, args...)
	for name, img := range pictures {
		for _, suffix := range []string{".mask.png", ".overlay.png"} {
			f, err := os.Open(filepath.Join(dir, name+suffix))
			try(t, err)
			got, err := png.Decode(f)
			f.Close()
			if err != nil || got.Bounds() != img.Bounds() {
				t.Fatalf("%s%s: got %v, %v, want the picture's size %v", name, suffix, got, err, img.Bounds())
			}
			if mask, ok := got.(*image.Gray); suffix == ".mask.png" && (!ok || slices.ContainsFunc(mask.Pix, func(v uint8) bool { return v != 0 && v != 255 })) {
				t.Errorf("%s: the mask has other values than 0 and 255", name)
			}
		}
	}
}
