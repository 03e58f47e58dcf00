package lscrf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// BenchOptions choose the rows of the results table.
type BenchOptions struct {
	// Tiers are the mixes to train on, each written as "manual,bbox", or with weights as "manual@0.25,bbox"; an image with several
	// of a mix's tiers counts with the first. Default: the paper's five.
	Tiers []string `yaml:"tiers"`
	// Models are the kinds of models, see Kinds. Default linear, which takes a second for all rows together; the
	// paper's tables have trees too. A kind without unary terms has no such row.
	Models []string `yaml:"models"`
	// Terms are unary and pairwise; default both.
	Terms []string `yaml:"terms"`
	// Balances are the class balances to report, none and paper; the first gives the rows proper, the
	// others stand below, for linear models alone. Default train.balance's paper, then none: the paper balances its
	// tiers (b) and (c) only, we report both everywhere.
	Balances []string `yaml:"balances"`
	// Samples is the number of bootstrap samples of the intervals, 1..MaxSamples; default 1000.
	Samples int `yaml:"samples"`
}

// MaxSamples is the most bootstrap samples that may be drawn for an interval: with as many its ends are off by chance by less
// than 1/400 of its width, so that more would cost time and memory alone.
const MaxSamples = 100_000

// Resampling returns how to draw so many samples until ctx ends. Whoever draws must ask ctx afterwards.
func Resampling(ctx context.Context, samples int) metric.Resampling {
	return metric.Resampling{Samples: samples, Stop: func() bool { return ctx.Err() != nil }}
}

// BenchDefaults returns the defaults of the fields.
func BenchDefaults() BenchOptions {
	o := BenchOptions{Models: []string{Linear}, Terms: []string{Unary, Pairwise}, Balances: []string{regress.BalancePaper, regress.BalanceNone}, Samples: 1000}
	for _, m := range PaperMixes() {
		o.Tiers = append(o.Tiers, m.Key())
	}
	return o
}

// Validate returns all faults of o.
func (o BenchOptions) Validate() error {
	var errs []error
	for _, t := range o.Tiers {
		if _, err := ParseMix(t); err != nil {
			errs = append(errs, err)
		}
	}
	for _, k := range o.Models {
		if !slices.Contains(Kinds(), k) {
			errs = append(errs, fmt.Errorf("models: got %q, want one of %q", k, Kinds()))
		}
	}
	for _, t := range o.Terms {
		if t != Unary && t != Pairwise {
			errs = append(errs, fmt.Errorf("terms: got %q, want %s or %s", t, Unary, Pairwise))
		}
	}
	for _, b := range o.Balances {
		if b != regress.BalanceNone && b != regress.BalancePaper {
			errs = append(errs, fmt.Errorf("balances: got %q, want %s or %s", b, regress.BalanceNone, regress.BalancePaper))
		}
	}
	if len(o.Tiers) == 0 || len(o.Models) == 0 || len(o.Terms) == 0 || len(o.Balances) == 0 {
		errs = append(errs, errors.New("want at least one of tiers, models, terms and balances"))
	}
	if o.Samples < 1 || o.Samples > MaxSamples {
		errs = append(errs, fmt.Errorf("samples: got %d, want 1..%d (more would not move the ends of an interval by 1/400 of its width)", o.Samples, MaxSamples))
	}
	return errors.Join(errs...)
}

// Specs returns the models of the table in its order.
func (o BenchOptions) Specs() []Spec {
	var out []Spec
	have := map[string]bool{} // what a list names twice is trained once
	for i, balance := range o.Balances {
		for _, key := range o.Tiers {
			mix, err := ParseMix(key)
			if err != nil {
				panic("lscrf: BenchOptions that were not validated: " + err.Error())
			}
			for _, model := range o.Models {
				for _, terms := range o.Terms {
					s := Spec{mix, model, terms, balance}
					if supports(model, terms) && (i == 0 || model == Linear) && !have[s.Name()] {
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
	Spec         Spec    `json:"spec"`
	Images       int     `json:"images"` // trained on
	Score        *Score  `json:"score"`
	TrainSeconds float64 `json:"-"`
	// Choices are what every fold of a cross-validation chose; none where nothing was to be chosen.
	Choices []FoldChoice `json:"choices,omitempty"`
}

// A FoldChoice is what training without a fold chose.
type FoldChoice struct {
	Fold int `json:"fold"`
	Choice
}

// A Bench is the results table of one data set.
type Bench struct {
	Test          []string `json:"test,omitempty"` // ids of the images that all rows were measured on, in the order of their Counts
	Rows          []Row    `json:"rows"`           // under the first balance
	OtherBalances []Row    `json:"other_balances"` // the same under the others
	Oracle        Row      `json:"oracle"`         // every superpixel with its true majority: no labeling of superpixels has more pixels right
	// Best is the most that any labeling of the superpixels reaches in each pooled score, accuracies in percent; nil in tables of
	// versions that did not compute it.
	Best    *metric.Best `json:"best,omitempty"`
	Made    Made         `json:"made_from"`
	Missing []Mix        `json:"missing_tiers"` // mixes without images, or with too few for the settings, which have no row
}

// Made says from what a table was made, so that it can be told whether two are comparable; "" is not known.
type Made struct {
	Manifest manifests.Digest `json:"manifest"` // index that was trained on and tested with
	Truth    manifests.Digest `json:"truth"`    // of all masks that were measured on, see TruthDigest
	Setup    manifests.Digest `json:"setup"`    // of the settings of superpixels and features
	Train    manifests.Digest `json:"train"`    // of the settings of training
	Settings manifests.Digest `json:"settings"` // of all settings
	Seed     uint64           `json:"seed"`
}

// NewBench makes the table from measured models in the order of o.Specs; mixes without a measured model are
// left out and listed as missing. test are the ids of the images measured on. The only error is that of ctx.
func NewBench(ctx context.Context, class string, test []string, models []Measured, oracle *Score, o BenchOptions, seed uint64) (*Bench, error) {
	often := Resampling(ctx, o.Samples)
	b := &Bench{Test: test, Oracle: rowOf(oracle, often, seed), Rows: []Row{}, OtherBalances: []Row{}, Missing: []Mix{}}
	b.Oracle.Class, b.Oracle.Model = class, "oracle"
	if m := oracle.Best; m != nil {
		b.Best = &metric.Best{PerClass: m.PerClass.Scale(100), Pixel: m.Pixel.Scale(100), IoU: m.IoU}
	}
	have := map[string]bool{}
	for _, m := range models {
		have[m.Spec.Tiers.Key()] = true
		row := rowOf(m.Score, often, seed)
		row.Class, row.Tiers, row.Model, row.Terms = class, m.Spec.Tiers, m.Spec.Model, m.Spec.Terms
		row.Balance, row.Images, row.TrainSeconds = m.Spec.Balance, m.Images, m.TrainSeconds
		row.choose(m.Choices)
		if m.Spec.Balance == o.Balances[0] {
			b.Rows = append(b.Rows, row)
		} else {
			b.OtherBalances = append(b.OtherBalances, row)
		}
	}
	for _, s := range o.Specs() {
		if key := s.Tiers.Key(); !have[key] {
			have[key] = true
			b.Missing = append(b.Missing, s.Tiers)
		}
	}
	return b, ctx.Err()
}
