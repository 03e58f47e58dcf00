package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// A folder of pictures and masks gives the figures that the same pictures give through a manifest,
// however it is laid out.
func TestEvaluateFolder(t *testing.T) {
	w, _ := world(t, false)
	manifest := drawn(t)
	model := filepath.Join(filepath.Dir(manifest), "models", "paper", "manual-linear-pairwise.model")
	t.Chdir(t.TempDir())
	if err := os.Mkdir("flat", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"images", "masks"} {
		files, err := filepath.Glob(filepath.Join(w.TestDir, sub, "*"))
		if err != nil || len(files) != 3 {
			t.Fatalf("got %v, %v, want 3 files", files, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err == nil {
				err = os.WriteFile(filepath.Join("flat", filepath.Base(f)), data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	figures := func(args ...string) (rows, images string, ids []string) {
		out := must(t, append([]string{"evaluate", "--model", model, "-o", "errors", "--json"}, args...)...)
		var r struct {
			Rows  []bench.Row
			Test  []string
			Files []string
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if want := []string{filepath.Join("errors", "images.csv"), filepath.Join("errors", "index.html")}; !slices.Equal(r.Files, want) {
			t.Errorf("got files %v, want %v", r.Files, want)
		}
		data, err := os.ReadFile(filepath.Join("errors", "images.csv"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Rows { // the time is never the same
			r.Rows[i].PredictMS, r.Rows[i].PredictMSCI = 0, [2]metric.Value{}
		}
		kept, err := json.Marshal(r.Rows)
		if err != nil || len(r.Rows) != 1 {
			t.Fatalf("got %d rows, %v, want one", len(r.Rows), err)
		}
		return string(kept), string(data), r.Test
	}
	rows, images, ids := figures(manifest)
	list, err := csv.NewReader(strings.NewReader(images)).ReadAll()
	if err != nil || len(list) != 4 || len(ids) != 3 {
		t.Fatalf("got %v, %v, want a line for each of 3 pictures", list, err)
	}
	last := -1.0
	for _, l := range list[1:] {
		iou, err := strconv.ParseFloat(l[1], 64)
		if err != nil || iou < last || !slices.Contains(ids, l[0]) {
			t.Errorf("got the line %v after IoU %v, want the worst first", l, last)
		}
		last = iou
	}
	page, err := os.ReadFile(filepath.Join("errors", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	worst := strings.Index(string(page), list[1][0]+": 1, IoU "+list[1][1][:4])
	if best := strings.Index(string(page), list[3][0]+": 3, IoU "); worst < 0 || best < worst {
		t.Errorf("the page shows the worst picture at %d and the best at %d, want both, the worst first", worst, best)
	}
	if n := strings.Count(string(page), "<img "); n != 9 {
		t.Errorf("the page has %d pictures, want 9: picture, true and predicted of each", n)
	}
	for _, args := range [][]string{{"--test", w.TestDir}, {"--test", "flat"},
		{"--test", filepath.Join(w.TestDir, "images"), "--masks", filepath.Join(w.TestDir, "masks")}} {
		gotRows, gotImages, _ := figures(args...)
		if gotRows != rows || gotImages != images {
			t.Errorf("%v: other figures than through a manifest:\n%s%s\nwant\n%s%s", args, gotRows, gotImages, rows, images)
		}
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"want one of them", []string{manifest, "--test", "flat"}},
		{"want a manifest", nil},
		{"want --test", []string{manifest, "--masks", "flat"}},
		{"images", []string{"--test", filepath.Join(w.TestDir, "images")}},
	} {
		if _, errs, code := hdseg(t, append([]string{"evaluate", "--model", model}, c.args...)...); code == exitDone || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got exit %d and %q, want %q", c.args, code, errs, c.want)
		}
	}
}
