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
	// Trees is the number of trees per sequence, at least 1 in models of trees; 500 (paper, section
	// 5). Fewer train faster.
	Trees int `yaml:"trees"`
	// Depth is the number of questions of a tree, 1..8; 6 (paper, section 5). Small data want less.
	Depth int `yaml:"depth"`
	// Rate is the factor on every leaf value, (0, 1]; 0.1 (paper, section 5). Less wants more
	// trees.
	Rate float64 `yaml:"rate"`
	// L2 is added to the denominator of leaf values and split scores, in units of row
	// weight, >= 0; 3 (CatBoost's default). More draws small leaves towards 0.
	L2 float64 `yaml:"l2"`
	// Borders is the largest number of quantile borders per feature, 1..255; 128 (ours). Fewer
	// take less memory.
	Borders int `yaml:"borders"`
	// RowSample is the fraction of rows that each tree's questions are chosen on, (0, 1];
	// leaf values always use all rows. 0.5 (ours: on pairs of superpixels the error is that of
	// 0.8, CatBoost's default). Less trains faster.
	RowSample float64 `yaml:"rowSample"`
	// ColumnSample is the fraction of features that each tree may ask about, (0, 1];
	// 0.5 (ours: on pairs of superpixels the error is that of 1, CatBoost's default). Less trains
	// faster.
	ColumnSample float64 `yaml:"columnSample"`
	// Loss is squared (paper) or logistic. It belongs to the use of the trees and is no setting.
	Loss Loss `yaml:"-"`
	// Leaves is independent (paper) or shared, which trains 2.5 times as fast on four label pairs
	// and is nearly as good.
	Leaves Leaves `yaml:"leaves"`
	// Seed draws the samples; 1 (ours). Other seeds show how much of a result is luck.
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
