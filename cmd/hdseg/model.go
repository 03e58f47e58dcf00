package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/cache"
	"hdseg/manifests"
)

// featureDir is the folder of the feature cache in a data set.
const featureDir = "features"

// features returns the cache of a manifest's features, made if it is missing or of other
// settings.
func (a *app) features(cmd *cobra.Command, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest, digest manifests.Digest, s *summary) (*cache.Cache, error) {
	key := configs.Digest(digest, e.Setup())
	if c, err := cache.Open(store, featureDir); err == nil {
		if c.Key == key {
			return c, nil
		}
		c.Close()
	}
	_, skips, err := lscrf.Extract(cmd.Context(), m, store, e.Setup(), featureDir, key, a.workers, a.stageProgress("features"))
	if err != nil {
		return nil, err
	}
	s.skip(skips)
	return cache.Open(store, featureDir)
}

// A choice of models on the command line.
type choice struct {
	tiers, terms, balances string
}

// apply replaces the bench's rows by those chosen. --tiers names one mix; several are separated by ';'.
func (c choice) apply(o *lscrf.BenchOptions) error {
	if c.tiers != "" {
		o.Tiers = strings.Split(c.tiers, ";")
	}
	if c.terms != "" {
		o.Terms = strings.Split(c.terms, ",")
	}
	if c.balances != "" {
		o.Balances = strings.Split(c.balances, ",")
	}
	if err := o.Validate(); err != nil {
		return &usageError{err}
	}
	return nil
}

func (c *choice) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.tiers, "tiers", "", "tier mix, such as manual,bbox; several mixes are separated by ';' (default: the config's bench.tiers)")
	cmd.Flags().StringVar(&c.terms, "terms", "", "unary, pairwise or both: unary,pairwise (default: the config's bench.terms)")
	cmd.Flags().StringVar(&c.balances, "balance", "", "paper, none or both; the first gives the main table (default: the config's bench.balances)")
}

// collect makes one pass over the training features.
func (a *app) collect(cmd *cobra.Command, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest, digest manifests.Digest, s *summary) (*lscrf.Statistics, int, error) {
	c, err := a.features(cmd, e, store, m, digest, s)
	if err != nil {
		return nil, 0, err
	}
	defer c.Close()
	src := lscrf.FromCache(c, manifests.Train)
	if src.Len() == 0 {
		return nil, 0, fmt.Errorf("%s: no training record has a mask", a.in)
	}
	stats, err := lscrf.Collect(cmd.Context(), src, e.Train.Orientation, a.workers, a.stageProgress("collect"))
	return stats, src.Len(), err
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
