package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/annotate/campaign"
	"hdseg/configs"
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
	if err != nil {
		t.Fatal(err)
	}
	c, err := campaign.Open(store, "first", m, digest, campaign.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	model, err := os.ReadFile("horse.model")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(struct { // as training keeps it
		Model   []byte
		Seconds float64
	}{model, 2})
	if err == nil {
		err = os.WriteFile("kept", kept, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob(filepath.Join("out", "horseseg.d", "0000.*.yaml"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("got parts %v, %v, want one", parts, err)
	}
	madeFrom := "manifest with sha256 " + string(digest)
	for _, f := range []struct{ file, kind, fact, value string }{
		{manifest, "manifest", "  test manual", "3"},
		{parts[0], "part of a manifest", "manifest", manifest},
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
	} {
		name := f.file
		if f.kind == "model" || f.kind == "statistics" || f.kind == "feature file" {
			data, err := os.ReadFile(f.file)
			if err == nil {
				name = "renamed.txt"
				err = os.WriteFile(name, data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var r infoResult
		if err := json.Unmarshal([]byte(must(t, "info", name, "--json")), &r); err != nil {
			t.Fatal(err)
		}
		if r.Kind != f.kind || !slices.Contains(r.Facts, infoFact{f.fact, f.value}) {
			t.Errorf("%s: got %s with %v, want %s with %s: %s", f.file, r.Kind, r.Facts, f.kind, f.fact, f.value)
		}
		switch f.kind {
		case "model", "checkpoint":
			if !slices.ContainsFunc(r.Settings, func(c configs.Change) bool { return c.Path == "train.lambda" && c.Value == "3" && c.Default != "" }) {
				t.Errorf("%s: got settings %v, want train.lambda", f.file, r.Settings)
			}
		case "manifest":
			if want := []configs.Change{{Path: "transfer.pool.neighbors", Value: "21", Default: "30"}}; !slices.Equal(r.Settings, want) {
				t.Errorf("%s: got settings %v, want %v", f.file, r.Settings, want)
			}
		}
	}
	if err := os.WriteFile("notes.txt", []byte("hello"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("cut.model", model[:len(model)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"notes.txt": "feature folder", "cut.model": "looks like a model", "out": "name the manifest in it"} {
		if _, errs, code := hdseg(t, "info", name); code != exitError || !strings.Contains(errs, want) {
			t.Errorf("%s: got exit %d and %q, want %q", name, code, errs, want)
		}
	}
}
