package regress

import (
	"fmt"

	"hdseg/lscrf/internal/faults"
)

// Solvers of the same least-squares problem.
const (
	ClosedForm = "closed-form" // normal equations, by Cholesky: exact, and the fastest
	CG         = "cg"          // normal equations, by conjugate gradients
	SGD        = "sgd"         // rows, by averaged stochastic gradient descent
)

// Options of Solve.
type Options struct {
	// Solver is how linear models are fitted: closed-form, cg or sgd. The paper also used the other
	// two, for more features and rows than it could sum; they are for comparing: cg comes to the
	// same weights, sgd near them. Default closed-form.
	Solver string `yaml:"solver"`
	// Lambda is the penalty on weights, 0 or more; many features want more. It is relative to the
	// mean squared error: the objective is (Σ w (f-μ)²)/(Σ w) + Lambda ‖v‖², where v are the weights
	// of the columns scaled to unit variance; the intercept is free. The paper's λ is Lambda times
	// the number of rows. Default 1e-6, ours (the paper has none).
	Lambda float64 `yaml:"lambda"`
	// Balance is paper (figure and ground count alike) or none (small figures lose). With paper the
	// two kinds of edges between equal labels count alike, too (section 4.4); with none, every
	// superpixel counts once. Default paper, which the paper uses for its tiers (b) and (c).
	Balance string `yaml:"balance"`
	// MinRows is how many edges a pair of labels needs to be learned, 0 or more. With fewer its
	// probability is the constant Rare. Default 100, ours: the paper does not state its threshold.
	MinRows int64 `yaml:"minRows"`
	// Rare is the probability of rarer pairs, 1e-9 to 1. Default 1e-3 (section 4.4).
	Rare float64 `yaml:"rare"`
}

// Defaults returns the default options.
func Defaults() Options {
	return Options{Lambda: 1e-6, Balance: BalancePaper, Solver: ClosedForm, MinRows: 100, Rare: 1e-3}
}

// Validate returns all faults.
func (o Options) Validate() error {
	var f faults.List
	f.Want(o.Lambda >= 0 && o.Lambda <= 1e9, "lambda", o.Lambda, "0 to 1e9")
	f.Want(o.Balance == BalanceNone || o.Balance == BalancePaper, "balance", o.Balance, BalanceNone+" or "+BalancePaper)
	f.Want(o.Solver == ClosedForm || o.Solver == CG || o.Solver == SGD, "solver", o.Solver, ClosedForm+", "+CG+" or "+SGD)
	f.Want(o.MinRows >= 0, "minRows", o.MinRows, "0 or more")
	f.Want(o.Rare >= ClampLow && o.Rare <= 1, "rare", o.Rare, fmt.Sprintf("%g..1", ClampLow))
	return f.Err()
}

// Balance names.
const (
	BalanceNone  = "none"  // every row counts alike
	BalancePaper = "paper" // classes of rows count alike, as the paper samples them
)

// Balanced returns the factor by which the rows of each output are weighted, given the sum of
// weights of each; the total stays as it is.
//
// For Nodes, "paper" gives all labels the same total. For edges it keeps the ratio of
// equal to different label pairs and gives all pairs of equal labels the same total, and
// all pairs of different labels (section 4.4: fg-fg as likely as bg-bg, fg-bg as bg-fg).
// Outputs that are not learned (see Options.MinRows) and those without rows are left out of the
// sharing: a pair seen twice must not weigh as much as one seen a million times; their rows keep
// factor 1.
func Balanced(balance string, kind Kind, labels int, weights []float64, learned []bool) []float64 {
	f := make([]float64, len(weights))
	for p := range f {
		f[p] = 1
	}
	switch balance {
	case BalanceNone:
		return f
	case BalancePaper:
	default:
		panic(fmt.Sprintf("regress: balance %q, want %q or %q", balance, BalanceNone, BalancePaper))
	}
	group := func(p int) int {
		if kind != Nodes && p/labels != p%labels {
			return 1
		}
		return 0
	}
	var total, members [2]float64
	for p, w := range weights {
		if learned[p] && w > 0 {
			total[group(p)] += w
			members[group(p)]++
		}
	}
	for p, w := range weights {
		if learned[p] && w > 0 {
			f[p] = total[group(p)] / members[group(p)] / w
		}
	}
	return f
}
