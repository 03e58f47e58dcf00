package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

type scenesResult struct {
	summary
	Labels []string `json:"labels"`
	Folds  string   `json:"folds_file"`
	*lscrf.Bench
	Differences []report.SceneDifference `json:"differences"`
}

func (r *scenesResult) table(w io.Writer) error {
	return report.Scenes(w, r.Labels, r.Bench, r.Differences)
}

// folderName names a folder by the last part of its path.
func folderName(root string) string {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return filepath.Base(root)
}

// benchScenes cross-validates models on scenes with several labels and prints the paper's Table 1.
func (a *app) benchScenes(cmd *cobra.Command, e *configs.Experiment, files *benchFiles, root, foldsFile string, names []string, folds int) error {
	if files.compare != "" {
		return usagef("--compare does not go with --scenes: its tests take every picture for its own, and frames of a film are not")
	}
	foldsFile = cmp.Or(foldsFile, e.Dataset+"-folds.txt")
	if err := a.outFiles(nil, out{"--folds-file", absent(foldsFile), newFile}); err != nil {
		return err
	}
	s := newSummary("bench")
	scenes, err := pipeline.LoadScenes(cmd.Context(), e, root, names, a.workers, a.stageProgress("images"))
	if err != nil {
		return err
	}
	s.skip(scenes.Skips)
	f, err := scenes.Folds(foldsFile, cmp.Or(folds, 5), e.Seed)
	if err != nil {
		return err
	}
	f.Sort(scenes.Images)
	t, keep := scenes.Trainer(e, a.workers), pipeline.FolderCheckpoints(foldsFile+".checkpoints", a.warn)
	t.Checkpoints, t.Loss, a.after = keep, a.foldLoss, afterTraining(keep)
	measured, left, err := lscrf.CrossValidate(cmd.Context(), t, e.Bench.Specs(), scenes.Images, f, a.stageProgress("folds"))
	if err != nil {
		return err
	}
	s.Warnings = append(s.Warnings, left...)
	if len(measured) == 0 {
		return errors.New(strings.Join(left, "\n"))
	}
	s.Read, s.Done = len(scenes.Images)+len(scenes.Skips), len(scenes.Images)
	b, err := lscrf.NewBench(cmd.Context(), e.Dataset, lscrf.IDs(scenes.Images), measured, lscrf.Oracle(scenes.Images, len(scenes.Labels)), e.Bench, e.Seed)
	if err != nil {
		return err
	}
	b.Made = pipeline.MadeFrom(e, "", lscrf.TruthDigest(scenes.Images))
	d, err := report.SceneDifferences(cmd.Context(), b, lscrf.Blocks(b.Test, f), e.Bench.Samples, e.Seed)
	if err != nil {
		return err
	}
	settings, err := yaml.Marshal(e)
	if err != nil {
		return err
	}
	page := &report.Page{
		Title: "Scenes: " + folderName(root), Studies: report.SceneSections(scenes.Labels, b, d), Settings: string(settings),
		Facts: []report.Fact{
			{Name: "command", Value: commandLine()}, {Name: "pictures", Value: fmt.Sprintf("%d of %s, %s", len(scenes.Images), root, scenes.Digest)}, {Name: "true labels", Value: string(b.Made.Truth)}, {Name: "folds", Value: foldsFile}, {Name: "labels", Value: strings.Join(scenes.Labels, ", ")},
			{Name: "settings", Value: string(configs.Digest(e))}, {Name: "version", Value: manifests.Version}, {Name: "seed", Value: strconv.FormatUint(e.Seed, 10)}, a.machine(),
		},
	}
	if err := files.write(page, b); err != nil {
		return err
	}
	if err := keep.Remove(); err != nil {
		return err
	}
	return a.report(&scenesResult{s, scenes.Labels, foldsFile, b, d})
}
