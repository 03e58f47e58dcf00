package main

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/manifests"
)

// A data set, a model and a campaign of version 0.2.0 open. It made testdata/v0.2.0 from the small world; in the campaign Ann saved and
// submitted a mask of one test picture, the upper half of it, and Rita accepted it. The model is that of paper/manual+bbox-linear-pairwise.
func TestEarlierVersionOpens(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "set")
	try(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "v0.2.0"))))
	manifest, model := filepath.Join(dir, "horseseg.yaml"), filepath.Join(dir, "horse.model")
	if out := must(t, "check", manifest, "--deep"); !strings.Contains(out, "15 records, 0 faults") {
		t.Errorf("check: %s", out)
	}
	stats := result[statsResult](t, "stats", manifest, "--json")
	got := map[string]int{}
	for _, r := range stats.Records {
		got[string(r.Split)+" "+string(r.Tier)] = r.Images
	}
	for key, n := range map[string]int{"train manual": 5, "train bbox": 4, "train label": 3, "test manual": 3} {
		if got[key] != n {
			t.Errorf("stats: %s: got %d images, want %d", key, got[key], n)
		}
	}
	table := result[benchResult](t, "evaluate", manifest, "--model", model, "--json")
	// what evaluate of version 0.2.0 printed
	if r := table.Rows[0]; r.Images != 9 || r.PerClassPooled.Format(3) != "80.598" {
		t.Errorf("evaluate: got %d images and %s, want 9 and 80.598", r.Images, r.PerClassPooled.Format(3))
	}

	const picture = "2007_002572.8ec6a36a9cfc"
	must(t, "segment", "--model", model, "-o", filepath.Join(dir, "masks-of-model"), filepath.Join(dir, "images", "test", picture+".jpg"))
	// the superpixels of version 0.2.0, now cut at pixels
	mask, ok := openPNG(t, filepath.Join(dir, "masks-of-model", picture+".mask.png")).(*image.Gray)
	whole, is := openPNG(t, filepath.Join(dir, "segmented.png")).(*image.Gray)
	if !ok || !is || mask.Rect != whole.Rect {
		t.Fatalf("segment: got a mask of %v, want gray as large as that of version 0.2.0", mask.Rect)
	}
	moved := 0
	for i, v := range mask.Pix {
		if v != whole.Pix[i] {
			moved++
		}
	}
	if moved == 0 || moved > len(mask.Pix)/10 {
		t.Errorf("segment: %d of %d pixels differ from the mask of version 0.2.0, want some and a tenth at most", moved, len(mask.Pix))
	}

	serve(t, manifest, "127.0.0.1:0", "--annotators", "Ann", "--reviewers", "Rita").kill()
	reviewed := filepath.Join(dir, "reviewed.yaml")
	must(t, "annotate", "apply", manifest, "-o", reviewed)
	must(t, "check", reviewed)
	_, m, _, err := manifests.ReadFile(reviewed)
	try(t, err)
	for i := range m.Records {
		r := &m.Records[i]
		if r.ID != "2007_002572" {
			continue
		}
		k, _ := r.MaskOf(manifests.Manual)
		if want := r.Image.Width * (r.Image.Height / 2); k.WasAttributedTo != "Ann" || k.Figure != want {
			t.Errorf("the accepted mask: by %q, %d pixels, want Ann and %d", k.WasAttributedTo, k.Figure, want)
		}
	}
}
