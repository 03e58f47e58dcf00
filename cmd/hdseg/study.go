package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/bench/study"
	"hdseg/manifests"
)

type studyResult struct {
	summary
	Class string `json:"class"`
	*study.Result
}

func (r *studyResult) table(w io.Writer) error {
	if err := report.Sections(w, studySections(r.Class, r.Result)); err != nil {
		return err
	}
	var times []string
	for _, part := range slices.Sorted(maps.Keys(r.Times)) {
		times = append(times, fmt.Sprintf("%s %.1f s", part, r.Times[part]))
	}
	_, err := fmt.Fprintf(w, "\ntimes: %s\n", strings.Join(times, ", "))
	return err
}

func (a *app) studyCommand() *cobra.Command {
	o, files := study.Defaults(), reportFiles{}
	cmd := &cobra.Command{
		Use: "study", Short: "Learning curves, exchange rates, and what each tier adds", Args: noArgs,
		Long: `study asks what the table of bench does not: accuracy against the number of images of each tier, how many images
of a tier replace a manual one, and what each tier adds beside the others. All is measured on the test split, from which
nothing is chosen.

Models are linear, on the cached features. With --model trees they are trees, which take longer; finished ones are kept
in .work/models of the data set until the study is done, so that an interrupted study goes on. A point with too few
images for the settings is left out, with the reason.`,
		Example: `  hdseg study -i out/horseseg.yaml
  hdseg study -i out/dogseg.yaml -c dogseg --draws 10 --html study.html --json
  hdseg study -i out/horseseg.yaml --model trees --draws 2 --set train.trees.leaves=shared --set train.trees.trees=300`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.study(cmd, o, &files) },
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	cmd.Flags().StringVar(&o.Model, "model", o.Model, "linear or trees")
	cmd.Flags().IntVar(&o.Draws, "draws", o.Draws, "random orders of the images per learning curve, 1 to 1000")
	files.flags(cmd, "study")
	return cmd
}

func (a *app) study(cmd *cobra.Command, o study.Options, files *reportFiles) error {
	e, err := a.experiment()
	if err != nil {
		return err
	}
	o.Seed, o.Samples, o.Workers = e.Seed, e.Bench.Samples, a.workers
	if err := o.Validate(); err != nil {
		return &usageError{err}
	}
	if err := a.outFiles(nil, files.outs()...); err != nil {
		return err
	}
	set, err := a.dataset("study")
	if err != nil {
		return err
	}
	s := newSummary("study")
	t, close, err := a.trainer(cmd, shardFlag{}, e, set, &s)
	if err != nil {
		return err
	}
	defer close()
	kept := a.keep(t, pipeline.StoreKept(set.store, a.warn))
	test, skips, err := bench.Load(cmd.Context(), set.m, manifests.Test, set.store, t.About.Setup, a.workers, a.stageProgress("test"))
	if err != nil {
		return err
	}
	s.skip(skips)
	in := &study.Input{Train: t.Source, Test: test, About: t.About, Options: e.Train, Groups: t.Groups, Kept: kept}
	r, err := study.Run(cmd.Context(), in, o, a.partProgress())
	if err != nil {
		return err
	}
	if r.Masks, err = study.CompareMasks(cmd.Context(), set.m, set.store); err != nil {
		return err
	}
	s.Read, s.Done = len(set.m.Records), t.Source.Len()
	s.warn(r.Left...)
	if *files != (reportFiles{}) {
		p, err := pipeline.NewPage(cmd.Context(), e, set.m, set.digest, nil, commandLine())
		if err != nil {
			return err
		}
		p.Facts, p.Studies = append(p.Facts, a.machine()), studySections(set.m.Class.Name, r)
		if err := files.write(p); err != nil {
			return err
		}
	}
	if err := kept.Remove(); err != nil {
		return err
	}
	return a.report(&studyResult{s, set.m.Class.Name, r})
}
