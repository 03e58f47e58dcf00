package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	if err := os.Mkdir("mine", 0o777); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := hdseg(t, "build", "-c", "mine", "--dry-run"); code != exitError || !strings.Contains(errs, "mine: is a folder, want a YAML file") {
		t.Errorf("-c with a folder: exit %d, %q", code, errs)
	}
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
	if strings.Contains(out, "(-; -)") || !strings.Contains(out, "0 models") || !strings.Contains(out, "pets: no scores: no test picture has a mask") {
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
	if err := os.Rename("first", "it's moved"); err != nil {
		t.Fatal(err)
	}
	images, err := filepath.Glob("it's moved/images/*/*")
	if err != nil || len(images) == 0 {
		t.Fatalf("got %v, %v", images, err)
	}
	if err := os.Remove(images[0]); err != nil {
		t.Fatal(err)
	}
	out, errs, code := hdseg(t, "check", "it's moved/pets.yaml")
	if want := `run again: hdseg build -c pets.yaml --folder pets --set bench.samples=50 -o 'it'\''s moved'` + "\n"; code != exitError || !strings.Contains(out, want) ||
		!strings.Contains(errs, "pets.yaml: 1 fault\n") {
		t.Errorf("check: exit %d, want %q in\n%s%s", code, want, out, errs)
	}
	for _, c := range [][2]string{{"hdseg build -o 'a b' --x", "hdseg build -o new --x"}, {"hdseg build --out=a", "hdseg build -o new"}, {"hdseg build -ob -j 2", "hdseg build -o new -j 2"},
		{"hdseg demo -o a", "hdseg demo -o a"}, {"", ""}} {
		if got := buildInto(c[0], "new"); got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
	// what a build leaves that was killed after its first stages
	must(t, append(args[:len(args)-1], "second", "--set", "seed=7")...)
	for _, name := range []string{"ingest", "split"} {
		if err := os.Rename("it's moved/stages/"+name+".yaml", name+".old"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("it's moved/stages/"+name+".yaml", read(t, "second/stages/"+name+".yaml"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, _, code := hdseg(t, "check", "it's moved/pets.yaml"); code != exitError || !strings.Contains(out, ": a later build into this folder was not finished: run it again") {
		t.Errorf("check after a killed build: exit %d\n%s", code, out)
	}
}
