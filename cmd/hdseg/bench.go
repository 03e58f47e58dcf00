package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

type benchResult struct {
	summary
	Folds int `json:"folds,omitempty"` // of a cross-validation on training images; none: the test split
	pipeline.Table
	By      *madeBy         `json:"made_by,omitempty"` // of bench alone
	Changes *report.Changes `json:"changes,omitempty"` // against the table of --compare
}

func (r *benchResult) table(w io.Writer) error {
	err := report.Text(w, report.Options{Times: r.Command == "bench", Folds: r.Folds}, r.Bench) // evaluate trains nothing
	if err == nil && r.Changes != nil {
		err = r.Changes.Text(w)
	}
	return err
}

func (a *app) benchCommand() *cobra.Command {
	var c choice
	scenes, foldsFile, folds, weighted, join := "", "", 0, false, false
	var files benchFiles
	var labels []string
	cmd := &cobra.Command{
		Use: "bench [--join TABLE...]", Short: "Train on every mix of tiers and print the results table", Args: joinArgs(&join),
		Long: `bench trains models for every tier mix, with unary and with pairwise terms, and measures each on the
test split: per-class accuracy pooled over pixels and as the mean over images, pixel accuracy, IoU, boundary F,
with 95% bootstrap intervals over test images in --json and --csv.

With --cross-validate N nothing of the test split is read: the training images that have a manual mask are dealt to N
parts, each is predicted by models that were trained without it, and the table is of these predictions. Choose
settings with it. --folds-file keeps the parts; a file that lists some images under fold 0 is a fixed split.

Trees are kept in .work/checkpoints of the data set until the table is done, as train keeps them: interrupted or killed, the same
command goes on with the tree at hand. So are the parts of baselines that are done; linear models are trained again.

With --scenes DIR, a tree in the layout of Stanford Background (images/*.jpg, labels/*.regions.txt), the table is the
paper's Table 1: any number of labels, five folds that a file keeps, pixel accuracy with its standard deviation. Frames of
films (ids NAME_NUMBER) are held out in contiguous blocks. -c stanford has its settings. Labels are named by --labels, or
by labels.txt in DIR (a line each); without, by Stanford's eight names where exactly these labels occur, else by their numbers. Of the files, --compare is not for scenes.

With --join nothing is trained: rows that were measured in several runs (each one's --json, or a build's report/bench.json) stand
in one table, the classes beside each other as in the paper, their differences are tested anew, p corrected for all of them
together, and settings in which the runs differ are listed. Runs of a class need equal manifests, test masks, superpixels and seeds.`,
		Example: `  hdseg bench -i out/horseseg.yaml
  hdseg bench -i out/horseseg.yaml --tiers 'manual;manual,bbox' --model linear,trees --terms unary,pairwise --json
  hdseg bench -i out/horseseg.yaml --tiers manual --model trees --cross-validate 5 --set train.trees.rate=0.05
  hdseg bench -i out/horseseg.yaml --weighted
  hdseg bench -i out/horseseg.yaml --min-quality 0.7 --compare out/report/bench.json
  hdseg bench -i out/horseseg.yaml --tiers 'manual,bbox;manual,bbox@0.25' --model trees
  hdseg bench -i out/horseseg.yaml --html report.html --compare out/report/bench.json
  hdseg bench --join horse-linear.json horse-trees.json dog-linear.json dog-trees.json --html table2.html
  hdseg bench -c stanford --scenes iccv09Data`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if join {
				return a.benchJoin(cmd, args, &files)
			}
			if folds < 0 || folds == 1 {
				return usagef("--cross-validate %d: want 2 or more parts", folds)
			}
			if weighted && (folds > 0 || foldsFile != "" || scenes != "") {
				return usagef("--weighted: hdseg study measures weights on folds that their choice did not see; here it goes with the test split alone")
			}
			if len(labels) > 0 && scenes == "" {
				return usagef("--labels: names the labels of --scenes, which is not given")
			}
			if cmd.Flags().Changed("min-quality") && scenes != "" {
				return usagef("--min-quality: the labels of --scenes are drawn, nothing predicts their quality")
			}
			e, err := a.experiment()
			if err != nil {
				return err
			}
			if err := c.apply(&e.Bench); err != nil {
				return err
			}
			if err := a.outFiles([]string{files.compare, scenes, foldsFile}, files.outs()...); err != nil {
				return err
			}
			if scenes != "" { // which has a name for the folds
				return a.benchScenes(cmd, e, &files, scenes, foldsFile, labels, folds)
			}
			if err := a.outFiles(nil, out{"--folds-file", absent(foldsFile), newFile}); err != nil {
				return err
			}
			old, err := files.old()
			if err != nil {
				return err
			}
			store, m, digest, err := a.input("bench")
			if err != nil {
				return err
			}
			if old != nil {
				specs := e.Bench.Specs()
				if weighted { // a row more, whose weights are not known yet
					specs = nil
				}
				if err := report.SameRows(old, m.Class.Name, specs); err != nil {
					return fmt.Errorf("--compare %s: %w", files.compare, err)
				}
			}
			s := newSummary("bench")
			t, close, err := a.trainer(cmd, shardFlag{}, e, store, m, digest, &s)
			if err != nil {
				return err
			}
			defer close()
			keep := pipeline.StoreCheckpoints(store, a.warn)
			t.Checkpoints, t.Loss, a.after = keep, a.trainLoss, afterTraining(keep)
			if weighted {
				if err := a.addWeighted(cmd, e, store, m, t, &s); err != nil {
					return err
				}
			}
			if line := pipeline.Doubted(m, e.Train.MinQuality, e.Bench.Specs()); line != "" {
				s.Warnings = append(s.Warnings, line)
			}
			split := manifests.Test
			var models []*lscrf.Model
			measure := func(ctx context.Context, t *lscrf.Trainer, specs []lscrf.Spec, images []lscrf.Scored) (measured []lscrf.Measured, left []string, err error) {
				measured, models, left, err = a.testSplit(ctx, t, specs, images)
				return measured, left, err
			}
			var f lscrf.Folds
			if folds > 0 || foldsFile != "" {
				split = manifests.Train
				measure = func(ctx context.Context, t *lscrf.Trainer, specs []lscrf.Spec, images []lscrf.Scored) ([]lscrf.Measured, []string, error) {
					f.Sort(images)
					t.Loss = a.foldLoss
					return lscrf.CrossValidate(ctx, *t, specs, images, f, a.stageProgress("folds"))
				}
			}
			images, skips, err := lscrf.LoadScored(cmd.Context(), m, split, store, t.About.Setup, a.workers, a.stageProgress("images"))
			if err != nil {
				return err
			}
			s.skip(skips)
			if len(images) == 0 && split == manifests.Test {
				s.Warnings = append(s.Warnings, noTest)
			}
			if split == manifests.Train {
				if f, images, err = heldOut(images, t.Alike, folds, foldsFile, e.Seed); err != nil {
					return err
				}
				for _, tier := range sourced(m, f, e.Bench.Specs()) {
					s.Warnings = append(s.Warnings, fmt.Sprintf("the %s masks were transferred with images that are held out here among their sources: rows with %s are flattered (hdseg study --transfer makes masks anew for every fold)", tier, tier))
				}
			}
			oracle, truth := lscrf.Oracle(images, 2), lscrf.TruthDigest(images)
			if old != nil { // before anything is trained
				if err := report.Comparable(old, lscrf.IDs(images), oracle.Images, truth); err != nil {
					return fmt.Errorf("--compare %s: %w", files.compare, err)
				}
			}
			measured, left, err := measure(cmd.Context(), t, e.Bench.Specs(), images)
			if err != nil {
				return err
			}
			s.Warnings = append(s.Warnings, left...)
			if len(measured) == 0 && len(left) > 0 {
				return errors.New(strings.Join(left, "\n"))
			}
			if len(measured) == 0 {
				return fmt.Errorf("%s: no image has masks of all tiers of any chosen mix", a.in)
			}
			s.Warnings = append(s.Warnings, pipeline.Idle(measured)...)
			s.Read, s.Done = len(m.Records), len(measured)
			b, err := lscrf.NewBench(cmd.Context(), m.Class.Name, lscrf.IDs(images), measured, oracle, e.Bench, e.Seed)
			if err != nil {
				return err
			}
			b.Made = pipeline.MadeFrom(e, digest, truth)
			r := &benchResult{summary: s, Folds: f.Count(), Table: pipeline.Table{Bench: b}}
			if old != nil {
				if r.Changes, err = report.Compare(cmd.Context(), old, b, e.Bench.Samples, e.Seed); err != nil {
					return err
				}
			}
			page, err := a.benchPage(cmd.Context(), &files, e, store, m, digest, r, models)
			if err != nil {
				return err
			}
			r.By = &madeBy{commandLine(), a.machine().Value}
			r.Differences, r.Settings = page.Differences, page.Settings
			if err := files.write(page, b); err != nil {
				return err
			}
			if err := keep.Remove(); err != nil {
				return err
			}
			return a.report(r)
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	a.withMinQuality(cmd)
	c.flags(cmd)
	cmd.Flags().StringVar(&files.csv, "csv", "", "also write the rows to this CSV `file`")
	cmd.Flags().StringVar(&files.html, "html", "", "also write the report to this HTML `file`: tables, plots and pictures in one")
	cmd.Flags().StringVar(&files.markdown, "markdown", "", "also write the tables to this Markdown `file`")
	cmd.Flags().StringVar(&files.compare, "compare", "", "say what changed since an older table, the --json of bench or a build's report/bench.json, and whether beyond noise; a table of another class, of other images or test masks, or without any of the rows is refused")
	cmd.Flags().BoolVar(&join, "join", false, "join the tables of the files that are named, the --json of bench or a build's report/bench.json")
	cmd.Flags().BoolVar(&weighted, "weighted", false, "add the mix of all tiers with weights chosen by cross-validation on the manual training images")
	cmd.Flags().StringVar(&scenes, "scenes", "", "cross-validate on this `folder` in the layout of Stanford Background")
	cmd.Flags().StringSliceVar(&labels, "labels", nil, "names of the labels 0, 1, ... of --scenes")
	cmd.Flags().StringVar(&foldsFile, "folds-file", "", "`file` that keeps the folds, read if it exists (default with --scenes: DATASET-folds.txt)")
	cmd.Flags().IntVar(&folds, "cross-validate", 0, "measure on training images held out in so many `parts`, not on the test split")
	return cmd
}

// noTest warns of a table without scores.
const noTest = "no test record has a mask that can be scored: the table has no scores; --cross-validate measures on training images"

// testSplit trains every model whose mix has images, and measures all on the same images; it returns the models beside
// their measures, and why models are left out whose mix has too few images.
func (a *app) testSplit(ctx context.Context, t *lscrf.Trainer, specs []lscrf.Spec, images []lscrf.Scored) (measured []lscrf.Measured, models []*lscrf.Model, left []string, err error) {
	for i, spec := range specs {
		if ok, err := t.Has(ctx, spec.Tiers); err != nil {
			return nil, nil, nil, err
		} else if !ok {
			continue
		}
		got, err := t.Train(ctx, spec, a.stageProgress(fmt.Sprintf("model %d of %d, %s", i+1, len(specs), spec.Name())))
		if few := new(lscrf.FewError); errors.As(err, &few) {
			left = append(left, lscrf.LeftOut(spec, few))
			continue
		}
		if err != nil {
			return nil, nil, nil, err
		}
		models = append(models, got.Model)
		measured = append(measured, lscrf.Measured{Spec: spec, Images: got.Images, TrainSeconds: got.Seconds})
	}
	scores, err := lscrf.Evaluate(ctx, models, images, a.workers, a.stageProgress("evaluate"))
	for i, s := range scores {
		measured[i].Score = s
	}
	return measured, models, left, err
}
