package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests/format"
)

// A folder that is called as a built-in config is not taken for it: with or without -c, and twice
// into that folder.
func TestFolderIsNoConfig(t *testing.T) {
	w, _ := world(t, false)
	t.Chdir(t.TempDir())
	args := []string{"build", "--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar, "--test", w.TestDir, "-o", "horseseg",
		"--set", "bench.samples=50"}
	first := must(t, args...)
	if again := must(t, append(args, "-c", "horseseg")...); strings.Count(again, " up to date: ") != 7 {
		t.Errorf("the second build into the folder horseseg did work:\n%s\nafter\n%s", again, first)
	}
	for _, args := range [][]string{{"train", "horseseg/horseseg.yaml", "--preset", "paper", "-o", "m.model"},
		{"features", "horseseg/horseseg.yaml"}, {"build", "--dry-run"}} {
		must(t, args...)
	}
	try(t, os.Mkdir("mine", 0o777))
	says(t, exitError, "mine: is a folder, want a YAML file", "build", "-c", "mine", "--dry-run")
}

// A folder may have any name, also one that is no good pattern.
func TestFolderOfAnyName(t *testing.T) {
	t.Chdir(t.TempDir())
	ownFolder(t, "pets", 2)
	args := []string{"build", "-c", "pets.yaml", "--folder", "pets", "-o", "out[1", "--set", "bench.samples=50"}
	must(t, args...)
	if again := must(t, args...); strings.Count(again, " up to date: ") != 7 {
		t.Errorf("the second build did work:\n%s", again)
	}
	must(t, "check", "out[1/pets.yaml")
	model := filepath.Join("out[1", "models", "paper", "manual-linear-pairwise.model")
	if _, errs, code := hdseg(t, "evaluate", "out[1/pets.yaml", "--model", model); code != exitDone || strings.Contains(errs, "it is not known") {
		t.Errorf("evaluate: exit %d, %s", code, errs)
	}
	says(t, exitError, "name the manifest in it, out[1/pets.yaml", "check", "out[1")
}

// What a stage of a build skips is said when the stage ends, once, before the next one begins.
func TestSkipsAreSaidAtOnce(t *testing.T) {
	w, _ := world(t, true)
	t.Chdir(t.TempDir())
	t.Setenv("HDSEG_TEST_MAIN", "small") // shows every phase
	out, errs, code := hdseg(t, "build", "--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar, "--test", w.TestDir,
		"-o", "out", "--set", "bench.samples=50", "--json")
	var r struct {
		Skipped  map[string]int
		Warnings []string
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitSkips {
		t.Fatalf("exit %d, %v:\n%s", code, err, errs)
	}
	lines := strings.Split(errs, "\n")
	at := func(prefix string) int {
		return slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, prefix) })
	}
	skip, stage, next := at("skipped: "), at("ingest    "), at("stage 3 of 7: ")
	if stage < 0 || skip != stage+1 || next < skip {
		t.Errorf("the stage is told in line %d, its skips from line %d, the next phase in line %d:\n%s", stage, skip, next, errs)
	}
	total := 0
	for _, n := range r.Skipped {
		total += n
	}
	list, err := os.ReadFile(filepath.Join("out", "stages", "ingest.skipped.csv"))
	if err != nil || total < 5 || total < strings.Count(string(list), "\n")-1 {
		t.Errorf("JSON counts %d skips, the list has %d lines, %v", total, strings.Count(string(list), "\n"), err)
	}
	for _, l := range append(r.Warnings, "skipped: ") {
		if n := strings.Count(errs, l); n != 1 && l != "skipped: " {
			t.Errorf("%q was said %d times", l, n)
		}
	}
}

// Without a mask that a person drew, build trains nothing, prints no table of dashes, and train says the same: not to
// train on guesses, and not to hold out what the config holds out already.
func TestNothingToLearnFrom(t *testing.T) {
	t.Chdir(t.TempDir())
	ownFolder(t, "pets", 9)
	out, errs, code := hdseg(t, "build", "-c", "pets.yaml", "--folder", "pets", "-o", "out", "--set", "bench.samples=50")
	if code != exitSkips || !strings.Contains(errs, nothingToLearn) || strings.Contains(errs, "--test-share") || strings.Contains(errs, "without a ground") {
		t.Errorf("build: exit %d\n%s", code, errs)
	}
	if strings.Contains(out, "(-; -)") || !strings.Contains(out, "0 models") || !strings.Contains(out, "pets: no scores: no test picture could be measured") {
		t.Errorf("build prints scores or trains:\n%s", out)
	}
	if _, errs, code := hdseg(t, "train", "out/pets.yaml", "-o", "x.model"); code != exitError || !strings.Contains(errs, nothingToLearn) || strings.Contains(errs, "--tiers") {
		t.Errorf("train: exit %d\n%s", code, errs)
	}
}

// A data set that was moved is built again where it lies, and one whose later build was killed says so.
func TestCheckSaysWhereToBuildAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	ownFolder(t, "pets", 0)
	args := []string{"build", "-c", "pets.yaml", "--folder", "pets", "--set", "bench.samples=50", "-o", "first"}
	must(t, args...)
	try(t, os.Rename("first", "it's moved"))
	images := found(t, "it's moved/images/*/*")
	try(t, os.Remove(images[0]))
	out, errs, code := hdseg(t, "check", "it's moved/pets.yaml")
	if want := `run again: hdseg build -c pets.yaml --folder pets --set bench.samples=50 -o 'it'\''s moved'` + "\n"; code != exitError || !strings.Contains(out, want) ||
		!strings.Contains(errs, "pets.yaml: 1 fault\n") {
		t.Errorf("check: exit %d, want %q in\n%s%s", code, want, out, errs)
	}
	here, err := os.Getwd()
	try(t, err)
	for _, c := range [][3]string{{"hdseg build -o 'a b' --x", "", "hdseg build -o new --x"}, {"hdseg build --out=a", here, "hdseg build -o new"},
		{"hdseg build -ob --json -j 2", "/not there", "hdseg build -o " + filepath.Join(here, "new") + " -j 2"}, {"hdseg demo -o a", "", ""}, {"", "", ""},
		{"hdseg build -o a --json", filepath.Dir(here), "(cd .. && hdseg build -o " + format.Shell(filepath.Base(here)+"/new") + ")"}} {
		if got := rebuild(c[0], c[1], "new"); got != c[2] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[2])
		}
	}
	for _, c := range [][2]string{{"hdseg demo -o a", "hdseg demo -o x"}, {"hdseg demo", "hdseg demo -o x"}} {
		if got := rebuild(c[0], "", "x/dataset"); got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
	// what a build leaves that was killed after its first stages
	must(t, append(args[:len(args)-1], "second", "--set", "seed=7")...)
	for _, name := range []string{"ingest", "split"} {
		try(t, os.Rename("it's moved/stages/"+name+".yaml", name+".old"))
		try(t, os.WriteFile("it's moved/stages/"+name+".yaml", read(t, "second/stages/"+name+".yaml"), 0o666))
	}
	if out, _, code := hdseg(t, "check", "it's moved/pets.yaml"); code != exitError || !strings.Contains(out, ": a later build into this folder was not finished: run it again") {
		t.Errorf("check after a killed build: exit %d\n%s", code, out)
	}
}

// A wrong value is told with the flag as it was typed, all that is allowed, and the near one; a wrong file with what it is.
func TestErrorsNameTheFlagAndTheFile(t *testing.T) {
	manifest := drawn(t)
	t.Chdir(t.TempDir())
	try(t, os.MkdirAll("test/horse/images", 0o777))
	try(t, os.Mkdir("alone", 0o777))
	for name, data := range map[string][]byte{"SOURCES.csv": []byte("file,license\na.jpg,cc0\n"), "alone/horseseg.yaml": read(t, manifest)} {
		try(t, os.WriteFile(name, data, 0o666))
	}
	first := started(t, "view", "view", manifest, "--listen", "127.0.0.1:0")
	defer first.kill()
	for _, c := range []struct {
		want string
		code int
		args []string
	}{
		{"--model \"tree\": want one of linear, trees, logistic, piecewise, pseudolikelihood; did you mean trees?\n", exitUsage, []string{"train", manifest, "--model", "tree", "-o", "x"}},
		{"--terms \"unry\": want one of unary, pairwise; did you mean unary?\n", exitUsage, []string{"bench", manifest, "--terms", "unry"}},
		{"--balance \"papr\": want one of paper, none; did you mean paper?\n", exitUsage, []string{"bench", manifest, "--balance", "papr"}},
		{"error: --progress \"\": want one of auto, bar, text, none\n", exitUsage, []string{"stats", manifest, "--progress="}},
		{"--format \"\": want one of png, labelme, coco, cvat\n", exitUsage, []string{"annotate", "export", manifest, "--format=", "-o", "x"}},
		{"--format \"\": want one of png, labelme, coco, cvat\n", exitUsage, []string{"annotate", "import", manifest, "--format=", "--masks", "x", "--by", "Ann", "--at", "2026-03-04T05:06:07Z", "-o", "x"}},
		{"--format \"\": want one of hdseg, coco, voc, imagefolder, croissant\n", exitUsage, []string{"export", manifest, "--format=", "-o", "x"}},
		{"--splits \"\": want one of train, test\n", exitUsage, []string{"export", manifest, "--splits", "train,", "-o", "x"}},
		{"--split \"tain\": want one of train, test; did you mean train?\n", exitUsage, []string{"annotate", "export", manifest, "--split", "tain", "-o", "x"}},
		{"--round \"box\": want one of bbox, label; did you mean bbox?\n", exitUsage, []string{"transfer", manifest, "--round", "box", "-o", "x"}},
		{"--model \"\": want one of linear, ", exitUsage, []string{"bench", manifest, "--model", "linear,"}},
		{"--tiers none: none is the tier of images without masks: want manual, bbox, label or external:NAME\n", exitUsage, []string{"bench", manifest, "--tiers", "none"}},
		{"--tiers manul: manul is none of manual, bbox, label and external:NAME; did you mean manual?\n", exitUsage, []string{"bench", manifest, "--tiers", "manul"}},
		{"--tiers bbox,bbox: bbox is repeated: name it once", exitUsage, []string{"bench", manifest, "--tiers", "bbox,bbox"}},
		{"train.trees.trees: got 0, want at least 1\n", exitUsage, []string{"train", manifest, "--model", "trees", "--set", "train.trees.trees=0", "-o", "x"}},
		{"SOURCES.csv: is no manifest: got a text file with the ending .csv, want a YAML file such as out/horseseg.yaml\n", exitError, []string{"stats", "SOURCES.csv"}},
		{"test/horse: is a folder without a manifest: name one, such as out/horseseg.yaml", exitError, []string{"check", "test/horse"}},
		{"alone/horseseg.yaml was copied alone: it needs the files of its data set beside it", exitError, []string{"stats", "alone/horseseg.yaml"}},
		{"the address is in use, perhaps by another hdseg: end that one, or give --listen 127.0.0.1:0", exitError, []string{"view", manifest, "--listen", "127.0.0.1:" + first.port()}},
		{"hdseg info: got 2 arguments, want FILE", exitUsage, []string{"info", "a", "b"}},
		{"hdseg diff: got 1 argument, want A B", exitUsage, []string{"diff", "a"}},
		{"hdseg --json: the command is missing", exitUsage, []string{"--json"}},
	} {
		out, errs, code := hdseg(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d and %q, want %q", c.args, code, errs, c.want)
		}
		if c.args[0] == "--json" && !json.Valid([]byte(out)) {
			t.Errorf("--json alone prints no JSON:\n%s", out)
		}
	}
	if out := must(t, "__complete", "build", "--from", ""); !strings.HasPrefix(out, "ingest\nsplit\ntransfer\nfeatures\n") {
		t.Errorf("--from completes to\n%s", out)
	}
}

// A mask that is no mask of figure and ground says what its values look like, and a sound JPEG is not called damaged.
func TestMasksSayWhatTheyAre(t *testing.T) {
	t.Chdir(t.TempDir())
	ownFolder(t, "pets", 0)
	masks, err := filepath.Glob("pets/masks/*.png")
	if err != nil || len(masks) != 9 {
		t.Fatalf("got %v, %v", masks, err)
	}
	soft, voc := image.NewGray(image.Rect(0, 0, 8, 8)), image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range soft.Pix {
		soft.Pix[i] = uint8(i * 255 / 63)
	}
	voc.Pix[3], voc.Pix[4] = 13, 255
	for i, mask := range []image.Image{soft, voc, soft} {
		var b bytes.Buffer
		name := masks[i]
		if i < 2 {
			err = png.Encode(&b, mask)
		} else {
			name, err = strings.TrimSuffix(name, ".png")+".jpg", errors.Join(jpeg.Encode(&b, mask, nil), os.Remove(name))
		}
		if err = errors.Join(err, os.WriteFile(name, b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	_, errs, _ := hdseg(t, "ingest", "-c", "pets.yaml", "--test", "pets", "-o", "out", "--max-skip", "100%")
	for _, want := range []string{
		": bad_mask_values: pets/masks/" + filepath.Base(masks[0]) + ": mask: got values [0 4 8] and 61 more, want 0 and 1, 0 and 255, or these with void; soft edges have such values: threshold the mask at 128\n",
		": bad_mask_values: pets/masks/" + filepath.Base(masks[1]) + ": mask: got values [0 13 255], want 0 and 1, 0 and 255, or these with void; these look like numbers of classes, as VOC has: read them with --voc, or put a label map (labelmap.txt) beside the masks\n",
		": lossy_mask: pets/masks/",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q in\n%s", want, errs)
		}
	}
}

// What a newcomer gets wrong is refused with what is meant, before anything is written.
func TestNewcomersMistakes(t *testing.T) {
	_, build := world(t, false)
	photos := filepath.Join(t.TempDir(), "photos")
	try(t, os.MkdirAll(photos, 0o777))
	try(t, os.WriteFile(filepath.Join(photos, "a.jpg"), []byte("mine"), 0o666))
	says(t, exitError, "holds files that are no data set (a.jpg)", append(build[:len(build):len(build)], "-o", photos)...)
	if all, err := os.ReadDir(photos); err != nil || len(all) != 1 {
		t.Errorf("the folder of photos holds %v, %v, want what was there alone", all, err)
	}
	for args, want := range map[string]string{
		"annotate serv x.yaml":                        "did you mean serve?",
		"help trian":                                  "did you mean train?",
		"help setings":                                "did you mean settings?",
		"export x.yaml --format coc -o y":             `--format "coc": want one of`,
		"build --folder x -o y --from trnsfer":        "did you mean transfer?",
		"annotate export x.yaml --format labelm -o y": "did you mean labelme?",
	} {
		says(t, exitUsage, want, strings.Fields(args)...)
	}
}
