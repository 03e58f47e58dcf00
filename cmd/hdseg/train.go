package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/manifests"
)

type trainResult struct {
	summary
	Model  string           `json:"model"` // file
	Tiers  []manifests.Tier `json:"tiers"`
	Terms  string           `json:"terms"`
	Images int              `json:"images"`
	Train  float64          `json:"train_seconds"`
}

func (r *trainResult) table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s model of %s on %d images, %.2f s: %s\n", r.Terms, lscrf.Mix(r.Tiers), r.Images, r.Train, r.Model)
	return err
}

func (a *app) trainCommand() *cobra.Command {
	var c choice
	cmd := &cobra.Command{
		Use: "train", Short: "Fit one LS-CRF model", Args: noArgs,
		Example: "  hdseg train -i out/horseseg.yaml --tiers manual,bbox --terms pairwise -o horse.model",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.out == "" {
				return usagef("hdseg train: -o is missing: name the model file to write")
			}
			store, m, digest, err := a.input("train")
			if err != nil {
				return err
			}
			e, err := configs.Load(a.config, a.set...)
			if err != nil {
				return err
			}
			c.balances = cmp.Or(c.balances, e.Train.Balance)
			c.tiers, c.terms = cmp.Or(c.tiers, "manual"), cmp.Or(c.terms, lscrf.Pairwise)
			if err := c.apply(&e.Bench); err != nil {
				return err
			}
			specs := e.Bench.Specs()
			if len(specs) != 1 {
				return usagef("hdseg train: want one tier mix and one of unary, pairwise; hdseg bench trains many")
			}
			s := newSummary("train")
			stats, n, err := a.collect(cmd, e, store, m, digest, &s)
			if err != nil {
				return err
			}
			t, err := stats.TrainSpec(specs[0], e.Train, lscrf.Model{Class: e.Class.Name, Setup: e.Setup(), Manifest: digest})
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
			s.Read, s.Done = n, t.Images
			return a.report(&trainResult{s, a.out, t.Tiers, t.Terms, t.Images, t.Seconds})
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	a.withOut(cmd, "model file to write (required)")
	c.flags(cmd)
	cmd.Flags().Lookup("tiers").Usage = "tier mix to train on (default: manual)"
	cmd.Flags().Lookup("terms").Usage = "unary or pairwise (default: pairwise)"
	cmd.Flags().Lookup("balance").Usage = "paper or none (default: the config's train.balance)"
	return cmd
}
