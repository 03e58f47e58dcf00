package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

type benchResult struct {
	summary
	// of a cross-validation on training images; none: the test split
	Folds int `json:"folds,omitempty"`
	pipeline.Table
	By      *madeBy         `json:"made_by,omitempty"` // of bench alone
	Changes *report.Changes `json:"changes,omitempty"` // against the table of --compare
}

func (r *benchResult) table(w *bytes.Buffer) {
	// evaluate trains nothing
	report.Text(w, report.Options{Times: r.Command == "bench", Folds: r.Folds}, r.Table.Table)
	if r.Changes != nil {
		report.Sections(w, []report.Section{r.Changes.Section()})
	}
}

// benchOptions are the flags of bench.
type benchOptions struct {
	rows      rowFlags
	files     reportFiles
	compare   string // an older table to compare with
	join      bool
	scenes    string
	labels    []string
	foldsFile string
	folds     int
}

func (o *benchOptions) flags(cmd *cobra.Command) {
	o.rows.flags(cmd)
	f := cmd.Flags()
	o.files.flags(cmd, "report")
	f.StringVar(&o.files.csv, "csv", "", "also write the rows to this CSV `file`")
	f.StringVar(&o.compare, "compare", "", "print what changed since an older table (bench --json, or a build's "+
		"report/bench.json) of the same class, images and test masks")
	f.BoolVar(&o.join, "join", false, "join tables instead: files of bench --json, or a build's report/bench.json")
	f.StringVar(&o.scenes, "scenes", "", "cross-validate on this `folder` in the layout of Stanford Background")
	f.StringSliceVar(&o.labels, "labels", nil, "names of the labels 0, 1, ... of --scenes")
	f.StringVar(&o.foldsFile, "folds-file", "", "`file` that keeps the folds; read if it exists (default with --scenes: DATASET-folds.txt)")
	f.IntVar(&o.folds, "cross-validate", 0, "cross-validate on the training images, in so many `parts`, not on the test split")
}

func (a *app) benchCommand() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use: "bench MANIFEST", Short: "Train on every mix of tiers and print the results table",
		Long: `bench trains a model for every mix of tiers and measures it on the test split: per-class accuracy (pooled over
pixels, and as the mean over images), pixel accuracy, IoU and boundary F. --json and --csv have 95% intervals of each, by
bootstrap over test images.

--cross-validate N reads nothing of the test split. It deals the training images that have a manual mask to N parts and
predicts each part with models that were trained on the others. Use it to choose settings. --folds-file keeps the parts;
a file that lists some images under fold 0 is a fixed split.

Finished models (all but linear ones) are kept in .work/models of the data set until the table is done. An interrupted
bench goes on with the first model that is missing.

--scenes DIR makes the paper's Table 1 of a tree like Stanford Background (images/*.jpg, labels/*.regions.txt): any
number of labels, five folds, pixel accuracy with its standard deviation. -c stanford has its settings. The labels' names
come from --labels or from labels.txt in DIR. Frames of one film (ids NAME_NUMBER) stay together.

--join trains nothing. It joins tables that bench --json or build wrote, shows the classes beside each other, tests all
differences again and lists settings that differ. Tables of one class must have the same manifest, test masks,
superpixels and seed.`,
		Example: `  hdseg bench out/horseseg.yaml
  hdseg bench out/horseseg.yaml --preset best --balance paper
  hdseg bench out/horseseg.yaml --tiers 'manual;manual,bbox' --model linear,trees --terms unary,pairwise --json
  hdseg bench out/horseseg.yaml --tiers manual --model trees --cross-validate 5 --set train.trees.rate=0.05
  hdseg bench out/horseseg.yaml --html report.html --compare out/report/bench.json
  hdseg bench --join linear.json trees.json dogs.json --html table2.html
  hdseg bench -c stanford --scenes iccv09Data`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.join {
				return a.benchJoin(cmd, args, &o)
			}
			if o.folds < 0 || o.folds == 1 {
				return usagef("--cross-validate %d: want 2 or more parts", o.folds)
			}
			if len(o.labels) > 0 && o.scenes == "" {
				return usagef("--labels works only with --scenes")
			}
			e, err := a.experiment()
			if err == nil {
				err = o.rows.apply(&e.Bench)
			}
			if err == nil {
				err = trainable(e)
			}
			if err == nil {
				err = a.outFiles([]string{o.compare, o.scenes, o.foldsFile}, o.files.outs()...)
			}
			switch {
			case err != nil:
				return err
			case o.scenes != "":
				return a.benchScenes(cmd, e, &o)
			}
			return a.benchTable(cmd, e, &o)
		},
	}
	a.withManifest(cmd)
	manifest := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if !o.join {
			if slices.ContainsFunc(args, func(f string) bool { return filepath.Ext(f) == ".json" }) {
				return usagef("%s: want a manifest, got %s: tables are joined with --join", cmd.CommandPath(), strings.Join(args, " "))
			}
			return manifest(cmd, args)
		}
		if len(args) == 0 {
			return usagef("%s --join: want the JSON of hdseg bench, one file or more", cmd.CommandPath())
		}
		return nil
	}
	a.withConfig(cmd)
	a.withDense(cmd)
	a.withPreset(cmd, plainToo("paper"))
	o.flags(cmd)
	return cmd
}

// benchTable measures the rows of a data set.
func (a *app) benchTable(cmd *cobra.Command, e *configs.Experiment, o *benchOptions) error {
	ctx := cmd.Context()
	if err := a.outFiles(nil, out{"--folds-file", absent(o.foldsFile), newFile}); err != nil {
		return err
	}
	var old *bench.Table
	if o.compare != "" {
		t, err := readTable(o.compare)
		if err != nil {
			return err
		}
		old = t.Table.Table
	}
	set, err := a.input()
	if err != nil {
		return err
	}
	specs := pipeline.Specs(e, set.Manifest)
	if old != nil {
		if err := report.SameRows(old, set.Manifest.Class.Name, specs); err != nil {
			return fmt.Errorf("--compare %s: %w", o.compare, err)
		}
	}
	t, close, err := a.trainer(cmd, shardFlag{}, e, set)
	if err != nil {
		return err
	}
	defer close()
	kept := a.keep(t, pipeline.StoreKept(set.Store, a.warn))
	a.warn(pipeline.Doubted(set.Manifest, specs))
	images, folds, err := a.measuredOn(cmd, e, o, set, t)
	if err != nil {
		return err
	}
	oracle, truth := bench.Oracle(images, 2), bench.TruthDigest(images)
	if old != nil { // before anything is trained
		if err := report.Comparable(old, bench.IDs(images), oracle.Images, truth); err != nil {
			return fmt.Errorf("--compare %s: %w", o.compare, err)
		}
	}
	measured, models, err := a.measure(ctx, t, specs, images, folds)
	if err != nil {
		return err
	}
	a.countDone(len(images))
	table, err := bench.NewTable(ctx, set.Manifest.Class.Name, bench.IDs(images), specs, measured, oracle, e.Bench.Samples, e.Seed)
	if err != nil {
		return err
	}
	table.Made = pipeline.MadeFrom(e, set.Digest, truth)
	r := &benchResult{Folds: folds.Count(), Table: pipeline.Table{Table: table}, By: &madeBy{commandLine(), a.machine()}}
	if old != nil {
		if r.Changes, err = report.Compare(ctx, old, table, e.Bench.Samples, e.Seed); err != nil {
			return err
		}
	}
	page, err := a.benchPage(ctx, o, e, set, r, models)
	if err != nil {
		return err
	}
	r.Differences, r.Settings = page.Differences, page.Settings
	if err := o.files.write(page, table); err != nil {
		return err
	}
	if err := kept.Remove(); err != nil {
		return err
	}
	return a.report(r)
}

// noTest warns of a table without scores.
const noTest = "no test picture could be measured: the table has no scores; --cross-validate measures on training images"

// measuredOn returns the images that a table is measured on: those of the test split, or training
// images with the folds that hold them out.
func (a *app) measuredOn(cmd *cobra.Command, e *configs.Experiment, o *benchOptions, set *pipeline.Dataset,
	t *lscrf.Trainer) ([]bench.Scored, lscrf.Folds, error) {
	split, across := manifests.Test, o.folds > 0 || o.foldsFile != ""
	if across {
		split = manifests.Train
	}
	images, skips, err := a.scoredPictures(cmd, set, split, t.About.Setup)
	if err != nil {
		return nil, nil, err
	}
	a.skip(skips...)
	if !across {
		if len(images) == 0 {
			a.warn(noTest)
		}
		return images, nil, nil
	}
	folds, kept, err := pipeline.ReadFolds(o.foldsFile, images, func(ids []string) (lscrf.Folds, error) {
		if o.folds == 0 {
			return nil, fmt.Errorf("%s: no such file: --cross-validate makes it", o.foldsFile)
		}
		if n := t.Groups.Count(ids); n < o.folds {
			return nil, usagef("--cross-validate %d: only %d training images have a manual mask, near duplicates counted as "+
				"one", o.folds, n)
		}
		return t.Groups.Deal(ids, o.folds, e.Seed), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(kept) != len(folds) {
		return nil, nil, fmt.Errorf("%s: names %d images, of which %d are training images with a manual mask", o.foldsFile,
			len(folds), len(kept))
	}
	bench.SortByFold(kept, folds)
	for _, tier := range pipeline.Sourced(set.Manifest, folds, pipeline.Specs(e, set.Manifest)) {
		a.warn(fmt.Sprintf("the %s masks were made with the help of images that are held out here: the rows with %[1]s are too "+
			"good", tier))
	}
	return kept, folds, nil
}

// scoredPictures cuts the pictures of a split that have a manual mask into superpixels.
func (a *app) scoredPictures(cmd *cobra.Command, set *pipeline.Dataset, split manifests.Split, setup lscrf.Setup) (
	[]bench.Scored, []manifests.Skip, error) {
	return bench.Load(cmd.Context(), set.Manifest, split, set.Store, setup, a.workers,
		a.stageProgress("cutting measured pictures into superpixels"))
}

// measure trains and scores models, by cross-validation if there are folds. Without folds it
// returns the models beside their measures.
func (a *app) measure(ctx context.Context, t *lscrf.Trainer, specs []lscrf.Spec, images []bench.Scored, folds lscrf.Folds) (
	measured []bench.Measured, models []*lscrf.Model, err error) {
	var left []string
	if folds != nil {
		t.Loss = a.foldLoss
		measured, left, err = bench.CrossValidate(ctx, *t, specs, images, folds,
			a.stageProgress(fmt.Sprintf("cross-validation of %d models", len(specs))))
	} else {
		left, err = bench.Train(ctx, t, specs,
			pipeline.ModelProgress(a.stageProgress, len(specs)),
			func(spec lscrf.Spec, got *lscrf.Trained) error {
				models = append(models, got.Model)
				measured = append(measured, bench.Measured{Spec: spec, Images: got.Images, TrainSeconds: got.Seconds})
				return nil
			})
		if err == nil {
			var scores []*bench.Score
			scores, err = bench.Evaluate(ctx, models, images, a.workers, a.stageProgress("measuring the models on test pictures"))
			for i, score := range scores {
				measured[i].Score = score
			}
		}
	}
	switch {
	case err != nil || len(measured) > 0:
	case len(left) > 0:
		err = errors.New(strings.Join(left, "\n"))
	default:
		err = fmt.Errorf("%s: no image has masks of all tiers of any chosen mix", a.in)
	}
	if err == nil {
		a.warnAll(left)
		a.warnAll(pipeline.Idle(measured))
	}
	return measured, models, err
}
