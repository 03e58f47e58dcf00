package lscrf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hdseg/lscrf/regress"
)

// BenchOptions choose the rows of the results table.
type BenchOptions struct {
	// Tiers are the mixes to train on, each written as "manual,bbox"; an image with several
	// of a mix's tiers counts with the first. Default: the paper's five.
	Tiers []string `yaml:"tiers"`
	// Terms are unary and pairwise; default both.
	Terms []string `yaml:"terms"`
	// Balances are the class balances to report, none and paper; the first gives the rows proper, the
	// others stand below. Default train.balance's paper, then none: the paper balances its
	// tiers (b) and (c) only, we report both everywhere.
	Balances []string `yaml:"balances"`
	// Samples is the number of bootstrap samples of the intervals, 1..; default 1000.
	Samples int `yaml:"samples"`
}

// BenchDefaults returns the defaults of the fields.
func BenchDefaults() BenchOptions {
	o := BenchOptions{Terms: []string{Unary, Pairwise}, Balances: []string{regress.BalancePaper, regress.BalanceNone}, Samples: 1000}
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
	if len(o.Tiers) == 0 || len(o.Terms) == 0 || len(o.Balances) == 0 {
		errs = append(errs, errors.New("want at least one of tiers, terms and balances"))
	}
	if o.Samples < 1 {
		errs = append(errs, fmt.Errorf("samples: got %d, want 1 or more", o.Samples))
	}
	return errors.Join(errs...)
}

// A Bench is the results table of one data set.
type Bench struct {
	Rows          []Row `json:"rows"`           // under the first balance
	OtherBalances []Row `json:"other_balances"` // the same under the others
	Oracle        Row   `json:"oracle"`         // every superpixel with its true majority: what no model on them can beat
	Missing       []Mix `json:"missing_tiers"`  // mixes without images, which have no row
}

// RunBench trains and measures every row. about carries what all models have in common.
func RunBench(ctx context.Context, s *Statistics, test []TestImage, o BenchOptions, train TrainOptions, about Model, seed uint64, workers int, progress func(done, total int)) (*Bench, error) {
	b := &Bench{Oracle: rowOf(Oracle(test), o.Samples, seed)}
	b.Oracle.Class, b.Oracle.Model = about.Class, "oracle"
	total, done := len(o.Balances)*len(o.Tiers)*len(o.Terms), 0
	for k, balance := range o.Balances {
		train.Balance = balance
		for _, key := range o.Tiers {
			mix, err := ParseMix(key)
			if err != nil {
				return nil, err
			}
			if s.mix(mix, Unary).images == 0 {
				if !slices.ContainsFunc(b.Missing, func(m Mix) bool { return slices.Equal(m, mix) }) {
					b.Missing = append(b.Missing, mix)
				}
				continue
			}
			for _, terms := range o.Terms {
				row, err := s.row(ctx, mix, terms, test, o, train, about, seed, workers)
				if err != nil {
					return nil, err
				}
				if k == 0 {
					b.Rows = append(b.Rows, row)
				} else {
					b.OtherBalances = append(b.OtherBalances, row)
				}
				done++
				progress(done, total)
			}
		}
	}
	return b, nil
}

func (s *Statistics) row(ctx context.Context, mix Mix, terms string, test []TestImage, o BenchOptions, train TrainOptions, about Model, seed uint64, workers int) (Row, error) {
	t, err := s.Train(mix, terms, train, about)
	if err != nil {
		return Row{}, err
	}
	score, err := Evaluate(ctx, t.Model, test, workers)
	if err != nil {
		return Row{}, err
	}
	row := rowOf(score, o.Samples, seed)
	row.Class, row.Tiers, row.Model, row.Terms = about.Class, mix, Linear, terms
	row.Balance, row.Images, row.TrainSeconds = train.Balance, t.Images, t.Seconds
	return row, nil
}
