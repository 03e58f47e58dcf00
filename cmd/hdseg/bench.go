package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/report"
	"hdseg/manifests"
)

type benchResult struct {
	summary
	*lscrf.Bench
}

func (r *benchResult) table(w io.Writer) error {
	return report.Text(w, report.Options{Times: true}, r.Bench)
}

func (a *app) benchCommand() *cobra.Command {
	var c choice
	csvFile := ""
	cmd := &cobra.Command{
		Use: "bench", Short: "Train on every mix of tiers and print the results table", Args: noArgs,
		Long: `bench trains a model for every tier mix, with unary and with pairwise terms, and measures each on the
test split: per-class accuracy pooled over pixels and as the mean over images, pixel accuracy, IoU, boundary F,
with 95% bootstrap intervals over test images in --json and --csv.`,
		Example: `  hdseg bench -i out/horseseg.yaml
  hdseg bench -i out/horseseg.yaml --tiers 'manual;manual,bbox' --terms unary,pairwise --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, m, digest, err := a.input("bench")
			if err != nil {
				return err
			}
			e, err := configs.Load(a.config, a.set...)
			if err != nil {
				return err
			}
			if err := c.apply(&e.Bench); err != nil {
				return err
			}
			s := newSummary("bench")
			stats, _, err := a.collect(cmd, e, store, m, digest, &s)
			if err != nil {
				return err
			}
			test, skips, err := lscrf.LoadTest(cmd.Context(), m, store, e.Setup(), a.workers, a.stageProgress("test"))
			if err != nil {
				return err
			}
			s.skip(skips)
			var measured []lscrf.Measured
			show := a.stageProgress("bench")
			specs := e.Bench.Specs()
			for i, spec := range specs {
				if !stats.Has(spec.Tiers) {
					continue
				}
				t, err := stats.TrainSpec(spec, e.Train, lscrf.Model{Class: m.Class.Name, Setup: e.Setup(), Manifest: digest})
				if err != nil {
					return err
				}
				score, err := lscrf.Evaluate(cmd.Context(), t.Model, test, a.workers)
				if err != nil {
					return err
				}
				measured = append(measured, lscrf.Measured{Spec: spec, Images: t.Images, Score: score, TrainSeconds: t.Seconds})
				show(i+1, len(specs))
			}
			s.Read, s.Done = len(m.Records), len(measured)
			b := lscrf.NewBench(m.Class.Name, measured, lscrf.Oracle(test), e.Bench, e.Seed)
			if csvFile != "" {
				var text strings.Builder
				if err := report.CSV(&text, b); err != nil {
					return err
				}
				if err := manifests.WriteFile(csvFile, filepath.Dir(csvFile), []byte(text.String())); err != nil {
					return err
				}
			}
			return a.report(&benchResult{s, b})
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	c.flags(cmd)
	cmd.Flags().StringVar(&csvFile, "csv", "", "also write the rows to this CSV `file`")
	return cmd
}
