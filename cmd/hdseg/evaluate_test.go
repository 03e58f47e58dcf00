package main

import (
	"encoding/csv"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests/raster"
)

// A folder of pictures and masks gives the figures that the same pictures give through a manifest,
// however it is laid out.
func TestEvaluateFolder(t *testing.T) {
	w, _ := world(t, false)
	manifest := drawn(t)
	model := filepath.Join(filepath.Dir(manifest), "models", "paper", "manual-linear-pairwise.model")
	t.Chdir(t.TempDir())
	try(t, os.Mkdir("flat", 0o777))
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
			try(t, err)
		}
	}
	// A model has one kind of terms: there is no empty column of the other.
	if out := must(t, "evaluate", "--model", model, manifest); !strings.Contains(out, "horse pairwise") || strings.Contains(out, "horse unary") {
		t.Errorf("the table of a pairwise model has other columns than pairwise:\n%s", out)
	}
	figures := func(args ...string) (rows, images string, ids []string) {
		out := must(t, append([]string{"evaluate", "--model", model, "-o", "errors", "--json"}, args...)...)
		var r struct {
			Rows  []bench.Row
			Test  []string
			Files []string
		}
		try(t, json.Unmarshal([]byte(out), &r))
		if want := []string{filepath.Join("errors", "images.csv"), filepath.Join("errors", "index.html")}; !slices.Equal(r.Files, want) {
			t.Errorf("got files %v, want %v", r.Files, want)
		}
		data := read(t, filepath.Join("errors", "images.csv"))
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
	page := read(t, filepath.Join("errors", "index.html"))
	worst := strings.Index(string(page), list[1][0]+": number 1 from the worst, IoU "+list[1][1][:4])
	if best := strings.Index(string(page), list[3][0]+": number 3 from the worst, IoU "); worst < 0 || best < worst {
		t.Errorf("the page shows the worst picture at %d and the best at %d, want both, the worst first", worst, best)
	}
	if !strings.Contains(string(page), "<h1>What manual-linear-pairwise.model gets wrong: horse</h1>") {
		t.Error("the page does not name its model")
	}
	if n := strings.Count(string(page), "<img "); n != 9 {
		t.Errorf("the page has %d pictures, want 9: picture, true and predicted of each", n)
	}
	for _, no := range []string{"<dt>p</dt>", "<dt>the best", "<h2>Warnings", "<h2>Skipped"} {
		if strings.Contains(string(page), no) {
			t.Errorf("the page has %s, want what concerns it alone", no)
		}
	}
	if iou, other := strings.Index(string(page), "<td>IoU</td>"), strings.Index(string(page), "<td>per class</td>"); iou < 0 || iou > other {
		t.Errorf("the page has IoU at %d and accuracy at %d, want IoU first", iou, other)
	}
	if want := ".model: linear, pairwise, manual, balance paper, preset paper"; !strings.Contains(string(page), want) {
		t.Errorf("the page does not say %q of the model", want)
	}
	if out := must(t, "evaluate", "--model", model, manifest); !strings.HasPrefix(out, "IoU of the figure 0.") || !strings.Contains(out, "over all pixels of 3 test pictures\n") {
		t.Errorf("the first line is not that of IoU and accuracy:\n%s", out)
	}
	for _, args := range [][]string{{"--test", w.TestDir}, {"--test", "flat"},
		{"--test", filepath.Join(w.TestDir, "images"), "--masks", filepath.Join(w.TestDir, "masks")}} {
		gotRows, gotImages, _ := figures(args...)
		if gotRows != rows || gotImages != images {
			t.Errorf("%v: other figures than through a manifest:\n%s%s\nwant\n%s%s", args, gotRows, gotImages, rows, images)
		}
	}
	// other masks are read, and not those in the folder
	own := filepath.Join("other", "masks")
	try(t, os.MkdirAll(own, 0o777), os.CopyFS(filepath.Join("other", "images"), os.DirFS(filepath.Join(w.TestDir, "images"))))
	for _, id := range ids {
		try(t, os.WriteFile(filepath.Join(own, id+".png"), raster.PNG(image.NewGray(image.Rect(0, 0, 1, 1))), 0o666))
	}
	if gotRows, gotImages, _ := figures("--test", "other", "--masks", filepath.Join(w.TestDir, "masks")); gotRows != rows || gotImages != images {
		t.Errorf("--masks beside masks/: other figures than through a manifest:\n%s%s\nwant\n%s%s", gotRows, gotImages, rows, images)
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

// evaluate says how many of its pictures the model was trained on: by the list that train writes beside it, or the data set above it.
func TestTrainingPicturesAreTold(t *testing.T) {
	t.Chdir(t.TempDir())
	ownFolder(t, "pets", 0)
	b := result[buildResult](t, "build", "-c", "pets.yaml", "--folder", "pets", "-o", "out", "--set", "bench.samples=50", "--json")
	var trained trainResult
	if err := json.Unmarshal([]byte(must(t, "train", b.Manifest, "-c", "pets.yaml", "--model", "linear", "-o", "pets.model", "--json")), &trained); err != nil || trained.Pictures != "pets.model.pictures" {
		t.Fatalf("got the list %s, %v", trained.Pictures, err)
	}
	data, err := os.ReadFile("pets.model.pictures")
	if err != nil || strings.Count(string(data), "\n") != 1+7 {
		t.Errorf("got the list %q, %v, want 7 pictures", data, err)
	}
	if said := must(t, "info", "pets.model.pictures"); !strings.Contains(said, "list of training pictures") || !strings.Contains(said, "pictures             7\n") {
		t.Errorf("info: got %s", said)
	}
	const all = "7 of 9 pictures are training pictures of this model: its figures are too good"
	warned := func(name, want string, args ...string) {
		t.Helper()
		_, errs, code := hdseg(t, append([]string{"evaluate"}, args...)...)
		if got := strings.Contains(errs, "training pictures"); code != exitDone || got != (want != "") || !strings.Contains(errs, want) {
			t.Errorf("%s: got exit %d and %q, want %q", name, code, errs, want)
		}
	}
	built := filepath.Join("out", "models", "paper", "manual-linear-pairwise.model")
	try(t, os.WriteFile("pets/masks/bad.png", []byte("no picture"), 0o666))
	// the page says what the terminal says, and the list which pictures they are
	_, errs, code := hdseg(t, "evaluate", "--model", "pets.model", "--test", "pets", "-o", "errors")
	page, err := os.ReadFile("errors/index.html")
	if err != nil || code != exitSkips || !strings.Contains(string(page), all) || !strings.Contains(string(page), "<h2>Skipped pictures</h2>") ||
		!strings.Contains(string(page), "bad") {
		t.Errorf("exit %d, %v: the page does not have the warning and the skips of\n%s", code, err, errs)
	}
	if lines, err := os.ReadFile("errors/images.csv"); err != nil || strings.Count(string(lines), ",true\n") != 7 || strings.Count(string(lines), ",false\n") != 2 {
		t.Errorf("images.csv: %v, want 7 training pictures and 2 others:\n%s", err, lines)
	}
	try(t, os.Remove("pets/masks/bad.png"))
	if data, err := os.ReadFile("pets.model"); err != nil || os.WriteFile("copy.model", data, 0o666) != nil {
		t.Fatal(err)
	}
	warned("a copy without its list", "it is not known whether pictures are training pictures of this model: copy.model.pictures is missing",
		"--model", "copy.model", "--test", "pets")
	warned("its own folder", all, "--model", "pets.model", "--test", "pets")
	warned("a model of the build", all, "--model", built, "--test", "pets")
	warned("the test split", "", "--model", "pets.model", b.Manifest)
	ownFolder(t, "renamed", 0)
	files, err := filepath.Glob("renamed/*/*")
	if err != nil || len(files) != 18 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, f := range files {
		try(t, os.Rename(f, filepath.Join(filepath.Dir(f), "x"+filepath.Base(f))))
	}
	warned("other names", all, "--model", "pets.model", "--test", "renamed")
	// a list of another model does not count
	if data, err = os.ReadFile(strings.Replace(built, "pairwise", "unary", 1)); err == nil {
		err = os.WriteFile("pets.model", data, 0o666)
	}
	try(t, err)
	warned("a list of another model", "it is not known whether pictures are training pictures of this model: pets.model.pictures is of another model", "--model", "pets.model", "--test", "pets")
}
