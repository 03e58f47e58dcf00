package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// The flags of ingest on the faulty world: synsets left out and added, the limit of skips, the lists.
func TestIngestCommand(t *testing.T) {
	w, _ := world(t, true)
	sources := []string{"ingest", "-c", "horseseg", "--progress", "none", "--json", "--voc", w.VOCDir, "--imagenet", w.ImageNetTar,
		"--boxes", w.BoxesTar, "--test", w.TestDir, "-o"}
	run := func(code int, args ...string) (r ingestResult, stderr, out string) {
		t.Helper()
		out = filepath.Join(t.TempDir(), "out")
		stdout, stderr, got := hdseg(t, append(append(sources, out), args...)...)
		if got != code {
			t.Fatalf("%v: exit %d, want %d\n%s", args, got, code, stderr)
		}
		if stdout != "" {
			try(t, json.Unmarshal([]byte(stdout), &r))
		}
		return r, stderr, out
	}
	all, _, out := run(exitSkips)
	other := all.Other["other_class"]
	if all.Read != all.Done+all.Dropped+other || all.Dropped == 0 {
		t.Errorf("read %d, kept %d, dropped %d, of another class %d", all.Read, all.Done, all.Dropped, other)
	}
	skips := 0
	for _, n := range all.Skipped {
		skips += n
	}
	f, err := os.Open(filepath.Join(out, "stages", "ingest.skipped.csv"))
	try(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 1+skips || strings.Join(rows[0], ",") != "record,reason,detail" {
		t.Errorf("got %d rows, %v, want a head and %d", len(rows), err, skips)
	}
	for _, r := range rows[1:] {
		if all.Skipped[r[1]] == 0 || r[0] == "" || r[2] == "" {
			t.Errorf("got row %v", r)
		}
	}

	// Too many: exit 1, no manifest, but the list.
	for _, limit := range []string{"1%", "0.01"} {
		few, stderr, out := run(exitError, "--max-skip", limit)
		if _, err := os.Stat(filepath.Join(out, "stages", "ingest.yaml")); !os.IsNotExist(err) || few.Manifest != "" {
			t.Errorf("there is a manifest: %v", err)
		}
		if _, err := os.Stat(filepath.Join(out, "stages", "ingest.failed.skipped.csv")); err != nil || few.RestoredOf == nil || !strings.Contains(stderr, "want at most 1 %") {
			t.Errorf("got %v, %s", err, stderr)
		}
	}
	// Over an earlier run, all of which stays; the next that succeeds removes the lists.
	again := append(sources, out)
	before := filesIn(t, filepath.Join(out, "stages"))
	says(t, exitError, "of an earlier run", append(again, "--max-skip", "0")...)
	after := filesIn(t, filepath.Join(out, "stages"))
	if len(after) != len(before)+3 || after["ingest.failed.skipped.csv"] == "" {
		t.Errorf("got the files %v", slices.Sorted(maps.Keys(after)))
	}
	for name, data := range before {
		if after[name] != data {
			t.Errorf("%s is not that of the earlier run any more", name)
		}
	}
	if hdseg(t, again...); !maps.Equal(filesIn(t, filepath.Join(out, "stages")), before) {
		t.Errorf("got other files than after the first run: %v", slices.Sorted(maps.Keys(filesIn(t, filepath.Join(out, "stages")))))
	}
	run(exitSkips, "--max-skip", "100%")
	for _, none := range []string{"0", "0%"} {
		if _, stderr, _ := run(exitError, "--max-skip", none); !strings.Contains(stderr, "want at most 0 %") {
			t.Errorf("got %s", stderr)
		}
	}

	// The world's synset left out: no picture of ImageNet is left.
	none, _, _ := run(exitSkips, "--exclude", "n02374451")
	if none.Other["other_synset"] == 0 || none.Done >= all.Done {
		t.Errorf("got %v, kept %d of %d", none.Other, none.Done, all.Done)
	}
	if back, _, _ := run(exitSkips, "--synset", "n02374451"); back.Done != all.Done {
		t.Errorf("a synset that is there already: kept %d, want %d", back.Done, all.Done)
	}
	for _, bad := range [][]string{
		{"--exclude", "n00000000"}, {"--synset", "horse"}, {"--object", "best"}, {"--max-skip", "some"}, {"--max-skip", "101%"}, {"--max-skip", "1"}, {"--max-skip", "-1%"}, {"--max-skip", "nan"}, {"--coco", "x.json"},
	} {
		if _, stderr, _ := run(exitUsage, bad...); !strings.HasPrefix(stderr, "error: ") {
			t.Errorf("%v: got %q", bad, stderr)
		}
	}
	run(exitSkips, "--object", "union")
}

// Strays of a folder: named on the screen, all in a file, and exit code 3 only where something is lost.
func TestIngestStrays(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		try(t, os.MkdirAll(filepath.Dir(file), 0o777))
		try(t, os.WriteFile(file, data, 0o666))
	}
	var picture bytes.Buffer
	try(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 9, 7))))
	write("images/a.png", picture.Bytes())
	for i := range 7 {
		write(fmt.Sprintf("images/%d.txt", i), []byte("x"))
	}
	args := []string{"ingest", "-c", "horseseg", "--folder", dir, "--progress", "none", "-o", filepath.Join(t.TempDir(), "out")}
	stdout, stderr, code := hdseg(t, args...)
	if code != 0 || strings.Count(stdout, ".txt\n") != 5 || !strings.Contains(stdout, "... and 2 more") || !strings.Contains(stdout, "ingest.aside.csv") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	list, err := os.ReadFile(filepath.Join(args[len(args)-1], "stages", "ingest.aside.csv"))
	if err != nil || strings.Count(string(list), "\nother_file,") != 7 {
		t.Errorf("got %s, %v", list, err)
	}
	write("images/b.tif", []byte("II*\x00"))
	stdout, stderr, code = hdseg(t, args...)
	if code != exitSkips || !strings.Contains(stderr, "b: unsupported_picture: ") || !strings.Contains(stderr, "format TIFF") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

// An experiment without a class, as the one of scenes, says what reads its data instead.
func TestIngestWithoutClass(t *testing.T) {
	_, stderr, code := hdseg(t, "ingest", "-c", "stanford", "--stanford", t.TempDir(), "-o", filepath.Join(t.TempDir(), "out"))
	if code != exitUsage || !strings.Contains(stderr, "-c stanford names no class") || !strings.Contains(stderr, "hdseg bench -c stanford --scenes TREE") || !strings.Contains(stderr, "-c horseseg --stanford TREE") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// An index that is not YAML is a fault like the others.
func TestCheckNotYAML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	try(t, os.WriteFile(file, []byte("\tno: [yaml"), 0o666))
	stdout, stderr, code := hdseg(t, "check", file, "--json")
	var r checkResult
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != exitError || len(r.Faults) == 0 || r.Faults[0].Kind != "syntax" {
		t.Errorf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if stdout, _, code = hdseg(t, "check", filepath.Join(t.TempDir(), "none.yaml"), "--json"); code != exitError || !strings.Contains(stdout, "none.yaml: no such file or folder") {
		t.Errorf("no such file: exit %d, %s", code, stdout)
	}
}

// Rows of cases.csv whose data or commands are others than those of the tables of cases_test.go:
// records of one name in several folders, and paths of --coco with = and commas and ~.
func TestCasesOfPaths(t *testing.T) {
	dir, _ := sharedCases(t)
	t.Chdir(dir)
	src := "annotate-coco-same-name-in-folders"
	must(t, "ingest", "--folder", filepath.Join(src, "src"), "-o", "out")
	for file, want := range map[string]map[string]int{
		"only-x.json":    {"p0": 0, "x%2Fp0": 60 * 35, "y%2Fq0": 0},
		"instances.json": {"p0": 0, "x%2Fp0": 60 * 35, "y%2Fq0": 60 * 35},
	} {
		must(t, "annotate", "import", "out/stages/ingest.yaml", "--format", "coco", "--masks", filepath.Join(src, file), "--by", "A", "--at", "2026-01-01T00:00:00Z", "-o", "out/rev.yaml")
		_, m, _, err := manifests.ReadFile("out/rev.yaml")
		try(t, err)
		for i := range m.Records {
			k, _ := m.Records[i].MaskOf(manifests.Manual)
			if k.Figure != want[m.Records[i].ID] {
				t.Errorf("%s: %s has %d figure pixels, want %d", file, m.Records[i].ID, k.Figure, want[m.Records[i].ID])
			}
		}
		try(t, os.Remove("out/rev.yaml"))
	}
	for _, name := range []string{"a=b", "a,b"} {
		try(t, os.CopyFS(name, os.DirFS("coco-float-size")))
	}
	must(t, "ingest", "--coco", "a=b/instances.json=a=b/images", "-o", "equals")
	must(t, "ingest", "--coco", `"a,b/instances.json=a,b/images"`, "-o", "comma")
	for _, c := range []struct{ flag, value, want string }{
		{"--coco", "a,b/instances.json=a,b/images", "one that holds a comma is quoted twice"},
		{"--coco", "a=b/instances.json=~/images", "the shell leaves ~ as it is"},
		{"--folder", "~/src", "the shell leaves ~ as it is"},
		{"--folder", "a,b", `a name that holds one is quoted twice: '"a,b"'`},
		{"--folder", "png-rgb,", "the list has an empty name"},
	} {
		if _, errs, code := hdseg(t, "ingest", c.flag, c.value, "-o", "none"); code == exitDone || !strings.Contains(errs, c.want) {
			t.Errorf("%s %s: exit %d, %s, want %s", c.flag, c.value, code, errs, c.want)
		}
	}
}
