package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/internal/faults"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// Options choose the rows of the results table.
type Options struct {
	// Tiers are the mixes to train on. An image with several tiers of a mix counts with the first.
	// Default: the paper's five, without the tiers that a data set has no training masks of.
	Tiers []string `yaml:"tiers"`
	// Models are linear, trees, logistic, piecewise or pseudolikelihood. Default linear, which takes
	// a second for all rows together; the paper's tables have trees too.
	Models []string `yaml:"models"`
	// Terms are unary, pairwise or both. Default both. A kind of model without unary terms has no
	// such row.
	Terms []string `yaml:"terms"`
	// Balances are paper, none or both; the first gives the main table. Default both; the others
	// stand below it, for linear models alone. The paper balances its tiers (b) and (c) only.
	Balances []string `yaml:"balances"`
	// Samples is how many bootstrap samples, 1..100000; more steady the intervals. Default 1000.
	Samples int `yaml:"samples"`
}

// MaxSamples is the most bootstrap samples of an interval: its ends are then off by chance by less
// than 1/400 of its width.
const MaxSamples = 100_000

// Resampling returns how to draw so many samples until ctx ends. The caller must ask ctx
// afterwards.
func Resampling(ctx context.Context, samples int) metric.Resampling {
	return metric.Resampling{Samples: samples, Stop: func() bool { return ctx.Err() != nil }}
}

// Defaults returns the defaults of the fields. The tiers are the five mixes of the paper's section
// 6.5: Table 2's (a), (b), (c), and the box-only and label-only runs of its last paragraph.
func Defaults() Options {
	return Options{
		Tiers:  []string{"manual", "manual,bbox", "manual,bbox,label", "bbox", "label"},
		Models: []string{lscrf.Linear}, Terms: []string{lscrf.Unary, lscrf.Pairwise},
		Balances: []string{regress.BalancePaper, regress.BalanceNone}, Samples: 1000,
	}
}

// For returns o for a data set whose training images have masks of these tiers: the default mixes
// lose the tiers that it does not have. Other mixes were chosen by somebody, and stay.
func (o Options) For(tiers []manifests.Tier) Options {
	if !slices.Equal(o.Tiers, Defaults().Tiers) {
		return o
	}
	var mixes []string
	for _, key := range o.Tiers {
		have := slices.DeleteFunc(strings.Split(key, ","), func(t string) bool { return !slices.Contains(tiers, manifests.Tier(t)) })
		if mix := strings.Join(have, ","); mix != "" && !slices.Contains(mixes, mix) {
			mixes = append(mixes, mix)
		}
	}
	if len(mixes) > 0 {
		o.Tiers = mixes
	}
	return o
}

// Validate returns all faults of o.
func (o Options) Validate() error {
	var f faults.List
	for _, t := range o.Tiers {
		_, err := lscrf.ParseMix(t)
		f = append(f, err)
	}
	for _, list := range []struct {
		name      string
		got, want []string
	}{
		{"models", o.Models, lscrf.Kinds()},
		{"terms", o.Terms, []string{lscrf.Unary, lscrf.Pairwise}},
		{"balances", o.Balances, []string{regress.BalanceNone, regress.BalancePaper}},
	} {
		for _, v := range list.got {
			f.Want(slices.Contains(list.want, v), list.name, v, "one of "+strings.Join(list.want, ", "))
		}
	}
	if len(o.Tiers) == 0 || len(o.Models) == 0 || len(o.Terms) == 0 || len(o.Balances) == 0 {
		f = append(f, errors.New("want at least one of tiers, models, terms and balances"))
	}
	f.Want(o.Samples >= 1 && o.Samples <= MaxSamples, "samples", o.Samples,
		fmt.Sprintf("1..%d (more would not move the ends of an interval by 1/400 of its width)", MaxSamples))
	return f.Err()
}

// Specs returns the models of the table in its order, each once.
func (o Options) Specs() []lscrf.Spec {
	var out []lscrf.Spec
	have := map[string]bool{}
	for i, balance := range o.Balances {
		for _, key := range o.Tiers {
			mix, err := lscrf.ParseMix(key)
			if err != nil {
				panic("bench: Options that were not validated: " + err.Error())
			}
			for _, model := range o.Models {
				for _, terms := range o.Terms {
					s := lscrf.Spec{Tiers: mix, Model: model, Terms: terms, Balance: balance}
					if s.Exists() && (i == 0 || model == lscrf.Linear) && !have[s.Name()] {
						have[s.Name()] = true
						out = append(out, s)
					}
				}
			}
		}
	}
	return out
}
