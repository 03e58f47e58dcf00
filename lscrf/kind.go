package lscrf

import "slices"

// The terms of a model's energy.
const (
	Unary    = "unary"    // every superpixel for itself
	Pairwise = "pairwise" // a table of potentials on every edge
)

// The kinds of models.
const (
	Linear           = "linear"           // LS-CRF with linear least squares
	Trees            = "trees"            // LS-CRF with boosted oblivious trees
	Logistic         = "logistic"         // the same energy from logistic regression over labels or label pairs
	Piecewise        = "piecewise"        // log-linear CRF, unary and pair scores trained apart
	Pseudolikelihood = "pseudolikelihood" // log-linear CRF, trained by the conditionals of single labels
)

// Kinds returns all kinds of models, the paper's two first.
func Kinds() []string { return []string{Linear, Trees, Logistic, Piecewise, Pseudolikelihood} }

// supports tells whether a kind of model has these terms: piecewise training and
// pseudolikelihood without pairs would be logistic regression.
func supports(kind, terms string) bool {
	if kind == Piecewise || kind == Pseudolikelihood {
		return terms == Pairwise
	}
	return slices.Contains(Kinds(), kind) && (terms == Unary || terms == Pairwise)
}

// A Spec is one model of the results table.
type Spec struct {
	Tiers   Mix    `json:"tiers"`
	Model   string `json:"model"`
	Terms   string `json:"terms"`
	Balance string `json:"balance"`
}

// Name returns a name for files: "paper/manual+bbox-trees-pairwise".
func (s Spec) Name() string { return s.Balance + "/" + s.Tiers.Plus() + "-" + s.Model + "-" + s.Terms }
