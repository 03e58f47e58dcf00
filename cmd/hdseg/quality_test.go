package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hdseg/manifests"
)

// --min-quality is a setting of training: 0 changes no byte, a table and a model say what it was, shards must agree on it, and
// what it leaves out has no part in a row.
func TestMinQuality(t *testing.T) {
	in := trained(t)
	t.Chdir(t.TempDir())
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	train := []string{"train", "-i", in, "--progress", "none", "-o"}
	must(t, append(train, "plain.model")...)
	must(t, append(train, "zero.model", "--min-quality", "0")...)
	if read("plain.model") != read("zero.model") {
		t.Error("--min-quality 0 changes the model")
	}
	type table struct {
		Rows []struct {
			Tiers  []manifests.Tier
			Images int
		}
		Missing  [][]manifests.Tier `json:"missing_tiers"`
		Warnings []string
		Settings string
		Made     struct{ Train string } `json:"made_from"`
		Changes  struct{ Remarks []string }
	}
	bench := func(args ...string) (b table) {
		t.Helper()
		args = append([]string{"bench", "-i", in, "--tiers", "manual;manual,bbox", "--terms", "unary", "--balance", "paper", "--set", "bench.samples=20", "--progress", "none", "--json"}, args...)
		text := must(t, args...)
		if err := os.WriteFile("table.json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			t.Fatal(err)
		}
		return b
	}
	all := bench()
	best := bench("--min-quality", "1", "--compare", "table.json")
	if len(all.Rows) != 2 || len(best.Rows) != 1 || len(best.Rows[0].Tiers) != 1 || best.Rows[0].Images != all.Rows[0].Images || len(best.Missing) != 1 {
		t.Errorf("rows %+v and, of perfect masks, %+v, missing %v", all.Rows, best.Rows, best.Missing)
	}
	if all.Made.Train == best.Made.Train || strings.Contains(all.Settings, "minQuality") || !strings.Contains(best.Settings, "minQuality: 1") {
		t.Error("the settings do not tell")
	}
	if !slices.ContainsFunc(best.Warnings, func(w string) bool { return strings.Contains(w, "leaves out 4 of 4 bbox masks") }) {
		t.Errorf("warned of %q", best.Warnings)
	}
	if !slices.Contains(best.Changes.Remarks, "the tables have different settings of training") {
		t.Errorf("the comparison says %q", best.Changes.Remarks)
	}
	must(t, append(train, "best.model", "--min-quality", "1")...)
	for _, shard := range []string{"0", "1"} {
		must(t, append(train, shard+".stats", "--shard", shard+"/2", "--min-quality", "1")...)
	}
	must(t, append(train, "other.stats", "--shard", "1/2")...)
	must(t, "merge", "0.stats", "1.stats", "-o", "all.stats")
	must(t, "train", "--statistics", "all.stats", "-o", "sum.model")
	if read("sum.model") != read("best.model") {
		t.Error("a model of shards is another than that of one run")
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitError, "least quality", []string{"merge", "0.stats", "other.stats", "-o", "x.stats"}},
		{exitUsage, "made with their own", []string{"train", "--statistics", "all.stats", "--min-quality", "0.5", "-o", "x.model"}},
		{exitError, "no image has a mask of the tiers bbox", append(train, "x.model", "--tiers", "bbox", "--min-quality", "1")},
		{exitUsage, "want 0..1", append(train, "x.model", "--min-quality", "70")},
		{exitUsage, "want 0..1", append(train, "x.model", "--min-quality", "NaN")},
		{exitUsage, "minQuality", append(train, "x.model", "--set", "train.minQuality=2")},
		{exitUsage, "set it once", append(train, "x.model", "--set", "train.minQuality=0.5", "--min-quality", "0.6")},
		{exitUsage, "nothing predicts", []string{"bench", "-c", "stanford", "--scenes", ".", "--min-quality", "0.5"}},
		{exitUsage, "no effect", []string{"bench", "--join", "table.json", "--min-quality", "0.5"}},
		// What is given twice is not forgotten.
		{exitUsage, `was given before as "manual"`, []string{"bench", "-i", in, "--tiers", "manual", "--tiers", "bbox"}},
		{exitUsage, `was given before as "1"`, []string{"bench", "-i", in, "-j", "1", "--jobs", "2"}},
		{exitUsage, "was given before", []string{"study", "-i", in, "-i", "x.yaml"}},
		{exitUsage, "was given before", []string{"train", "-i", in, "--shard", "0/2", "--shard", "1/2", "-o", "x.stats"}},
		{exitUsage, "train.lambda was set to 1 before", []string{"bench", "-i", in, "--set", "train.lambda=1", "--set", "train.lambda=2"}},
	} {
		if _, errs, code := hdseg(t, c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("hdseg %s: exit %d, said %q, want %d and %q", strings.Join(c.args, " "), code, errs, c.code, c.want)
		}
	}
	if x, _ := filepath.Glob("x.*"); len(x) > 0 {
		t.Errorf("written: %q", x)
	}
	must(t, "stats", in, "--json", "--json", "-j", "2", "-j", "2")
}
