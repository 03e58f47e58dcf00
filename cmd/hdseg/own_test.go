package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/cmd/internal/demo"
	"hdseg/lscrf"
)

// ownFolder draws a folder of a class of one's own, 9 pictures with masks, into the working folder, with the config that init writes
// for it, and takes the masks of the first n pictures away.
func ownFolder(t *testing.T, name string, n int) {
	t.Helper()
	o := small
	o.Manual, o.Boxes, o.Labels, o.Tests = 1, 1, 1, 9
	w, err := demo.Draw(t.TempDir(), o, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(name, os.DirFS(w.TestDir)); err != nil {
		t.Fatal(err)
	}
	masks, err := filepath.Glob(filepath.Join(name, "masks", "*"))
	if err != nil || len(masks) != 9 {
		t.Fatalf("drew %d masks (%v), want 9", len(masks), err)
	}
	for _, m := range masks[:n] {
		if err := os.Remove(m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(name + ".yaml"); err != nil {
		must(t, "init", name)
	}
}

// The table of a data set has the mixes of the tiers that it has, and no line about others; a mix that was chosen and has no row is
// said in one line.
func TestTableHasTheTiersOfTheDataSet(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		maskless int
		want     string // mixes of the rows and their images; a fifth of the pictures with masks is the test split
	}{
		"labels": {4, "manual 4, manual,label 8, label 4"},
		"manual": {0, "manual 7"},
	} {
		ownFolder(t, name, c.maskless)
		var b buildResult
		args := []string{"build", "-c", name + ".yaml", "--folder", name, "-o", name + "-out", "--set", "bench.samples=50", "--set", "bench.balances=[paper]", "--set", "bench.terms=[unary]"}
		if err := json.Unmarshal([]byte(must(t, append(args, "--json")...)), &b); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range b.Rows {
			got = append(got, lscrf.Mix(r.Tiers).Key()+" "+string(rune('0'+r.Images)))
		}
		if rows := strings.Join(got, ", "); rows != c.want {
			t.Errorf("%s: got the rows %s, want %s", name, rows, c.want)
		}
		if said := must(t, args...); strings.Contains(said, "no row for") {
			t.Errorf("%s: got\n%s", name, said)
		}
		said := must(t, "bench", b.Manifest, "--tiers", "manual;manual,bbox;bbox", "--terms", "unary", "--balance", "paper")
		if line := name + ": no row for manual + bbox; bbox: each tier of a mix needs training images with masks"; !strings.Contains(said, line) || strings.Count(said, "no row") != 1 {
			t.Errorf("%s: got\n%s\nwant one line with %q", name, said, line)
		}
	}
}
