package main

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hdseg/lscrf"
)

// A mix with too few images for a setting loses its row, with a warning that names the setting and the images, and the other
// rows stand: on the test split, in cross-validation and in a build. With no row left it is an error.
func TestRowsOfTooFewImagesAreLeftOut(t *testing.T) {
	_, build := world(t, false)
	out := filepath.Dir(drawn(t))
	bench := func(folds int, more ...string) []string {
		return append([]string{"bench", "-i", filepath.Join(out, "horseseg.yaml"), "--json", "--balance", "paper", "--terms", "unary", "--tiers", "label;manual;bbox;manual,bbox,label",
			"--set", "bench.samples=50", "--set", "train.treeFeatures.trees=2", "--set", "train.treeFeatures.folds=" + strconv.Itoa(folds)}, more...)
	}
	var all benchResult
	if err := json.Unmarshal([]byte(must(t, bench(0)...)), &all); err != nil || len(all.Rows) != 4 {
		t.Fatalf("got %d rows, %v", len(all.Rows), err)
	}
	images := all.Rows[3].Images
	for name, more := range map[string][]string{"test": nil, "cross-validation": {"--cross-validate", "2"}} {
		folds := images
		if name == "cross-validation" {
			folds = images - (all.Rows[1].Images+1)/2 // what the larger fold leaves
		}
		got := result[benchResult](t, bench(folds, more...)...)
		if len(got.Rows) != 1 || lscrf.Mix(got.Rows[0].Tiers).Key() != "manual,bbox,label" || len(got.Missing) != 3 {
			t.Errorf("%s: got %d rows and %d mixes without, want 1 and 3", name, len(got.Rows), len(got.Missing))
		}
		warnings := strings.Join(got.Warnings, "\n")
		for _, tiers := range []string{"label", "manual", "bbox"} {
			if !strings.Contains(warnings, "paper/"+tiers+"-linear-unary is left out: ") || !strings.Contains(warnings, "train.treeFeatures.folds: got "+strconv.Itoa(folds)+" with ") || !strings.Contains(warnings, "images of the tiers "+tiers) {
				t.Errorf("%s: got warnings %q, want one of %s", name, warnings, tiers)
			}
		}
	}
	if _, errs, code := hdseg(t, bench(900)...); code != exitError || strings.Count(errs, "is left out: train.treeFeatures.folds: got 900") != 4 {
		t.Errorf("no row left: exit %d, %s", code, errs)
	}
	var again buildResult
	folds := strconv.Itoa(images)
	try(t, json.Unmarshal([]byte(must(t, append(build, "-o", out, "--json", "--set", "bench.balances=[paper]", "--set", "bench.terms=[unary]", "--set", "train.treeFeatures.trees=2", "--set", "train.treeFeatures.folds="+folds)...)), &again))
	if w := strings.Join(again.Warnings, "\n"); !strings.Contains(w, "paper/manual-linear-unary is left out: train.treeFeatures.folds: got "+folds) {
		t.Errorf("build: got warnings %q", w)
	}
}
