package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/feature"
)

// Statistics made in parts and merged in any order train the model of a single run, byte for byte; a part
// given twice is refused, and so is a sum that lacks one.
func TestShardedTraining(t *testing.T) {
	dir, manifest := t.TempDir(), drawn(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, "train", "-i", manifest, "--preset", "paper", "--tiers", "manual,bbox", "-o", at("single"))
	for i := range 3 {
		must(t, "features", "-i", manifest, "--shard", fmt.Sprintf("%d/3", i))
		must(t, "train", "-i", manifest, "--shard", fmt.Sprintf("%d/3", i), "-o", at(fmt.Sprint("s", i)))
	}
	must(t, "merge", at("s2"), at("s0"), "-o", at("some"))
	must(t, "merge", at("s1"), at("some"), "-o", at("all"))
	must(t, "train", "--statistics", at("all"), "--tiers", "manual,bbox", "-o", at("merged"))
	single := read(t, at("single"))
	merged := read(t, at("merged"))
	if !bytes.Equal(single, merged) {
		t.Error("the model of merged shards has other bytes than that of a single run")
	}
	if _, errs, code := hdseg(t, "merge", at("s0"), at("some"), "-o", at("twice")); code != exitError || !bytes.Contains([]byte(errs), []byte("shard 0/3")) {
		t.Errorf("a shard given twice: got exit %d and %q", code, errs)
	}
	if _, errs, code := hdseg(t, "train", "--statistics", at("some"), "-o", at("x")); code != exitError || !bytes.Contains([]byte(errs), []byte("the statistics lack --shard 1/3: merge those of all shards first")) {
		t.Errorf("a shard that is missing: got exit %d and %q", code, errs)
	}
	// A task's number comes from the scheduler, too.
	t.Setenv("SLURM_ARRAY_TASK_ID", "1")
	must(t, "train", "-i", manifest, "--shard", "3", "-o", at("slurm"))
	a, _ := os.ReadFile(at("slurm"))
	b, _ := os.ReadFile(at("s1"))
	if !bytes.Equal(a, b) {
		t.Error("--shard 3 with SLURM_ARRAY_TASK_ID=1 is not shard 1/3")
	}
}

// Every kind of model is trained, measured and applied by the command line, with every set of features.
func TestModelsOnTheCommandLine(t *testing.T) {
	w, _ := world(t, false)
	dir, manifest := t.TempDir(), drawn(t)
	model := filepath.Join(dir, "m.model")
	picture := found(t, filepath.Join(w.TestDir, "images", "*"))
	quick := []string{"--set", "train.trees.trees=5", "--set", "train.iterative.iterations=5", "--set", "train.treeFeatures.trees=5"}
	for _, args := range [][]string{
		{"--model", "trees"}, {"--model", "trees", "--terms", "unary", "--set", "feature.set=hdseg"},
		{"--model", "logistic"}, {"--model", "piecewise"}, {"--model", "pseudolikelihood"},
		{"--model", "linear", "--set", "train.treeFeatures.folds=2", "--set", "feature.set=saliency"},
		{"--model", "linear", "--set", "train.potentials=association", "--set", "train.edgeShrink=0.5"},
	} {
		must(t, append(append([]string{"train", "-i", manifest, "-o", model}, quick...), args...)...)
		must(t, "segment", "--model", model, "-o", filepath.Join(dir, "masks"), picture[0])
		must(t, "evaluate", "-i", manifest, "--model", model)
	}
	if _, errs, code := hdseg(t, "train", "-i", manifest, "-o", model, "--model", "piecewise", "--terms", "unary"); code != exitUsage {
		t.Errorf("piecewise unary: got exit %d and %q, want %d", code, errs, exitUsage)
	}
	says(t, exitUsage, "--terms unary", "train", "-i", manifest, "-o", model, "--preset", "paper", "--set", "feature.set=hdseg")
	folds := []string{"--folds-file", filepath.Join(dir, "folds.txt"), "--json"}
	bench := append([]string{"bench", "-i", manifest, "--tiers", "manual", "--model", "linear,trees"}, quick...)
	var written, read benchResult
	for _, run := range []struct {
		args []string
		to   *benchResult
	}{{append(folds, "--cross-validate", "2"), &written}, {folds, &read}} {
		try(t, json.Unmarshal([]byte(must(t, append(bench, run.args...)...)), run.to))
	}
	if len(read.Rows) != 4 || read.Folds != 2 || read.Rows[3].PerClassPooled != written.Rows[3].PerClassPooled {
		t.Errorf("folds that a file keeps give other rows: %+v and %+v", written.Rows, read.Rows)
	}
}

// Flags without effect are refused, and what is odd about a training set is said.
func TestTrainUsage(t *testing.T) {
	dir, manifest := t.TempDir(), drawn(t)
	all := filepath.Join(dir, "all.stats")
	must(t, "train", "-i", manifest, "--shard", "0/1", "-o", all)
	model := filepath.Join(dir, "x.model")
	for _, args := range [][]string{
		{"--statistics", all, "-i", manifest}, {"--statistics", all, "--shard", "0/2"}, {"--statistics", all, "--set", "superpixel.count=100"},
		{"-i", manifest, "--shard", "0/2", "--model", "trees"}, {"-i", manifest, "--shard", "0/2", "--terms", "unary"},
		{"-i", manifest, "--set", "superpixel.count=5001"},
	} {
		if _, errs, code := hdseg(t, append([]string{"train", "-o", model}, args...)...); code != exitUsage {
			t.Errorf("%v: got exit %d and %q, want %d", args, code, errs, exitUsage)
		}
	}
	says(t, exitError, "of class horse", "train", "-o", model, "--statistics", all, "-c", "dogseg")
	says(t, exitDone, "too few rows of superpixels to learn ground, figure", "train", "-o", model, "-i", manifest, "--preset", "paper", "--set", "train.minRows=1000000")
}

// train makes the best model unless told otherwise; its features stand beside those of the build and are computed once. What
// the command line or the config says goes before a preset, and what cannot work is refused before any work.
func TestPresets(t *testing.T) {
	dir, manifest := t.TempDir(), drawn(t)
	model := filepath.Join(dir, "m.model")
	train := func(args ...string) (*lscrf.Model, string) {
		t.Helper()
		_, errs, code := hdseg(t, append([]string{"train", manifest, "-o", model}, args...)...)
		if code != exitDone {
			t.Fatalf("%q: exit %d, %s", args, code, errs)
		}
		m := new(lscrf.Model)
		err := readBinary(model, "model", m)
		try(t, err)
		return m, errs
	}
	index := filepath.Join(filepath.Dir(manifest), "features", "index.json")
	before := read(t, index)
	try(t, os.RemoveAll(filepath.Join(filepath.Dir(manifest), ".work", "features")))
	best, first := train("--set", "train.trees.trees=4")
	_, second := train("--set", "train.trees.trees=4")
	if best.Kind != lscrf.Trees || best.Terms != lscrf.Pairwise || best.Setup.Feature.Set != feature.Saliency || best.Options.Trees.Leaves != "shared" || best.Options.Trees.Trees != 4 {
		t.Errorf("by default: got %s %s on %s features with %+v", best.Kind, best.Terms, best.Setup.Feature.Set, best.Options.Trees)
	}
	if !strings.Contains(first, "saliency features of ") || strings.Contains(second, " took ") {
		t.Errorf("features were not computed once: %s and then %s", first, second)
	}
	if after, err := os.ReadFile(index); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the features of the build changed: %v", err)
	}
	if fast, _ := train("--preset", "fast"); fast.Kind != lscrf.Trees || fast.Options.Trees.Trees != 60 || fast.Options.Trees.Depth != 4 || fast.Options.Trees.Rate != 0.3 {
		t.Errorf("fast: got %s with %+v", fast.Kind, fast.Options.Trees)
	}
	paper, _ := train("--preset", "paper")
	linear, _ := train("--model", "linear")
	if a, b := models(t, paper, linear); paper.Kind != lscrf.Linear || paper.Setup.Feature.Set != feature.Draft || !bytes.Equal(a, b) {
		t.Errorf("paper: got %s on %s features, want what --model linear gives", paper.Kind, paper.Setup.Feature.Set)
	}
	own := filepath.Join(dir, "own.yaml")
	try(t, os.WriteFile(own, []byte("dataset: x\nclass: {name: horse}\nbench: {models: [logistic]}\nfeature: {set: draft}\ntrain: {iterative: {iterations: 2}}\n"), 0o666))
	if m, _ := train("-c", own); m.Kind != lscrf.Logistic || m.Setup.Feature.Set != feature.Draft {
		t.Errorf("a config that names the kind and the features: got %s on %s", m.Kind, m.Setup.Feature.Set)
	}
	stats := filepath.Join(dir, "all.stats")
	must(t, "train", manifest, "--shard", "0/1", "-o", stats)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"train", manifest, "-o", model, "--preset", "better"}, "--preset better: want one of network, paper, fast, best"},
		{[]string{"train", manifest, "-o", model, "--preset", "best", "--shard", "0/2"}, "serve linear models alone: want --preset network or paper"},
		{[]string{"train", "--statistics", stats, "-o", model, "--preset", "fast"}, "serve linear models alone: want --preset network or paper"},
		{[]string{"train", manifest, "-o", model, "--preset", "best", "--model", "linear"}, "want --set feature.set=draft, --terms unary"},
		{[]string{"bench", manifest, "--preset", "fast", "--model", "linear,trees"}, "want --set feature.set=draft, --terms unary"},
		{[]string{"build", "-o", dir, "--test", dir, "--preset", "fast", "--set", "bench.models=[linear]"}, "want --set feature.set=draft, --terms unary"},
	} {
		says(t, exitUsage, c.want, c.args...)
	}
	b := result[benchResult](t, "bench", manifest, "--preset", "fast", "--tiers", "manual", "--balance", "paper", "--json", "--set", "train.trees.trees=3")
	if len(b.Rows) != 2 || b.Rows[0].Model != lscrf.Trees {
		t.Errorf("bench --preset fast: got %+v", b.Rows)
	}
	var s studyResult
	if err := json.Unmarshal([]byte(must(t, "study", manifest, "--preset", "fast", "--draws", "1", "--json", "--set", "train.trees.trees=2")), &s); err != nil || s.Model != lscrf.Trees {
		t.Errorf("study --preset fast: got %s, %v", s.Model, err)
	}
}

// models returns the bytes of two models.
func models(t *testing.T, x, y *lscrf.Model) (a, b []byte) {
	t.Helper()
	a, err1 := x.MarshalBinary()
	b, err2 := y.MarshalBinary()
	try(t, err1, err2)
	return a, b
}

// A mix without an image is refused before features are computed, with what there is.
func TestTrainNamesTheTiersThatThereAre(t *testing.T) {
	manifest, model := drawn(t), filepath.Join(t.TempDir(), "m.model")
	_, errs, code := hdseg(t, "train", manifest, "--tiers", "manual,external:sam", "-o", model, "--set", "superpixel.count=70")
	if code != exitError || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "no training image has a mask of the tier external:sam: want --tiers with some of bbox (") || !strings.Contains(errs, "manual (") {
		t.Errorf("got exit %d and %q", code, errs)
	}
}
