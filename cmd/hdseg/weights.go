package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench/study"
	"hdseg/manifests"
)

// addWeighted adds to the table of a bench the mix of all tiers whose weights are chosen by cross-validation on the manual
// training images, as hdseg study chooses them.
func (a *app) addWeighted(cmd *cobra.Command, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest, t *lscrf.Trainer, s *summary) error {
	manual, _, err := lscrf.LoadScored(cmd.Context(), m, manifests.Train, store, t.About.Setup, a.workers, a.stageProgress("manual"))
	if err != nil {
		return err
	}
	o := study.Defaults()
	o.Seed, o.Samples, o.Workers = e.Seed, e.Bench.Samples, a.workers
	in := &study.Input{Train: t.Source, Manual: manual, About: t.About, Options: e.Train, Alike: t.Alike}
	mix, err := study.ChooseWeights(cmd.Context(), in, o, a.partProgress())
	if err != nil {
		return err
	}
	if len(mix) == 0 {
		return errors.New("tier weights: no mix of tiers could be measured")
	}
	if slices.Contains(e.Bench.Tiers, mix.Key()) {
		s.Warnings = append(s.Warnings, "the weights that cross-validation chose are those of the row "+mix.String())
		return nil
	}
	e.Bench.Tiers = append(e.Bench.Tiers, mix.Key())
	return nil
}
