package regress

import (
	"errors"
	"fmt"
	"math"
)

// Options of Solve.
type Options struct {
	// Lambda is the penalty on the squared weights, relative to the mean squared error: the objective is
	// (Σ w (f-μ)²)/(Σ w) + Lambda ‖v‖², where v are the weights of the standardized
	// columns (of the columns as they are without Standardize); the intercept is free. The paper's λ is
	// Lambda times the number of rows. At least 0; default 1e-6, ours (the paper has none).
	Lambda float64 `yaml:"lambda"`
	// Balance is "none" or "paper": see Balanced. Default "paper", which the paper uses for its
	// tiers (b) and (c).
	Balance string `yaml:"balance"`
	// Standardize scales the columns to unit variance before the penalty. Default true, ours. They are centered in any case.
	Standardize bool `yaml:"standardize"`
	// MinRows is the number of rows under which an output is not learned and predicts the
	// constant Rare. At least 0; default 100, ours: the paper does not state its threshold.
	MinRows int64 `yaml:"minRows"`
	// Rare is what an output with too few rows predicts: 1e-9..1, default 1e-3 (section 4.4).
	Rare float64 `yaml:"rare"`
}

// Defaults returns the default options.
func Defaults() Options {
	return Options{Lambda: 1e-6, Balance: BalancePaper, Standardize: true, MinRows: 100, Rare: 1e-3}
}

// Validate returns all faults.
func (o Options) Validate() error {
	var errs []error
	if !(o.Lambda >= 0) || math.IsInf(o.Lambda, 1) {
		errs = append(errs, fmt.Errorf("lambda: got %v, want a finite number, at least 0", o.Lambda))
	}
	if o.Balance != BalanceNone && o.Balance != BalancePaper {
		errs = append(errs, fmt.Errorf("balance: got %q, want %q or %q", o.Balance, BalanceNone, BalancePaper))
	}
	if o.MinRows < 0 {
		errs = append(errs, fmt.Errorf("minRows: got %d, want at least 0", o.MinRows))
	}
	if !(o.Rare >= ClampLow && o.Rare <= 1) {
		errs = append(errs, fmt.Errorf("rare: got %v, want %g..1", o.Rare, ClampLow))
	}
	return errors.Join(errs...)
}
