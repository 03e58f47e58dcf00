package main

import (
	"github.com/spf13/cobra"

	"hdseg/lscrf"
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
			store, m, _, err := a.input("evaluate")
			if err != nil {
				return err
			}
			s := newSummary("evaluate")
			test, skips, err := lscrf.LoadTest(cmd.Context(), m, store, mod.Setup, a.workers, a.stageProgress("test"))
			if err != nil {
				return err
			}
			s.skip(skips)
			score, err := lscrf.Evaluate(cmd.Context(), mod, test, a.workers)
			if err != nil {
				return err
			}
			s.Read, s.Done = len(test)+len(skips), len(test)
			o := lscrf.BenchDefaults()
			o.Tiers, o.Terms, o.Balances = []string{mod.Tiers.Key()}, []string{mod.Terms}, []string{mod.Options.Balance}
			measured := lscrf.Measured{Spec: o.Specs()[0], Images: mod.Images, Score: score}
			return a.report(&benchResult{s, lscrf.NewBench(m.Class.Name, []lscrf.Measured{measured}, lscrf.Oracle(test), o, m.Seed)})
		},
	}
	a.withIn(cmd)
	cmd.Flags().StringVar(&model, "model", "", "model file (required)")
	return cmd
}
