package main

import (
	"encoding"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf"
	"hdseg/lscrf/bench"
)

// rowFlags choose rows of the table on the command line; "" is the config's.
type rowFlags struct {
	tiers, models, terms, balances string
}

// apply replaces the bench's rows by those chosen. --tiers names one mix; several are separated by
// ';'.
func (c rowFlags) apply(o *bench.Options) error {
	if c.tiers != "" {
		o.Tiers = strings.Split(c.tiers, ";")
		for _, mix := range o.Tiers {
			if _, err := lscrf.ParseMix(mix); err != nil {
				_, why, _ := strings.Cut(err.Error(), ": ") // behind the value
				return usagef("--tiers %s: %s%s", mix, why, configs.Meant(mix, values["tiers"]))
			}
		}
	}
	for _, f := range []struct {
		flag, given string
		rows        *[]string
		values      []string
	}{
		{"--model", c.models, &o.Models, lscrf.Kinds()}, {"--terms", c.terms, &o.Terms, values["terms"]},
		{"--balance", c.balances, &o.Balances, values["balance"]},
	} {
		switch {
		case f.given == "":
			continue
		case f.given == "both" && len(f.values) == 2:
			*f.rows = slices.Clone(f.values)
		default:
			*f.rows = strings.Split(f.given, ",")
		}
		for _, v := range *f.rows {
			if err := oneOf(f.flag, v, f.values); err != nil {
				return err
			}
		}
	}
	return usage(o.Validate())
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

// plainToo is the default of --preset where a data set may be one that was made without a network.
func plainToo(without string) string {
	return "network; " + without + " for a data set that was made without"
}

// withPreset adds --preset.
func (a *app) withPreset(cmd *cobra.Command, without string) {
	usage := "what models are made of: "
	for _, p := range configs.Presets() {
		usage += p.Name + " (" + p.Text + "), "
	}
	cmd.Flags().StringVar(&a.preset, "preset", "", usage+"but for what the config, --set and other flags say (default: "+without+")")
}

// kind returns the kind of model of a command that trains one: the config's, if it names one alone,
// or the preset's.
func (a *app) kind(e *configs.Experiment) string {
	if len(e.Bench.Models) == 1 {
		return e.Bench.Models[0]
	}
	return a.models.Kind
}

// trainable refuses models that no training set can serve, before any work.
func trainable(e *configs.Experiment) error {
	for _, s := range e.Bench.Specs() {
		if err := s.Trainable(e.Train, e.Feature); err != nil {
			return &usageError{err}
		}
	}
	return nil
}

// trainer returns the trainer of a data set's training split; call close when it is done.
func (a *app) trainer(cmd *cobra.Command, shard shardFlag, e *configs.Experiment, set *pipeline.Dataset) (t *lscrf.Trainer,
	close func(), err error) {
	if got, want := e.Class.Name, set.Manifest.Class.Name; got != want && want != "" {
		if cmd.Flags().Changed("config") {
			a.warn(fmt.Sprintf("-c %s is of the class %s, %s of the class %s: the settings are taken as they are", a.config,
				got, a.in, want))
		}
		e.Class = configs.Class{Name: want, VOC: set.Manifest.Class.VOC, Synsets: set.Manifest.Class.Synsets}
		// of the manifest: what the settings say of sources does not matter any more
		e.Dataset = set.Manifest.Dataset
	}
	f, err := a.features(cmd, shard, e, set)
	if err != nil {
		return nil, nil, err
	}
	set.Store = f.Store // finished models lie where features may
	t = pipeline.NewTrainer(e, f, set, a.workers)
	t.About.Class, t.Loss = set.Manifest.Class.Name, a.trainLoss
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

// readBinary reads a file of a kind, a model or statistics, into v.
func readBinary(file, kind string, v encoding.BinaryUnmarshaler) error {
	if err := wants(file, kind); err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := v.UnmarshalBinary(data); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// writeBinary writes a file of a model or of statistics, and returns its bytes.
func writeBinary(file string, v encoding.BinaryMarshaler) ([]byte, error) {
	data, err := v.MarshalBinary()
	if err == nil {
		err = writeFile(file, data)
	}
	return data, err
}
