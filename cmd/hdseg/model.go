package main

import (
	"encoding"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/bench/report"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// features returns the cache of a manifest's features, made if it is missing or of other
// settings; of all records or of one shard.
func (a *app) features(cmd *cobra.Command, shard shardFlag, e *configs.Experiment, store *manifests.Store, m *manifests.Manifest,
	digest manifests.Digest, s *summary) (*pipeline.Features, error) {
	f, err := pipeline.MakeFeatures(cmd.Context(), shard.Shard, e, store, m, digest, a.workers, a.stageProgress)
	if err == nil {
		s.skip(f.Skips)
	}
	return f, err
}

// rowFlags choose rows of the table on the command line; "" is the config's.
type rowFlags struct {
	tiers, models, terms, balances string
}

// apply replaces the bench's rows by those chosen. --tiers names one mix; several are separated by
// ';'.
func (c rowFlags) apply(o *bench.Options) error {
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

func (c *rowFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.tiers, "tiers", "", "tier mix, such as manual,bbox; several mixes are separated by ';' (default: the "+
		"config's bench.tiers)")
	cmd.Flags().StringVar(&c.models, "model", "", "linear, trees, logistic, piecewise or pseudolikelihood, or several: linear,trees "+
		"(default: the config's bench.models)")
	cmd.Flags().StringVar(&c.terms, "terms", "", "unary, pairwise or both (default: the config's bench.terms)")
	cmd.Flags().StringVar(&c.balances, "balance", "", "paper, none, or both: paper,none, of which the first gives the main table "+
		"(default: the config's bench.balances)")
}

// trainer returns the trainer of a data set's training split; call close when it is done.
func (a *app) trainer(cmd *cobra.Command, shard shardFlag, e *configs.Experiment, set *dataset, s *summary) (t *lscrf.Trainer,
	close func(), err error) {
	if got, want := e.Class.Name, set.m.Class.Name; got != want && want != "" {
		if cmd.Flags().Changed("config") {
			s.warn(fmt.Sprintf("-c %s is of the class %s, %s of the class %s: the settings are taken as they are", a.config,
				got, a.in, want))
		}
		e.Class = configs.Class{Name: want, VOC: set.m.Class.VOC, Synsets: set.m.Class.Synsets}
		// of the manifest: what the settings say of sources does not matter any more
		e.Dataset = set.m.Dataset
	}
	f, err := a.features(cmd, shard, e, set.store, set.m, set.digest, s)
	if err != nil {
		return nil, nil, err
	}
	t = pipeline.NewTrainer(e, f, set.m, set.digest, a.workers)
	t.About.Class, t.Loss = set.m.Class.Name, a.trainLoss
	if t.Source.Len() == 0 && shard.Of == 0 {
		f.Close()
		return nil, nil, fmt.Errorf("%s: no training record has a mask", a.in)
	}
	return t, func() { f.Close() }, nil
}

// keep lets a trainer keep finished models, and says after an interruption whether any is kept.
func (a *app) keep(t *lscrf.Trainer, k *pipeline.Kept) *pipeline.Kept {
	t.Kept = k
	a.after = func() string {
		if k.Any() {
			return "finished models are kept, and the same command goes on with the next one"
		}
		return repeats()
	}
	return k
}

// readBinary reads a file of a model or of statistics.
func readBinary[T any, P interface {
	*T
	encoding.BinaryUnmarshaler
}](file string) (P, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v := P(new(T))
	if err := v.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return v, nil
}

func (a *app) evaluateCommand() *cobra.Command {
	model := ""
	cmd := &cobra.Command{
		Use: "evaluate MANIFEST", Short: "Measure a model on the test split",
		Example: "  hdseg evaluate out/horseseg.yaml --model horse.model",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if model == "" {
				return usagef("hdseg evaluate: --model is missing")
			}
			mod, err := readBinary[lscrf.Model](model)
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
	a.withManifest(cmd)
	cmd.Flags().StringVar(&model, "model", "", "model file (required)")
	return cmd
}
