package main

import (
	"cmp"
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
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

type scenesResult struct {
	summary
	Labels []string `json:"labels"`
	Folds  string   `json:"folds_file"`
	*bench.Table
	Differences []report.SceneDifference `json:"differences"`
}

func (r *scenesResult) table(w io.Writer) error {
	return report.Sections(w, report.Scenes(r.Labels, r.Table, r.Differences))
}

// folderName names a folder by the last part of its path.
func folderName(root string) string {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return filepath.Base(root)
}

// benchScenes cross-validates models on scenes with several labels and prints the paper's Table 1.
func (a *app) benchScenes(cmd *cobra.Command, e *configs.Experiment, o *benchOptions) error {
	if o.compare != "" {
		return usagef("--compare does not go with --scenes: its tests count every picture by itself, but frames of a film are alike")
	}
	ctx, root, foldsFile := cmd.Context(), o.scenes, cmp.Or(o.foldsFile, e.Dataset+"-folds.txt")
	if err := a.outFiles(nil, out{"--folds-file", absent(foldsFile), newFile}); err != nil {
		return err
	}
	s := newSummary("bench")
	scenes, err := pipeline.LoadScenes(ctx, e, root, o.labels, a.workers, a.stageProgress("images"))
	if err != nil {
		return err
	}
	s.skip(scenes.Skips)
	f, err := scenes.Folds(foldsFile, cmp.Or(o.folds, 5), e.Seed)
	if err != nil {
		return err
	}
	bench.SortByFold(scenes.Images, f)
	t := scenes.Trainer(e, a.workers)
	kept := a.keep(t, pipeline.NewKept(foldsFile+".models", a.warn))
	measured, _, err := a.measure(ctx, t, e.Bench.Specs(), scenes.Images, f, &s)
	if err != nil {
		return err
	}
	s.Read, s.Done = len(scenes.Images)+len(scenes.Skips), len(scenes.Images)
	oracle := bench.Oracle(scenes.Images, len(scenes.Labels))
	b, err := bench.NewTable(ctx, e.Dataset, bench.IDs(scenes.Images), e.Bench.Specs(), measured, oracle, e.Bench.Samples, e.Seed)
	if err != nil {
		return err
	}
	b.Made = pipeline.MadeFrom(e, "", bench.TruthDigest(scenes.Images))
	d, err := report.SceneDifferences(ctx, b, lscrf.Blocks(b.Test, f), e.Bench.Samples, e.Seed)
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
			{Name: "command", Value: commandLine()}, {Name: "pictures", Value: fmt.Sprintf("%d of %s, %s", len(scenes.Images), root,
				scenes.Digest)}, {Name: "true labels", Value: string(b.Made.Truth)}, {Name: "folds", Value: foldsFile},
			{Name: "labels", Value: strings.Join(scenes.Labels, ", ")},
			{Name: "settings", Value: string(configs.Digest(e))}, {Name: "version", Value: manifests.Version},
			{Name: "seed", Value: strconv.FormatUint(e.Seed, 10)}, a.machine(),
		},
	}
	if err := o.files.write(page, b); err != nil {
		return err
	}
	if err := kept.Remove(); err != nil {
		return err
	}
	return a.report(&scenesResult{s, scenes.Labels, foldsFile, b, d})
}
