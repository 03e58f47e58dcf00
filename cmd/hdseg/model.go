package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/cache"
	"hdseg/lscrf/report"
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

type featuresResult struct {
	summary
	Cache string           `json:"cache"` // folder
	Dim   int              `json:"dim"`
	Key   manifests.Digest `json:"key"`
}

func (r *featuresResult) table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "features of %d images, %d per superpixel, in %s\n", r.Done, r.Dim, r.Cache)
	return err
}

func (a *app) featuresCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "features", Short: "Cut images into superpixels and compute their features", Args: noArgs,
		Long: `features writes the feature cache OUT/features of the data set that the manifest lies in: Apache Arrow
files with the superpixel features, edges and labels per tier of every image that has a mask.`,
		Example: "  hdseg features -i out/horseseg.yaml --set superpixel.count=500",
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, m, digest, err := a.input("features")
			if err != nil {
				return err
			}
			e, err := configs.Load(a.config, a.set...)
			if err != nil {
				return err
			}
			s := newSummary("features")
			c, err := a.features(cmd, e, store, m, digest, &s)
			if err != nil {
				return err
			}
			defer c.Close()
			s.Read, s.Done = len(m.Records), c.Len()
			return a.report(&featuresResult{s, filepath.Join(store.Dir(), featureDir), c.Dim, c.Key})
		},
	}
	a.withIn(cmd)
	a.withConfig(cmd)
	return cmd
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
			return a.report(&benchResult{s, lscrf.NewBench(m.Class.Name, slices.Clip([]lscrf.Measured{measured}), lscrf.Oracle(test), o, m.Seed)})
		},
	}
	a.withIn(cmd)
	cmd.Flags().StringVar(&model, "model", "", "model file (required)")
	return cmd
}
