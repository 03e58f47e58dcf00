package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
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
			store, m, digest, err := a.input("evaluate")
			if err != nil {
				return err
			}
			s := newSummary("evaluate")
			test, skips, err := lscrf.LoadScored(cmd.Context(), m, manifests.Test, store, mod.Setup, a.workers, a.stageProgress("test"))
			if err != nil {
				return err
			}
			s.skip(skips)
			if len(test) == 0 {
				s.Warnings = append(s.Warnings, "no test record has a mask that can be scored: there are no scores")
			}
			if got, want := m.Class.Name, mod.Class; got != want && got != "" && want != "" {
				s.Warnings = append(s.Warnings, fmt.Sprintf("the model was trained on the category %s and measured on the category %s: the scores say how well it carries over", want, got))
			}
			scores, err := lscrf.Evaluate(cmd.Context(), []*lscrf.Model{mod}, test, a.workers, a.stageProgress("evaluate"))
			if err != nil {
				return err
			}
			s.Read, s.Done = len(test)+len(skips), len(test)
			o := lscrf.BenchDefaults()
			o.Tiers, o.Balances = []string{mod.Tiers.Key()}, []string{mod.Options.Balance}
			spec := lscrf.Spec{Tiers: mod.Tiers, Model: mod.Kind, Terms: mod.Terms, Balance: mod.Options.Balance}
			measured := lscrf.Measured{Spec: spec, Images: mod.Images, Score: scores[0]}
			b, err := lscrf.NewBench(cmd.Context(), m.Class.Name, lscrf.IDs(test), []lscrf.Measured{measured}, lscrf.Oracle(test, len(mod.Labels)), o, m.Seed)
			if err != nil {
				return err
			}
			b.Made = lscrf.Made{Manifest: digest, Truth: lscrf.TruthDigest(test), Setup: configs.Digest(mod.Setup), Train: configs.Digest(mod.Options), Seed: m.Seed}
			return a.report(&benchResult{summary: s, Table: pipeline.Table{Bench: b, Differences: []report.Difference{}}})
		},
	}
	a.withIn(cmd)
	cmd.Flags().StringVar(&model, "model", "", "model file (required)")
	return cmd
}
