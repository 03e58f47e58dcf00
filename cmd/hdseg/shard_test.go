package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Statistics made in parts and merged in any order train the model of a single run, byte for byte; a part
// given twice is refused, and so is a sum that lacks one.
func TestShardedTraining(t *testing.T) {
	dir, manifest := t.TempDir(), drawn(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, "train", "-i", manifest, "--tiers", "manual,bbox", "-o", at("single"))
	for i := range 3 {
		must(t, "features", "-i", manifest, "--shard", fmt.Sprintf("%d/3", i))
		must(t, "train", "-i", manifest, "--shard", fmt.Sprintf("%d/3", i), "-o", at(fmt.Sprint("s", i)))
	}
	must(t, "merge", at("s2"), at("s0"), "-o", at("some"))
	must(t, "merge", at("s1"), at("some"), "-o", at("all"))
	must(t, "train", "--statistics", at("all"), "--tiers", "manual,bbox", "-o", at("merged"))
	single, err := os.ReadFile(at("single"))
	if err != nil {
		t.Fatal(err)
	}
	merged, err := os.ReadFile(at("merged"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(single, merged) {
		t.Error("the model of merged shards has other bytes than that of a single run")
	}
	if _, errs, code := hdseg(t, "merge", at("s0"), at("some"), "-o", at("twice")); code != exitError || !bytes.Contains([]byte(errs), []byte("shard 0/3")) {
		t.Errorf("a shard given twice: got exit %d and %q", code, errs)
	}
	if _, errs, code := hdseg(t, "train", "--statistics", at("some"), "-o", at("x")); code != exitError || !bytes.Contains([]byte(errs), []byte("missing")) {
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
	picture, err := filepath.Glob(filepath.Join(w.TestDir, "images", "*"))
	if err != nil || len(picture) == 0 {
		t.Fatalf("got no test picture (%v)", err)
	}
	quick := []string{"--set", "train.trees.trees=5", "--set", "train.iterative.iterations=5", "--set", "train.treeFeatures.trees=5"}
	for _, args := range [][]string{
		{"--model", "trees"}, {"--model", "trees", "--terms", "unary", "--set", "feature.set=hdseg"},
		{"--model", "logistic"}, {"--model", "piecewise"}, {"--model", "pseudolikelihood"},
		{"--set", "train.treeFeatures.folds=2", "--set", "feature.set=saliency"},
		{"--set", "train.potentials=association", "--set", "train.edgeShrink=0.5"},
	} {
		must(t, append(append([]string{"train", "-i", manifest, "-o", model}, quick...), args...)...)
		must(t, "segment", "--model", model, "-o", filepath.Join(dir, "masks"), picture[0])
		must(t, "evaluate", "-i", manifest, "--model", model)
	}
	if _, errs, code := hdseg(t, "train", "-i", manifest, "-o", model, "--model", "piecewise", "--terms", "unary"); code != exitUsage {
		t.Errorf("piecewise unary: got exit %d and %q, want %d", code, errs, exitUsage)
	}
	if _, errs, code := hdseg(t, "train", "-i", manifest, "-o", model, "--set", "feature.set=hdseg"); code != exitError {
		t.Errorf("linear pairs of the set hdseg: got exit %d and %q, want %d", code, errs, exitError)
	}
	folds := []string{"--folds-file", filepath.Join(dir, "folds.txt"), "--json"}
	bench := append([]string{"bench", "-i", manifest, "--tiers", "manual", "--model", "linear,trees"}, quick...)
	var written, read benchResult
	for _, run := range []struct {
		args []string
		to   *benchResult
	}{{append(folds, "--cross-validate", "2"), &written}, {folds, &read}} {
		if err := json.Unmarshal([]byte(must(t, append(bench, run.args...)...)), run.to); err != nil {
			t.Fatal(err)
		}
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
	if _, errs, code := hdseg(t, "train", "-o", model, "--statistics", all, "-c", "dogseg"); code != exitError || !strings.Contains(errs, "of class horse") {
		t.Errorf("statistics of another class: got exit %d and %q", code, errs)
	}
	if _, errs, code := hdseg(t, "train", "-o", model, "-i", manifest, "--set", "train.minRows=1000000"); code != exitDone || !strings.Contains(errs, "too few rows of superpixels to learn ground, figure") {
		t.Errorf("too few rows: got exit %d and %q", code, errs)
	}
}
