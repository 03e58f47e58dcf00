// Package bench measures models and makes the results table: which models are trained on which
// tiers, how their labelings are scored, by a test split or by cross-validation on training images,
// and the rows with their intervals. Package report prints the table, package study asks what it
// does not.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// Options choose the rows of the results table.
type Options struct {
	// Tiers are the mixes to train on, each written as "manual,bbox"; an image with several tiers
	// of a mix counts with the first. Default: the paper's five.
	Tiers []string `yaml:"tiers"`
	// Models are kinds of models, see lscrf.Kinds. Default linear, which takes a second for all
	// rows together; the paper's tables have trees too.
	Models []string `yaml:"models"`
	// Terms are unary and pairwise; default both. A kind of model without unary terms has no such
	// row.
	Terms []string `yaml:"terms"`
	// Balances are class balances, paper and none; default both. The first gives the main table,
	// the others stand below it, for linear models alone. The paper balances its tiers (b) and (c)
	// only.
	Balances []string `yaml:"balances"`
	// Samples is the number of bootstrap samples of the intervals, 1..MaxSamples; default 1000.
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

// Validate returns all faults of o.
func (o Options) Validate() error {
	var errs []error
	for _, t := range o.Tiers {
		if _, err := lscrf.ParseMix(t); err != nil {
			errs = append(errs, err)
		}
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
			if !slices.Contains(list.want, v) {
				errs = append(errs, fmt.Errorf("%s: got %q, want one of %q", list.name, v, list.want))
			}
		}
	}
	if len(o.Tiers) == 0 || len(o.Models) == 0 || len(o.Terms) == 0 || len(o.Balances) == 0 {
		errs = append(errs, errors.New("want at least one of tiers, models, terms and balances"))
	}
	if o.Samples < 1 || o.Samples > MaxSamples {
		errs = append(errs, fmt.Errorf("samples: got %d, want 1..%d (more would not move the ends of an interval by 1/400 of its width)",
			o.Samples, MaxSamples))
	}
	return errors.Join(errs...)
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

// A Measured is a model of the table with its score.
type Measured struct {
	Spec         lscrf.Spec `json:"spec"`
	Images       int        `json:"images"` // trained on
	Score        *Score     `json:"score"`
	TrainSeconds float64    `json:"-"`
	// Choices are what the folds of a cross-validation chose; none where nothing was to be chosen.
	Choices []FoldChoice `json:"choices,omitempty"`
}

// A FoldChoice is what training without a fold chose.
type FoldChoice struct {
	Fold int `json:"fold"`
	lscrf.Choice
}

// A Table is the results table of one data set.
type Table struct {
	// ids of the images that all rows were measured on, in the order of their Counts
	Test          []string `json:"test,omitempty"`
	Rows          []Row    `json:"rows"`           // under the first balance
	OtherBalances []Row    `json:"other_balances"` // the same under the others
	// every superpixel with its true majority: no labeling of superpixels has more pixels right
	Oracle Row `json:"oracle"`
	// Best is the most that any labeling of the superpixels reaches in each pooled score,
	// accuracies in percent; nil in tables of versions that did not compute it.
	Best *metric.Best `json:"best,omitempty"`
	Made Made         `json:"made_from"`
	// mixes without images, or with too few for the settings, which have no row
	Missing []lscrf.Mix `json:"missing_tiers"`
}

// Made says from what a table was made, so that it can be told whether two are comparable; "" is
// not known.
type Made struct {
	Manifest manifests.Digest `json:"manifest"` // index that was trained on and tested with
	// of all masks that were measured on, see TruthDigest
	Truth    manifests.Digest `json:"truth"`
	Setup    manifests.Digest `json:"setup"`    // of the settings of superpixels and features
	Train    manifests.Digest `json:"train"`    // of the settings of training
	Settings manifests.Digest `json:"settings"` // of all settings
	Seed     uint64           `json:"seed"`
}

// All returns the rows of all balances.
func (t *Table) All() []Row { return slices.Concat(t.Rows, t.OtherBalances) }

// NewTable makes the table of a class from measured models in the order of specs, of which the
// first gives the main balance. Mixes without a measured model are listed as missing. test are the
// ids of the images measured on, samples and seed those of the intervals. The only error is that of
// ctx.
func NewTable(ctx context.Context, class string, test []string, specs []lscrf.Spec, models []Measured, oracle *Score, samples int,
	seed uint64) (*Table, error) {
	often := Resampling(ctx, samples)
	t := &Table{Test: test, Oracle: rowOf(oracle, often, seed), Rows: []Row{}, OtherBalances: []Row{}, Missing: []lscrf.Mix{}}
	t.Oracle.Class, t.Oracle.Model = class, "oracle"
	if m := oracle.Best; m != nil {
		t.Best = &metric.Best{PerClass: m.PerClass.Scale(100), Pixel: m.Pixel.Scale(100), IoU: m.IoU}
	}
	have := map[string]bool{}
	for _, m := range models {
		have[m.Spec.Tiers.Key()] = true
		row := rowOf(m.Score, often, seed)
		row.Class, row.Tiers, row.Model, row.Terms = class, m.Spec.Tiers, m.Spec.Model, m.Spec.Terms
		row.Balance, row.Images, row.TrainSeconds = m.Spec.Balance, m.Images, m.TrainSeconds
		row.choose(m.Choices)
		if m.Spec.Balance == specs[0].Balance {
			t.Rows = append(t.Rows, row)
		} else {
			t.OtherBalances = append(t.OtherBalances, row)
		}
	}
	for _, s := range specs {
		if key := s.Tiers.Key(); !have[key] {
			have[key] = true
			t.Missing = append(t.Missing, s.Tiers)
		}
	}
	return t, ctx.Err()
}
