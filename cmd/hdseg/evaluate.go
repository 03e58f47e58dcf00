package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/manifests"
)

func (a *app) evaluateCommand() *cobra.Command {
	model := ""
	cmd := &cobra.Command{
		Use: "evaluate", Short: "Measure a model on the test split", Args: noArgs,
		Example: "  hdseg evaluate -i out/horseseg.yaml --model horse.model",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if model == "" {
				return usagef("hdseg evaluate: --model is missing")
			}
			mod, err := readModel(model)
			if err != nil {
				return err
			}
			set, err := a.dataset("evaluate")
			if err != nil {
				return err
			}
			s := newSummary("evaluate")
			test, skips, err := bench.Load(cmd.Context(), set.m, manifests.Test, set.store, mod.Setup, a.workers, a.stageProgress("test"))
			if err != nil {
				return err
			}
			s.skip(skips)
			if len(test) == 0 {
				s.warn("no test record has a mask that can be scored: there are no scores")
			}
			if got, want := set.m.Class.Name, mod.Class; got != want && got != "" && want != "" {
				s.warn(fmt.Sprintf("the model was trained on the category %s and measured on the category %s: the scores say how well it "+
					"carries over", want, got))
			}
			scores, err := bench.Evaluate(cmd.Context(), []*lscrf.Model{mod}, test, a.workers, a.stageProgress("evaluate"))
			if err != nil {
				return err
			}
			s.Read, s.Done = len(test)+len(skips), len(test)
			spec := lscrf.Spec{Tiers: mod.Tiers, Model: mod.Kind, Terms: mod.Terms, Balance: mod.Options.Balance}
			measured := []bench.Measured{{Spec: spec, Images: mod.Images, Score: scores[0]}}
			table, err := bench.NewTable(cmd.Context(), set.m.Class.Name, bench.IDs(test), []lscrf.Spec{spec}, measured,
				bench.Oracle(test, len(mod.Labels)), bench.Defaults().Samples, set.m.Seed)
			if err != nil {
				return err
			}
			table.Made = bench.Made{Manifest: set.digest, Truth: bench.TruthDigest(test), Setup: configs.Digest(mod.Setup),
				Train: configs.Digest(mod.Options), Seed: set.m.Seed}
			return a.report(&benchResult{summary: s, Table: pipeline.Table{Table: table, Differences: []report.Difference{}}})
		},
	}
	a.withIn(cmd)
	cmd.Flags().StringVar(&model, "model", "", "model file (required)")
	return cmd
}
