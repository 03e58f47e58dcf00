package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hdseg/lscrf/report"
)

// A build's own report, the report of a bench, the comparison of the two, and a study of the same data.
func TestReportCompareStudy(t *testing.T) {
	_, build := world(t, false)
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	must(t, append(build, "-o", out)...)
	manifest := filepath.Join(out, "horseseg.yaml")
	old := filepath.Join(out, "report", "bench.json")
	page, md := filepath.Join(dir, "bench.html"), filepath.Join(dir, "bench.md")
	var got benchResult
	if err := json.Unmarshal([]byte(must(t, "bench", "-i", manifest, "--set", "bench.samples=50", "--json", "--compare", old, "--html", page, "--markdown", md)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Changes == nil || len(got.Changes.Rows) != len(got.Rows)+len(got.OtherBalances) {
		t.Fatalf("compared with its own build: got %+v", got.Changes)
	}
	for _, c := range got.Changes.Rows {
		if c.Verdict != report.Unclear || c.Images != got.Oracle.TestImages || c.Difference.Difference.V != 0 {
			t.Errorf("%s: got %+v, want no change on all test images", c.A, c)
		}
	}
	for file, want := range map[string]string{page: "data:image/jpeg;base64,", md: "## What is better", filepath.Join(out, "report", "index.html"): "To make it again"} {
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s (%v) has no %q", filepath.Base(file), err, want)
		}
	}
	bench := func(flags ...string) map[string]any {
		return untimed(t, must(t, append([]string{"bench", "-i", manifest, "--json", "--set", "bench.samples=50"}, flags...)...))
	}
	table := bench()
	if again := bench("-j", "1"); !reflect.DeepEqual(again, table) {
		t.Error("two runs of a bench differ in more than their times")
	}
	// What a seed draws is the bootstrap and the permutations: intervals and p values, and nothing that was measured.
	seeded := bench("--set", "seed=5")
	if reflect.DeepEqual(seeded, table) {
		t.Error("another seed draws the same samples")
	}
	drawn := func(key string) bool {
		return strings.HasSuffix(key, "_ci") || key == "ci" || key == "p" || key == "p_holm" || key == "verdict"
	}
	if !reflect.DeepEqual(without(seeded, drawn), without(table, drawn)) {
		t.Error("another seed changes what is not drawn")
	}
	run := func() map[string]any {
		return untimed(t, must(t, "study", "-i", manifest, "--set", "bench.samples=50", "--folds", "3", "--draws", "2", "--json", "--html", page))
	}
	first := run()
	if curves, _ := first["curves"].([]any); first["weights"] == nil || len(curves) == 0 {
		t.Errorf("the study has neither weights nor curves: %v", first)
	}
	if again := run(); !reflect.DeepEqual(again, first) {
		t.Error("two runs of a study differ in more than their times")
	}
	if data, err := os.ReadFile(page); err != nil || !strings.Contains(string(data), "<svg") {
		t.Errorf("the study's page (%v) has no plot", err)
	}
	if err := os.WriteFile(md, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := hdseg(t, "bench", "-i", manifest, "--compare", md); code != exitError || !strings.Contains(errs, "holds no rows") {
		t.Errorf("compared with an empty table: got exit %d and %q", code, errs)
	}
}

// untimed reads the JSON of a command and leaves its times out.
func untimed(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	times := map[string]bool{"seconds": true, "cpu_seconds": true, "part_seconds": true, "train_seconds": true, "predict_ms": true, "predict_ms_ci": true}
	return without(v, func(key string) bool { return times[key] }).(map[string]any)
}

// without returns a copy of what JSON holds that lacks some keys.
func without(v any, leave func(key string) bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if !leave(k) {
				out[k] = without(e, leave)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = without(e, leave)
		}
		return out
	}
	return v
}
