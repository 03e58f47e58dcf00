package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hdseg/annotate/campaign"
	"hdseg/configs"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

// Every kind of file is known by its bytes, under any name.
func TestInfo(t *testing.T) {
	_, build := world(t, false)
	t.Chdir(t.TempDir())
	must(t, append(build, "-o", "out", "--set", "transfer.pool.neighbors=21")...)
	manifest := filepath.Join("out", "horseseg.yaml")
	must(t, "train", manifest, "--tiers", "manual", "--model", "linear", "--terms", "unary", "--set", "train.lambda=3", "-o", "horse.model")
	must(t, "train", manifest, "--shard", "0/2", "-o", "horse.stats")
	store, m, digest, err := manifests.ReadFile(manifest)
	try(t, err)
	c, err := campaign.Open(store, "first", m, digest, campaign.Options{})
	try(t, err)
	c.Close()
	model := read(t, "horse.model")
	kept, err := json.Marshal(struct { // as training keeps it
		Model   []byte
		Seconds float64
	}{model, 2})
	if err == nil {
		err = os.WriteFile("kept", kept, 0o666)
	}
	try(t, err)
	must(t, "init", "zebra")
	try(t, os.WriteFile("boxes.csv", []byte("image,xmin,ymin,xmax,ymax\na.jpg,0,0,9,9\n"), 0o666))
	madeFrom := "manifest with sha256 " + string(digest)
	for _, f := range []struct{ file, kind, fact, value string }{
		{manifest, "manifest", "  test manual", "3"},
		{one(t, filepath.Join("out", "horseseg.d", "0000.*.yaml")), "part of a manifest", "manifest", manifest},
		{"horse.model", "model", "made from", madeFrom},
		{"horse.model", "model", "model", "linear, unary"},
		{"horse.stats", "statistics", "shards", "0/2"},
		{"horse.stats", "statistics", "made from", madeFrom},
		{"kept", "checkpoint", "made from", madeFrom},
		{filepath.Join("out", "features", "0000.arrow"), "feature file", "images", "15"},
		{filepath.Join("out", "features"), "feature folder", "images", "15"},
		{filepath.Join("out", "horseseg.run.yaml"), "run record", "models", "20"},
		{filepath.Join("out", "report", "bench.json"), "results table", "rows", "20"},
		{filepath.Join("out", "annotate", "first"), "campaign folder", "data set", "horseseg"},
		{filepath.Join("out", "report", "evaluation.json"), "evaluation of models", "models", "20"},
		{filepath.Join("out", "report", "index.html"), "report", "bytes", size(t, filepath.Join("out", "report", "index.html"))},
		{filepath.Join("out", "report", "bench.csv"), "table as CSV", "rows", "21"},
		{filepath.Join("out", "SHA256SUMS"), "list of checksums", "files", strconv.Itoa(strings.Count(string(read(t, filepath.Join("out", "SHA256SUMS"))), "\n"))},
		{filepath.Join("out", "stages", "ingest.skipped.csv"), "list of skipped records", "columns", "record, reason, detail"},
		{filepath.Join("out", "stages", "ingest.duplicates.csv"), "list of duplicates", "columns", "record, of, bits"},
		{filepath.Join("out", "stages", "ingest.aside.csv"), "list of files left aside", "columns", "code, file"},
		{one(t, filepath.Join("out", "horseseg.d", "settings.*.yaml")), "settings of a manifest", "stage", "transfer"},
		{one(t, filepath.Join("out", "stages", "ingest.d", "settings.*.yaml")), "settings of a manifest", "manifest", filepath.Join("out", "stages", "ingest.yaml")},
		{"zebra.yaml", "config", "class", "zebra"},
		{"boxes.csv", "table of boxes", "rows", "1"},
	} {
		name := f.file
		if f.kind == "model" || f.kind == "statistics" || f.kind == "feature file" {
			name = "renamed.txt"
			try(t, os.WriteFile(name, read(t, f.file), 0o666))
		}
		r := result[infoResult](t, "info", name, "--json")
		if r.Kind != f.kind || !slices.Contains(r.Facts, report.Fact{Name: f.fact, Value: f.value}) {
			t.Errorf("%s: got %s with %v, want %s with %s: %s", f.file, r.Kind, r.Facts, f.kind, f.fact, f.value)
		}
		switch f.kind {
		case "model", "checkpoint":
			if !slices.ContainsFunc(r.Settings, func(c configs.Change) bool { return c.Path == "train.lambda" && c.Value == "3" && c.Default != "" }) {
				t.Errorf("%s: got settings %v, want train.lambda", f.file, r.Settings)
			}
		case "config":
			if want := (configs.Change{Path: "testShare", Value: "0.2", Default: "0"}); !slices.Contains(r.Settings, want) {
				t.Errorf("%s: got settings %v, want %v", f.file, r.Settings, want)
			}
		case "manifest":
			if want := []configs.Change{{Path: "transfer.pool.neighbors", Value: "21", Default: "30"}}; !slices.Equal(r.Settings, want) {
				t.Errorf("%s: got settings %v, want %v", f.file, r.Settings, want)
			}
		}
	}
	try(t, os.WriteFile("notes.txt", []byte("hello"), 0o666))
	try(t, os.WriteFile("cut.model", model[:len(model)-1], 0o666))
	wrongKinds(t, manifest)
	for name, want := range map[string]string{"notes.txt": "feature folder", "cut.model": "looks like a model", "out": "name the manifest in it"} {
		says(t, exitError, want, "info", name)
	}
}

// A file of the wrong kind, or none, is refused in the same words by every command: what it is, and what was wanted.
func wrongKinds(t *testing.T, manifest string) {
	t.Helper()
	record := filepath.Join("out", "horseseg.run.yaml")
	settings := one(t, filepath.Join("out", "horseseg.d", "settings.*.yaml"))
	table := filepath.Join("out", "report", "bench.json")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stats", "horse.model"}, "horse.model: is a model, want a manifest"},
		{[]string{"check", "horse.stats"}, "horse.stats: is statistics, want a manifest"},
		{[]string{"diff", manifest, "zebra.yaml"}, "zebra.yaml: is a config, want a manifest"},
		{[]string{"export", record, "--format", "coco", "-o", "x"}, record + ": is a run record, want a manifest: " + manifest},
		{[]string{"why", "a", settings}, settings + ": is settings of a manifest, want a manifest: " + manifest},
		{[]string{"shard", table, "-o", "x"}, table + ": is a results table, want a manifest"},
		{[]string{"push", "zebra.yaml", "s3://a/b"}, "zebra.yaml: is a config, want a manifest"},
		{[]string{"evaluate", manifest, "--model", manifest}, manifest + ": is a manifest, want a model"},
		{[]string{"segment", "--model", "horse.stats", "-o", "m", "x.jpg"}, "horse.stats: is statistics, want a model"},
		{[]string{"segment", "--model", "out", "-o", "m", "x.jpg"}, "out: is a folder, want a model"},
		{[]string{"view", manifest, "--model", record}, record + ": is a run record, want a model"},
		{[]string{"merge", "horse.model", "-o", "x"}, "horse.model: is a model, want statistics"},
		{[]string{"bench", "--join", manifest}, manifest + ": is a manifest, want a results table"},
		{[]string{"build", "-c", manifest, "-o", "x"}, manifest + ": is a manifest, want a config: hdseg init writes one"},
		{[]string{"stats", "no.yaml"}, "no.yaml: no such file or folder: want a manifest"},
		{[]string{"evaluate", manifest, "--model", "no.model"}, "no.model: no such file or folder: want a model"},
		{[]string{"merge", "no.stats", "-o", "x"}, "no.stats: no such file or folder: want statistics"},
		{[]string{"info", "no"}, "no: no such file or folder"},
		{[]string{"push", "no", "s3://a/b"}, "no: no such file or folder"},
		{[]string{"evaluate", "--model", "horse.model", "--test", "no"}, "--test no: no such file or folder"},
		{[]string{"annotate", "serve", manifest, "--keys", "no"}, "no: no such file or folder"},
	} {
		says(t, exitError, "error: "+c.want+"\n", c.args...)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	try(t, err)
	return data
}

func size(t *testing.T, file string) string { return strconv.Itoa(len(read(t, file))) }

// one returns the file that fits a pattern.
func one(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: got %v, %v, want one file", pattern, files, err)
	}
	return files[0]
}
