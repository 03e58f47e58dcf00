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
