package boost

import "hdseg/lscrf/internal/faults"

// A Loss is what boosting minimizes.
type Loss string

const (
	// Squared is (y-f)^2 / 2; the first prediction is the mean of the targets.
	Squared Loss = "squared"
	// Logistic is the negative log-likelihood of targets in [0, 1] under probability
	// 1/(1+exp(-f)), minimized with Newton steps; the first prediction is the log-odds of
	// the mean. Models with this loss predict probabilities.
	Logistic Loss = "logistic"
)

// Leaves says how several outputs share trees.
type Leaves string

const (
	// Independent trains one sequence of trees for each output, as the paper does.
	Independent Leaves = "independent"
	// Shared trains one sequence of trees whose leaves hold a value for every output; a
	// split's score is summed over outputs.
	Shared Leaves = "shared"
)

// Options are the parameters of Fit.
type Options struct {
	// Trees is how many trees; fewer train faster. At least 1 in models of trees; they are counted
	// per sequence. Default 500 (paper, section 5).
	Trees int `yaml:"trees"`
	// Depth is how many questions a tree asks, 1..8; small data want less. Default 6 (paper, section
	// 5).
	Depth int `yaml:"depth"`
	// Rate is the weight of each tree, (0, 1]; less wants more trees. It is the factor on every leaf
	// value. Default 0.1 (paper, section 5).
	Rate float64 `yaml:"rate"`
	// L2 is how much small leaves are drawn towards 0, at least 0. It is added to the denominator of
	// leaf values and split scores, in units of row weight. Default 3 (CatBoost's).
	L2 float64 `yaml:"l2"`
	// Borders is how many thresholds a feature has, 1..255; fewer take less memory. They are
	// quantile borders. Default 128 (ours).
	Borders int `yaml:"borders"`
	// RowSample is the share of rows that choose questions, (0, 1]; less trains faster. Leaf values
	// always use all rows. Default 0.5 (ours: on pairs of superpixels the error is that of 0.8,
	// CatBoost's default).
	RowSample float64 `yaml:"rowSample"`
	// ColumnSample is the share of features that a tree sees, (0, 1]; less trains faster. Default
	// 0.5 (ours: on pairs of superpixels the error is that of 1, CatBoost's default).
	ColumnSample float64 `yaml:"columnSample"`
	// Loss is squared (paper) or logistic. It belongs to the use of the trees and is no setting.
	Loss Loss `yaml:"-"`
	// Leaves is independent (paper) or shared: 2.5 times as fast, nearly as good. That is for four
	// label pairs. Default independent.
	Leaves Leaves `yaml:"leaves"`
	// Seed draws the samples; another shows what is luck. Default 1 (ours).
	Seed uint64 `yaml:"seed"`
}

// Defaults returns the paper's parameters, and CatBoost's where the paper is silent.
func Defaults() Options {
	return Options{
		Trees: 500, Depth: 6, Rate: 0.1, L2: 3, Borders: 128,
		RowSample: 0.5, ColumnSample: 0.5, Loss: Squared, Leaves: Independent, Seed: 1,
	}
}

// Validate returns every fault of the options, or nil.
func (o Options) Validate() error {
	var f faults.List
	f.Want(o.Trees >= 0, "trees", o.Trees, ">= 0")
	f.Want(o.Depth >= 1 && o.Depth <= maxDepth, "depth", o.Depth, "1..8")
	f.Want(o.Rate > 0 && o.Rate <= 1, "rate", o.Rate, "(0, 1]")
	f.Want(o.L2 >= 0 && o.L2 <= 1e9, "l2", o.L2, "0..1e9")
	f.Want(o.Borders >= 1 && o.Borders <= maxBorders, "borders", o.Borders, "1..255")
	f.Want(o.RowSample > 0 && o.RowSample <= 1, "rowSample", o.RowSample, "(0, 1]")
	f.Want(o.ColumnSample > 0 && o.ColumnSample <= 1, "columnSample", o.ColumnSample, "(0, 1]")
	f.Want(o.Loss == Squared || o.Loss == Logistic, "loss", o.Loss, "squared or logistic")
	f.Want(o.Leaves == Independent || o.Leaves == Shared, "leaves", o.Leaves, "independent or shared")
	return f.Err()
}

const (
	maxDepth   = 8
	maxBorders = 255
)
