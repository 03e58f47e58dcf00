package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// features returns the cache of a manifest's features, made if it is missing or of other
// settings; of all records or of one shard.
func (a *app) features(cmd *cobra.Command, shard shardFlag, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest, digest manifests.Digest, s *summary) (*pipeline.Features, error) {
	f, err := pipeline.MakeFeatures(cmd.Context(), shard.Shard, e, store, m, digest, a.workers, a.stageProgress)
	if err == nil {
		s.skip(f.Skips)
	}
	return f, err
}

// A choice of models on the command line.
type choice struct {
	tiers, models, terms, balances string
}

// apply replaces the bench's rows by those chosen. --tiers names one mix; several are separated by ';'.
func (c choice) apply(o *lscrf.BenchOptions) error {
	if c.tiers != "" {
		o.Tiers = strings.Split(c.tiers, ";")
	}
	if c.models != "" {
		o.Models = strings.Split(c.models, ",")
	}
	if c.terms != "" {
		o.Terms = several(c.terms, lscrf.Unary, lscrf.Pairwise)
	}
	if c.balances != "" {
		o.Balances = several(c.balances, regress.BalancePaper, regress.BalanceNone)
	}
	if err := o.Validate(); err != nil {
		return &usageError{err}
	}
	return nil
}

// several returns the values of a list; "both" is the two that there are.
func several(list, first, second string) []string {
	if list == "both" {
		return []string{first, second}
	}
	return strings.Split(list, ",")
}

func (c *choice) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.tiers, "tiers", "", "tier mix, such as manual,bbox, or with weights manual@0.25,bbox; several mixes are separated by ';' (default: the config's bench.tiers)")
	cmd.Flags().StringVar(&c.models, "model", "", "linear, trees, logistic, piecewise or pseudolikelihood, or several: linear,trees (default: the config's bench.models)")
	cmd.Flags().StringVar(&c.terms, "terms", "", "unary, pairwise or both (default: the config's bench.terms)")
	cmd.Flags().StringVar(&c.balances, "balance", "", "paper, none, or both: paper,none, of which the first gives the main table (default: the config's bench.balances)")
}

// trainer returns the trainer of a manifest's training split; call close when it is done.
func (a *app) trainer(cmd *cobra.Command, shard shardFlag, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest, digest manifests.Digest, s *summary) (t *lscrf.Trainer, close func(), err error) {
	if got, want := e.Class.Name, m.Class.Name; got != want && want != "" {
		if cmd.Flags().Changed("config") {
			s.Warnings = append(s.Warnings, fmt.Sprintf("-c %s is of the class %s, %s of the class %s: the settings are taken as they are", a.config, got, a.in, want))
		}
		e.Class = configs.Class{Name: want, VOC: m.Class.VOC, Synsets: m.Class.Synsets}
		e.Dataset = m.Dataset // of the manifest: what the settings say of sources does not matter any more
	}
	f, err := a.features(cmd, shard, e, store, m, digest, s)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range pipeline.LeftOut(m, e.Train.MinQuality) {
		a.warn(line)
	}
	t = pipeline.NewTrainer(e, f, m, digest, a.workers)
	t.About.Class = m.Class.Name
	if t.Source.Len() == 0 && shard.Of == 0 {
		f.Close()
		return nil, nil, fmt.Errorf("%s: no training record has a mask", a.in)
	}
	return t, func() { f.Close() }, nil
}

// withMinQuality adds --min-quality, which is a setting: what --set says of it as well must agree.
func (a *app) withMinQuality(cmd *cobra.Command) {
	cmd.Flags().Func("min-quality", "train only on masks of at least this predicted `IoU`, 0..1, and on all manual ones; above 0 masks of which nothing predicts it are left out (sets train.minQuality)", func(value string) error {
		if q, err := strconv.ParseFloat(value, 64); err != nil || !(q >= 0 && q <= 1) {
			return errors.New("want 0..1")
		}
		a.set = append(a.set, "train.minQuality="+value)
		return nil
	})
}

// readModel reads a model file.
func readModel(file string) (*lscrf.Model, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m := new(lscrf.Model)
	if err := m.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}
