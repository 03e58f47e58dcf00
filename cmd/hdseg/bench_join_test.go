package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// writeTable writes the JSON of a bench of one manual row, two test images and some settings.
func writeTable(t *testing.T, name, class, model, settings string) {
	t.Helper()
	score := func(right int64) *bench.Score {
		s := &bench.Score{Labels: 2}
		for i := range int64(2) {
			c := metric.NewConfusion(2)
			c.N = []int64{right + i, 100 - right - i, 0, 100 - right, right, 0}
			s.Images, s.Boundary = append(s.Images, c), append(s.Boundary, metric.Of(0.5))
		}
		return s
	}
	o := bench.Defaults()
	o.Tiers, o.Samples = []string{"manual"}, 20
	m := bench.Measured{Spec: lscrf.Spec{Tiers: lscrf.Mix{"manual"}, Model: model, Terms: lscrf.Unary, Balance: "paper"}, Images: 147, TrainSeconds: 3, Score: score(80)}
	b, err := bench.NewTable(t.Context(), class, []string{"a", "b"}, o.Specs(), []bench.Measured{m}, score(95), o.Samples, 1)
	try(t, err)
	data, err := json.Marshal(&benchResult{summary: newSummary("bench"), Table: pipeline.Table{Table: b, Settings: settings}})
	try(t, err)
	try(t, os.WriteFile(name, data, 0o666))
}

// Two runs of one class and one of another stand in one table, with the settings that differ; what is no table, and flags that
// would be without effect, are refused.
func TestBenchJoin(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTable(t, "linear.json", "horse", lscrf.Linear, "dataset: x\nclass: {name: horse}\nfeature: {set: draft}\n")
	writeTable(t, "trees.json", "horse", lscrf.Trees, "dataset: x\nclass: {name: horse}\nfeature: {set: saliency}\n")
	writeTable(t, "dog.json", "dog", lscrf.Linear, "")
	text := must(t, "bench", "--join", "linear.json", "trees.json", "dog.json", "--html", "all.html", "--markdown", "all.md", "--csv", "all.csv")
	for _, want := range []string{"horse unary", "dog unary", "  linear                      80.2 (80.2; 0.669)", "147 images, 3s", "feature.set  draft", "corrected after Holm for all 1 comparisons of this list", "trees minus linear"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for file, want := range map[string]string{"all.html": "What annotation is worth: horse, dog", "all.md": "| (a) manual | trees |", "all.csv": "dog,manual,linear,unary,paper,147"} {
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s (%v) has no %q", file, err, want)
		}
	}
	var got joinResult
	if err := json.Unmarshal([]byte(must(t, "bench", "--json", "--join", "linear.json", "trees.json")), &got); err != nil || len(got.Tables) != 1 || len(got.Tables[0].Rows) != 2 || len(got.Differences) != 1 {
		t.Errorf("JSON: got %v, %+v", err, got)
	}
	writeTable(t, "many.json", "horse", lscrf.Trees, "dataset: x\nclass: {name: horse}\nbench: {samples: 2000000000}\n")
	whole := read(t, "trees.json")
	for name, change := range map[string][2]string{"score.json": {`"per_class_pooled":80.25`, `"per_class_pooled":99.9`}, "class.json": {`"class":"horse","tiers":["manual"]`, `"class":"dog","tiers":["manual"]`}} {
		other := strings.Replace(string(whole), change[0], change[1], 1)
		if err := os.WriteFile(name, []byte(other), 0o666); err != nil || other == string(whole) {
			t.Fatal(name, err)
		}
	}
	for name, text := range map[string]string{"empty.json": "", "list.json": "[]", "other.json": "{}", "scenes.json": `{"folds_file": "f", "rows": [{}]}`,
		"tier.json":   `{"rows": [{"tiers": ["manual@zzz"], "model": "linear", "terms": "unary", "balance": "paper"}], "oracle": {"class": "horse"}}`,
		"null.json":   `{"rows": [null], "oracle": {"class": "horse"}}`,
		"oracle.json": `{"rows": [{"tiers": ["manual"], "model": "linear", "terms": "unary", "balance": "paper"}]}`} {
		try(t, os.WriteFile(name, []byte(text), 0o666))
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--join"}, exitUsage, "one file or more"},
		{[]string{"linear.json"}, exitUsage, "want a manifest, got linear.json: tables are joined with --join"},
		{[]string{"--join", "linear.json", "-i", "x.yaml"}, exitUsage, "--in has no effect"},
		{[]string{"--join", "linear.json", "linear.json"}, exitError, "two tables have a row"},
		{[]string{"--join", "linear.json", "empty.json"}, exitError, "empty.json: want the JSON of hdseg bench"},
		{[]string{"--join", "list.json"}, exitError, "list.json: want the JSON"},
		{[]string{"--join", "other.json"}, exitError, "holds no rows"},
		{[]string{"--join", "scenes.json"}, exitError, "table of scenes"},
		{[]string{"--join", "tier.json"}, exitError, `tiers "manual@zzz"`},
		{[]string{"--join", "null.json"}, exitError, "row 0 ("},
		{[]string{"--join", "oracle.json"}, exitError, "no row oracle"},
		{[]string{"--join", "linear.json", "many.json"}, exitError, "many.json: settings: bench.samples: got 2000000000, want 1..100000"},
		{[]string{"--join", "linear.json", "score.json"}, exitError, "score.json: row 0 (manual, trees, unary): per_class_pooled: got 99.9000, its counts give 80.2500"},
		{[]string{"--join", "class.json"}, exitError, `row 0 (manual, trees, unary): class: got "dog", the oracle row has "horse"`},
		{[]string{"--compare", "score.json", "-i", "x.yaml"}, exitError, "score.json: row 0"},
		{[]string{"--join", "none.json"}, exitError, "no such file"},
		{[]string{"--join", "linear.json", "--html", filepath.Join("dog.json", "x.html")}, exitError, "dog.json"},
	} {
		if _, errs, code := hdseg(t, append([]string{"bench"}, c.args...)...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, %s, want %d and %q", c.args, code, errs, c.code, c.want)
		}
	}
}
