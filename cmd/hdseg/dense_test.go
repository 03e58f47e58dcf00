package main

import (
	"bytes"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/lscrf/tools/dense/arraytest"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// arrays writes an array for every picture of a data set, which knows its manual mask.
func arrays(t *testing.T, manifest, dir string) (m *manifests.Manifest, store *manifests.Store) {
	t.Helper()
	store, err := manifests.OpenStore(filepath.Dir(manifest))
	try(t, err)
	m, _, err = manifests.Read(store, strings.TrimSuffix(filepath.Base(manifest), ".yaml"))
	try(t, err)
	for i := range m.Records {
		r := &m.Records[i]
		mask := raster.NewMask(r.Image.Width, r.Image.Height)
		if k, ok := r.MaskOf(manifests.Manual); ok {
			if mask, err = load.Mask(store, r, k); err != nil {
				t.Fatal(err)
			}
		}
		arraytest.WriteMask(t, filepath.Join(dir, r.ID+".npy"), mask)
	}
	return m, store
}

// TestDense trains, measures and segments with the arrays of a network: what they say is learned, provenance names them, and who leaves them out or has others is told.
func TestDense(t *testing.T) {
	manifest := drawn(t)
	t.Chdir(t.TempDir())
	m, store := arrays(t, manifest, "arrays")
	must(t, "train", manifest, "--tiers", "manual", "--preset", "paper", "--terms", "unary", "-o", "plain.model")
	must(t, "train", manifest, "--tiers", "manual", "--preset", "paper", "--terms", "unary", "-o", "dense.model", "--dense", "arrays", "--by", "a net of ours")
	must(t, "train", manifest, "--dense", "arrays", "--by", "a net of ours", "--shard", "0/1", "-o", "all.stats")
	must(t, "train", "--statistics", "all.stats", "--tiers", "manual", "--terms", "unary", "-o", "from.model")
	if !bytes.Equal(read(t, "from.model"), read(t, "dense.model")) {
		t.Error("statistics with arrays give another model than their pictures")
	}
	says(t, exitUsage, "leave out the manifest, --shard and --dense", "train", "--statistics", "all.stats", "--dense", "arrays", "-o", "from.model")
	score := func(args ...string) float64 {
		t.Helper()
		r := result[benchResult](t, append([]string{"evaluate", manifest, "--json"}, args...)...)
		return r.Rows[0].PerClassPooled.V
	}
	if plain, dense := score("--model", "plain.model"), score("--model", "dense.model", "--dense", "arrays"); dense < plain+10 {
		t.Errorf("got %g per class with arrays that know the masks, %g without", dense, plain)
	}
	model := new(lscrf.Model)
	err := readBinary("dense.model", "model", model)
	try(t, err)
	d := model.Setup.Feature.Dense
	if d == nil || d.By != "a net of ours" || d.Channels != 1 || len(d.Digest) != 64 || d.Dir != "" {
		t.Errorf("the model keeps %+v", d)
	}
	if out := must(t, "info", "dense.model"); !strings.Contains(out, "feature.dense.by: a net of ours (default none)\n") || strings.Contains(out, "unknown") {
		t.Errorf("info does not say of the arrays that there are none by default:\n%s", out)
	}

	says(t, exitUsage, "--dense: got no name", "train", manifest, "--dense", "", "-o", "more.model")

	photo, err := store.Path(m.Records[0].Image.Path)
	try(t, err)
	data := read(t, photo)
	for _, name := range []string{"in/a.jpg", "in/b.jpg"} {
		try(t, os.MkdirAll("in", 0o777))
		try(t, os.WriteFile(name, data, 0o666))
	}
	says(t, exitError, "needs the arrays of a network (1 channels, made by a net of ours): name their folder with --dense", "segment", "--model", "dense.model", "-o", "out", "in")
	says(t, exitUsage, "was trained without arrays", "segment", "--model", "plain.model", "--dense", "arrays", "-o", "out", "in")
	left := raster.NewMask(16, 12) // the array says: the left half
	for i := range left.Pix {
		if i%16 < 8 {
			left.Pix[i] = raster.Figure
		}
	}
	arraytest.WriteMask(t, "more/a.npy", left)
	out, _, code := hdseg(t, "segment", "--model", "dense.model", "--dense", "more", "-o", "out", "in", "--json")
	var r segmentResult
	try(t, json.Unmarshal([]byte(out), &r))
	if code != exitSkips || len(r.Masks) != 1 || r.Masks[0].Figure < 0.3 || r.Masks[0].Figure > 0.7 || len(r.Unread) != 1 || !strings.Contains(r.Unread[0].Detail, "b.npy: no such file") ||
		r.Unread[0].Reason != "no_array" {
		t.Errorf("got exit %d, %+v and %+v, want half of a and a skip of b", code, r.Masks, r.Unread)
	}
	if _, errs, code := hdseg(t, "segment", "--model", "dense.model", "--dense", "arrays", "-o", "out", "in"); code != exitError ||
		!strings.Contains(errs, "arrays has an array of none of 2 pictures: want a file for each, such as a.npy") {
		t.Errorf("arrays of other pictures: got exit %d and %q", code, errs)
	}
	if _, errs, code := hdseg(t, "train", manifest, "-o", "more.model", "--dense", "more"); code != exitError ||
		!strings.Contains(errs, "more: no array of") {
		t.Errorf("trained with arrays of other pictures: got exit %d and %q", code, errs)
	}
	if _, errs, code := hdseg(t, "train", manifest, "-o", "more.model", "--by", "a net of ours"); code != exitUsage ||
		!strings.Contains(errs, "--by says what made the arrays of --dense") {
		t.Errorf("trained with words and no arrays: got exit %d and %q", code, errs)
	}
	if _, errs, code := hdseg(t, "evaluate", manifest, "--model", "dense.model", "--dense", "more"); code != exitError ||
		!strings.Contains(errs, "more has an array of none of") {
		t.Errorf("evaluated with arrays of other pictures: got exit %d and %q", code, errs)
	}
}

// TestDenseBuild builds a data set with arrays from its sources to its report.
func TestDenseBuild(t *testing.T) {
	dir := t.TempDir()
	_, store := arrays(t, drawn(t), filepath.Join(dir, "arrays"))
	_, build := world(t, false)
	set := filepath.Join(dir, "set")
	must(t, append(build, "-o", set, "--dense", filepath.Join(dir, "arrays"), "--by", "a net of ours")...)
	data, err := os.ReadFile(filepath.Join(set, "report", "index.html"))
	if err != nil || !strings.Contains(string(data), "by: a net of ours") {
		t.Errorf("the report does not say what made the arrays: %v", err)
	}
	arraytest.WriteMask(t, filepath.Join(dir, "arrays", "a photo.npy"), raster.NewMask(14, 14)) // as for segment
	out := must(t, append(build, "-o", set, "--dense", filepath.Join(dir, "arrays"), "--by", "a net of ours", "--json")...)
	if strings.Contains(out, `"up_to_date": false`) {
		t.Errorf("the same build again runs stages again: %s", out)
	}
	// It goes on with a linear model on the same arrays.
	var b buildResult
	try(t, json.Unmarshal([]byte(out), &b))
	t.Chdir(dir)
	train := must(t, argsOf(b.Next[len(b.Next)-1])...)
	if !strings.HasPrefix(train, "linear pairwise model of manual") {
		t.Errorf("%s\ntrains %s", b.Next[len(b.Next)-1], train)
	}
	m := new(lscrf.Model)
	err = readBinary(filepath.Join(dir, "horse.model"), "model", m)
	if err != nil || m.Setup.Feature.Dense == nil || m.Setup.Feature.Dense.By != "a net of ours" {
		t.Errorf("the model knows nothing of the arrays: %v", err)
	}
	// A picture without its array is left out of the features under the same name as of transfer, and the stage is done with that.
	made, _, err := manifests.Read(store, "horseseg")
	try(t, err)
	first := slices.IndexFunc(made.Records, func(r manifests.Record) bool { return r.Split == manifests.Train && r.Tier == manifests.Manual })
	missing := filepath.Join(dir, "arrays", made.Records[first].ID+".npy")
	try(t, os.Remove(missing))
	again := append(build, "-o", set, "--dense", filepath.Join(dir, "arrays"), "--by", "a net of ours", "--json")
	for _, done := range []bool{false, true} {
		out, errs, code := hdseg(t, again...)
		b = buildResult{}
		if err := json.Unmarshal([]byte(out), &b); err != nil || code != exitSkips {
			t.Fatalf("got exit %d, %v and %s", code, err, errs)
		}
		i := slices.IndexFunc(b.Stages, func(s pipeline.StageReport) bool { return s.Name == "features" })
		if s := b.Stages[i]; s.UpToDate != done || s.Read-s.Done != 1 || !strings.Contains(out, `"no_array"`) || strings.Contains(out, "unreadable") {
			t.Errorf("features without %s: got %s, want one picture left out as no_array, up to date %t", missing, out, done)
		}
		if slices.ContainsFunc(b.Next, func(line string) bool { return strings.Contains(line, " train ") }) {
			t.Errorf("goes on with train, which stops without %s: %q", missing, b.Next)
		}
	}
}

// TestDenseTransfer lets transfer learn from arrays: its class model sees them, the manifest names them, and pictures without one are skips.
func TestDenseTransfer(t *testing.T) {
	manifest := drawn(t)
	dir := filepath.Dir(manifest)
	m, store := arrays(t, manifest, filepath.Join(dir, "..", "arrays"))
	gone := ""
	for i := range m.Records {
		if r := &m.Records[i]; r.Tier == manifests.BBox && r.Split == manifests.Train {
			gone = r.ID
		}
	}
	try(t, os.Remove(filepath.Join(dir, "..", "arrays", gone+".npy")))
	split := filepath.Join(dir, "stages", "split.yaml")
	before := read(t, manifest)
	out, _, code := hdseg(t, "transfer", split, "-o", manifest, "--dense", filepath.Join(dir, "..", "arrays"), "--by", "a net of ours", "--json")
	if code != exitSkips || !strings.Contains(out, `"no_array": 1`) {
		t.Errorf("got exit %d and %s, want a skip", code, out)
	}
	if made, _, err := manifests.Read(store, "horseseg"); err != nil || len(made.Skipped) == 0 || made.Skipped[len(made.Skipped)-1].Record != gone {
		t.Errorf("got skips %+v, %v, want one of %s", made.Skipped, err, gone)
	}
	after, err := os.ReadFile(manifest)
	if err != nil || bytes.Equal(before, after) {
		t.Errorf("arrays change nothing: %v", err)
	}
	settings := ""
	parts, err := filepath.Glob(filepath.Join(dir, "horseseg.d", "settings.*"))
	for _, name := range parts {
		data := read(t, name)
		settings += string(data)
	}
	if err != nil || !strings.Contains(settings, "by: a net of ours") {
		t.Errorf("the manifest does not name the arrays: %s", settings)
	}
	// The arrays of another data set make no manifest without masks, and where no mask is made they are refused.
	arraytest.WriteMask(t, filepath.Join(dir, "..", "foreign", "other.npy"), raster.NewMask(14, 14))
	_, errs, code := hdseg(t, "transfer", split, "-o", manifest, "--dense", filepath.Join(dir, "..", "foreign"))
	if still, err := os.ReadFile(manifest); code != exitError || !strings.Contains(errs, "foreign has an array of none of") || !bytes.Equal(still, after) {
		t.Errorf("got exit %d, %s, %v", code, errs, err)
	}
	says(t, exitError, "--evaluate: none: no such file or folder\n", "transfer", manifest, "-o", filepath.Join(dir, "x.yaml"), "--evaluate", "none")
	says(t, exitUsage, "--dense is for making masks", "transfer", manifest, "--evaluate", dir, "--dense", dir)
	says(t, exitUsage, "--dense is for a model", "view", manifest, "--dense", dir)
}

// TestFalseFigure tells what a model's false figure lies on, by masks with the numbers of other classes.
func TestFalseFigure(t *testing.T) {
	manifest := drawn(t)
	t.Chdir(t.TempDir())
	m, store := arrays(t, manifest, "arrays")
	must(t, "train", manifest, "--tiers", "manual", "--preset", "paper", "--terms", "unary", "-o", "horse.model")
	persons := 0
	for i := range m.Records {
		r := &m.Records[i]
		k, ok := r.MaskOf(manifests.Manual)
		if r.Split != manifests.Test || !ok {
			continue
		}
		mask, err := load.Mask(store, r, k)
		try(t, err)
		for p, v := range mask.Pix { // persons stand at the left, all else is nothing, but for a row that nobody knows
			switch x, y := p%mask.Width, p/mask.Width; {
			case v == raster.Figure:
				mask.Pix[p] = 13
			case y == 0:
				mask.Pix[p] = 255
			case x < 20:
				mask.Pix[p] = 15
				if v == raster.Ground {
					persons++
				}
			default:
				mask.Pix[p] = 0
			}
		}
		try(t, os.MkdirAll("labels", 0o777))
		try(t, os.WriteFile(filepath.Join("labels", r.ID+".png"), raster.PNG(&image.Gray{Pix: mask.Pix, Stride: mask.Width, Rect: image.Rect(0, 0, mask.Width, mask.Height)}), 0o666))
	}
	r := result[evaluateResult](t, "evaluate", manifest, "--model", "horse.model", "--labels", "labels", "--json")
	if len(r.FalseFigure) != 2 || len(r.Warnings) > 0 {
		t.Fatalf("got %+v, want persons and nothing named; warnings: %q", r.FalseFigure, r.Warnings)
	}
	of := 0.0
	for _, f := range r.FalseFigure {
		of += f.OfAll
		if f.Object == "person" && f.Pixels != persons || f.Object != "person" && f.Object != "nothing named" || f.False > f.Pixels || f.Share != float64(f.False)/float64(f.Pixels) {
			t.Errorf("got %+v, want %d pixels of persons", f, persons)
		}
	}
	if of < 0.999 || of > 1.001 {
		t.Errorf("the shares of all false figure add up to %g", of)
	}
	turned := filepath.Join("labels", firstOf(t, "labels"))
	whole, ok := openPNG(t, turned).(*image.Gray)
	if !ok {
		t.Fatal("labels are not gray")
	}
	odd := &image.Gray{Pix: bytes.Repeat([]byte{77}, len(whole.Pix)), Stride: whole.Stride, Rect: whole.Rect}
	try(t, os.WriteFile(turned, raster.PNG(odd), 0o666))
	if _, errs, code := hdseg(t, "evaluate", manifest, "--model", "horse.model", "--labels", "labels"); code != exitDone ||
		strings.Count(errs, "--labels labels: got label 77, want numbers of VOC classes: 0 to 20, and 255 for unknown\n") != 1 {
		t.Errorf("labels of no class: got exit %d and %q", code, errs)
	}
	must(t, "annotate", "export", manifest, "--format", "png", "-o", "plain", "--split", "test")
	if _, errs, _ := hdseg(t, "evaluate", manifest, "--model", "horse.model", "--labels", filepath.Join("plain", "masks")); !strings.Contains(errs, "got no object but the figure") {
		t.Errorf("masks of figure and ground: got %q", errs)
	}
	horse := &image.Gray{Pix: bytes.Repeat([]byte{13}, len(whole.Pix)), Stride: whole.Stride, Rect: whole.Rect}
	try(t, os.WriteFile(turned, raster.PNG(horse), 0o666))
	says(t, exitDone, "pixels of horse lie where the test masks have ground", "evaluate", manifest, "--model", "horse.model", "--labels", "labels")
	says(t, exitError, "--labels none: no such folder\n", "evaluate", manifest, "--model", "horse.model", "--labels", "none")
	says(t, exitUsage, "--preset network is with a network, --dense none without", "train", manifest, "--preset", "network", "--dense", "none", "-o", "x")
	says(t, exitError, "lite1: no such folder of arrays: the built-in network is named lite0\n", "train", manifest, "--dense", "lite1", "-o", "x")
	try(t, os.WriteFile(turned, raster.PNG(image.NewGray(image.Rect(0, 0, 7, 9))), 0o666))
	says(t, exitError, turned+": got 7 x 9 pixels, want those of the picture", "evaluate", manifest, "--model", "horse.model", "--labels", "labels")
	try(t, os.Remove(turned))
	also := filepath.Join("labels", firstOf(t, "labels"))
	try(t, os.Remove(also))
	want := "error: --labels labels: no such file for 2 of 3 pictures: " + filepath.Base(turned) + ", " + filepath.Base(also) + "\n"
	says(t, exitError, want, "evaluate", manifest, "--model", "horse.model", "--labels", "labels")
}

func firstOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatal(dir, "is empty", err)
	}
	return entries[0].Name()
}

// TestBuiltInNetwork trains and segments with the built-in network, which needs no files, alone and beside a folder.
func TestBuiltInNetwork(t *testing.T) {
	manifest := drawn(t)
	w, _ := world(t, false)
	t.Chdir(t.TempDir())
	arrays(t, manifest, "arrays")
	must(t, "train", manifest, "--dense", "lite0", "-o", "lite.model")
	must(t, "train", manifest, "--dense", "lite0", "--shard", "0/1", "-o", "all.stats")
	must(t, "train", "--statistics", "all.stats", "-o", "from.model")
	if !bytes.Equal(read(t, "from.model"), read(t, "lite.model")) {
		t.Error("statistics with the network give another model than their pictures")
	}
	model := new(lscrf.Model)
	try(t, readBinary("lite.model", "model", model))
	if d := model.Setup.Feature.Dense; model.Kind != lscrf.Linear || d == nil || d.Network != "lite0" || d.Channels != 432 || model.Cells == nil {
		t.Errorf("got a %s model with arrays %+v", model.Kind, d)
	}
	must(t, "segment", "--model", "lite.model", "-o", "out", filepath.Join(w.TestDir, "images"))
	must(t, "evaluate", manifest, "--model", "lite.model", "--dense", "lite0")
	says(t, exitUsage, "lite.model sees the built-in network alone: leave --dense out", "segment", "--model", "lite.model", "--dense", "arrays", "-o", "out", w.TestDir)
	must(t, "train", manifest, "--dense", "lite0+arrays", "--by", "us", "-o", "both.model")
	must(t, "evaluate", manifest, "--model", "both.model", "--dense", "lite0+arrays")
	says(t, exitError, "(1 channels, made by us): name their folder with --dense", "evaluate", manifest, "--model", "both.model", "--dense", "lite0")
	says(t, exitError, "no array lies there", "train", manifest, "--dense", "lite0+"+w.TestDir, "-o", "no.model")
}

// TestPersons trains on masks that tell where the ground shows persons: cells of a network learn them as a third label, from pictures and from
// statistics, and what is no run of pixels is refused.
func TestPersons(t *testing.T) {
	manifest := drawn(t)
	t.Chdir(t.TempDir())
	m, store := arrays(t, manifest, "arrays")
	write := func(persons func(r *manifests.Record) string) {
		t.Helper()
		for i := range m.Records {
			for j := range m.Records[i].Masks {
				m.Records[i].Masks[j].Persons = persons(&m.Records[i])
			}
		}
		if _, err := manifests.WriteListed(store, "horseseg", m); err != nil {
			t.Fatal(err)
		}
	}
	cells := func(name string, args ...string) []float64 {
		t.Helper()
		must(t, append([]string{"train", "-o", name, "--tiers", "manual"}, args...)...)
		model := new(lscrf.Model)
		try(t, readBinary(name, "model", model))
		if model.Cells == nil || model.Cells.Outputs != 3 {
			t.Fatalf("%s: got the cells %+v, want three labels", name, model.Cells)
		}
		return model.Cells.B
	}
	if b := cells("without.model", manifest, "--dense", "arrays"); b[2] != 0 {
		t.Errorf("without persons: got the constants %v", b)
	}
	write(func(r *manifests.Record) string { // in the left half
		half := r.Image.Width / 2 * r.Image.Height
		return format.RLE{Height: r.Image.Height, Width: r.Image.Width, Counts: []int{0, half, r.Image.Width*r.Image.Height - half}}.String()
	})
	told := cells("told.model", manifest, "--dense", "arrays")
	if told[2] < 0.5 { // and counting more than other ground
		t.Errorf("with persons: got the constants %v", told)
	}
	must(t, "train", manifest, "--dense", "arrays", "--shard", "0/1", "-o", "all.stats")
	if got := cells("from.model", "--statistics", "all.stats"); !slices.Equal(got, told) {
		t.Errorf("from statistics: got %v, want %v", got, told)
	}
	must(t, "check", manifest)
	write(func(*manifests.Record) string { return "~" })
	says(t, exitError, ": persons: rle: character 0: got '~', want '0'..'o'", "train", manifest, "--dense", "arrays", "-o", "bad.model")
}
