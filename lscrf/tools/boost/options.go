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

// Sampling says how a tree's rows are drawn.
type Sampling string

const (
	// Uniform gives every row the same chance.
	Uniform Sampling = "uniform"
	// Variance gives rows with large gradients a larger chance and less weight: minimal
	// variance sampling.
	Variance Sampling = "variance"
)

// Options are the parameters of Fit.
type Options struct {
	// Trees is the number of trees per sequence, >= 0; 500 (paper, section 5).
	Trees int `yaml:"trees"`
	// Depth is the number of questions of a tree, 1..8; 6 (paper, section 5).
	Depth int `yaml:"depth"`
	// Rate is the factor on every leaf value, (0, 1]; 0.1 (paper, section 5).
	Rate float64 `yaml:"rate"`
	// L2 is added to the denominator of leaf values and split scores, in units of row
	// weight, >= 0; 3 (CatBoost's default).
	L2 float64 `yaml:"l2"`
	// Borders is the largest number of quantile borders per feature, 1..255; 128 (ours).
	Borders int `yaml:"borders"`
	// RowSample is the fraction of rows that each tree's questions are chosen on, (0, 1];
	// leaf values always use all rows. 0.5 (ours: on pairs of superpixels the error is that of
	// 0.8, CatBoost's default).
	RowSample float64 `yaml:"rowSample"`
	// Sampling is uniform or variance; variance (CatBoost's default).
	Sampling Sampling `yaml:"sampling"`
	// ColumnSample is the fraction of features that each tree may ask about, (0, 1];
	// 0.5 (ours: on pairs of superpixels the error is that of 1, CatBoost's default).
	ColumnSample float64 `yaml:"columnSample"`
	// Loss is squared or logistic; squared (paper).
	Loss Loss `yaml:"loss"`
	// Leaves is independent or shared; independent (paper).
	Leaves Leaves `yaml:"leaves"`
	// HeldOut is the fraction of rows, drawn with Seed, that only measure when to stop,
	// [0, 1); Data.HeldOut takes its place. CrossFit and HoldOut draw whole groups, and so
	// lscrf holds out images. 0 (paper: no early stopping).
	HeldOut float64 `yaml:"heldOut"`
	// Patience is the number of trees without a better held-out loss after which a
	// sequence stops and is cut back to its best length, >= 0; it needs HeldOut. 0 never
	// stops. 0 (ours).
	Patience int `yaml:"patience"`
	// Seed draws the samples. 1 (ours).
	Seed uint64 `yaml:"seed"`
}

// Defaults returns the paper's parameters, and CatBoost's where the paper is silent.
func Defaults() Options {
	return Options{
		Trees: 500, Depth: 6, Rate: 0.1, L2: 3, Borders: 128,
		RowSample: 0.5, Sampling: Variance, ColumnSample: 0.5, Loss: Squared, Leaves: Independent, Seed: 1,
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
	f.Want(o.Sampling == Uniform || o.Sampling == Variance, "sampling", o.Sampling, "uniform or variance")
	f.Want(o.ColumnSample > 0 && o.ColumnSample <= 1, "columnSample", o.ColumnSample, "(0, 1]")
	f.Want(o.Loss == Squared || o.Loss == Logistic, "loss", o.Loss, "squared or logistic")
	f.Want(o.Leaves == Independent || o.Leaves == Shared, "leaves", o.Leaves, "independent or shared")
	f.Want(o.HeldOut >= 0 && o.HeldOut < 1, "heldOut", o.HeldOut, "[0, 1)")
	f.Want(o.Patience >= 0, "patience", o.Patience, ">= 0")
	f.Want(o.Patience <= 0 || o.HeldOut > 0, "patience", o.Patience, "0 without heldOut, for nothing is held out to stop by: set heldOut, to 0.2 for example")
	return f.Err()
}

const (
	maxDepth   = 8
	maxBorders = 255
)
