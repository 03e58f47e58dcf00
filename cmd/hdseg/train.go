package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"hdseg/lscrf"
	"hdseg/manifests"
)

type trainResult struct {
	summary
	Model  string           `json:"model"` // file
	Tiers  []manifests.Tier `json:"tiers"`
	Kind   string           `json:"kind"`
	Terms  string           `json:"terms"`
	Images int              `json:"images"`
	Train  float64          `json:"train_seconds"`
}

func (r *trainResult) table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s %s model of %s on %d images, %.2f s: %s\n", r.Kind, r.Terms, lscrf.Mix(r.Tiers), r.Images, r.Train, r.Model)
	return err
}

func (a *app) trainCommand() *cobra.Command {
	var c choice
	cmd := &cobra.Command{
		Use: "train", Short: "Fit one model", Args: noArgs,
		Long: `train fits one model to the training images of a mix of tiers: LS-CRF with linear least squares (linear) or boosted
trees (trees), or one of the baselines logistic, piecewise and pseudolikelihood.`,
		Example: `  hdseg train -i out/horseseg.yaml --tiers manual,bbox --terms pairwise -o horse.model
  hdseg train -i out/horseseg.yaml --model trees --set train.trees.trees=200 -o horse.model`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.out == "" {
				return usagef("hdseg train: -o is missing: name the model file to write")
			}
			store, m, digest, err := a.input("train")
			if err != nil {
				return err
			}
			e, err := a.experiment()
			if err != nil {
				return err
			}
			c.balances = cmp.Or(c.balances, e.Train.Balance)
			c.tiers, c.models, c.terms = cmp.Or(c.tiers, "manual"), cmp.Or(c.models, lscrf.Linear), cmp.Or(c.terms, lscrf.Pairwise)
			if err := c.apply(&e.Bench); err != nil {
				return err
			}
			specs := e.Bench.Specs()
			if len(specs) != 1 {
				return usagef("hdseg train: want one tier mix, one model and one of unary, pairwise that the model has; hdseg bench trains many")
			}
			s := newSummary("train")
			trainer, close, err := a.trainer(cmd, e, store, m, digest, &s)
			if err != nil {
				return err
			}
			defer close()
			trainer.About.Class = e.Class.Name
			t, err := trainer.Train(cmd.Context(), specs[0], a.stageProgress("train"))
			if err != nil {
				return err
			}
			data, err := t.Model.MarshalBinary()
			if err != nil {
				return err
			}
			if err := manifests.WriteFile(a.out, filepath.Dir(a.out), data); err != nil {
				return err
			}
			s.Read, s.Done = trainer.Source.Len(), t.Images
			return a.report(&trainResult{s, a.out, t.Tiers, t.Kind, t.Terms, t.Images, t.Seconds})
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	a.withOut(cmd, "model file to write (required)")
	c.flags(cmd)
	cmd.Flags().Lookup("tiers").Usage = "tier mix to train on (default: manual)"
	cmd.Flags().Lookup("model").Usage = "linear, trees, logistic, piecewise or pseudolikelihood (default: linear)"
	cmd.Flags().Lookup("terms").Usage = "unary or pairwise (default: pairwise)"
	cmd.Flags().Lookup("balance").Usage = "paper or none (default: the config's train.balance)"
	return cmd
}
