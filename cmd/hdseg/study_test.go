package main

import (
	"encoding/json"
	"os"
	"path/filepath"
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
	run := func() string {
		var r map[string]any
		if err := json.Unmarshal([]byte(must(t, "study", "-i", manifest, "--set", "bench.samples=50", "--folds", "3", "--draws", "2", "--json", "--html", page)), &r); err != nil {
			t.Fatal(err)
		}
		for _, times := range []string{"seconds", "cpu_seconds", "part_seconds"} {
			delete(r, times)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := run()
	if !strings.Contains(first, `"against_best"`) || !strings.Contains(first, `"curves":[{`) {
		t.Errorf("the study has neither weights nor curves: %.300s", first)
	}
	if again := run(); again != first {
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
