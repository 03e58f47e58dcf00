package regress

import (
	"gonum.org/v1/gonum/floats"
)

// The row-based trainers below share their parameters: Options.Lambda is the penalty on the squared
// weights of the standardized features, relative to the mean loss, and Options.Balance weights the
// rows; MinRows and Rare do not apply, Standardize is always on. All are convex, start at zero and
// do not depend on the number of workers. Many images are warm started (see objective.minimize),
// which changes nothing at the minimum.

// Logistic trains multinomial logistic regression on the nodes: the model gives scores whose
// softmax are label probabilities (see Softmax).
func Logistic(d *Data, o Options, it IterOptions) (*Linear, Iterations) {
	d.check()
	factor := d.factors(Nodes, o.Balance)
	ob := newObjective(d, d.Labels, d.Labels, logisticNodes(factor), floats.Dot(factor, d.weights(Nodes)), o.Lambda, it.Workers)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	return ob.nodeModel(v, 0, d.Labels), r
}

// A LogLinear is a CRF by its scores: P(y) ∝ exp(Σ_s Unary_{y_s}(x_s) + Σ_st Pair_{y_s y_t}(x_s,
// x_t)). To find the best labeling minimize their negatives.
type LogLinear struct {
	Unary, Pair *Linear
}

// PairLogistic trains multinomial logistic regression over label pairs on the edges, the logistic
// twin of LS-CRF's regression: the softmax of the scores is a joint distribution of the two labels.
func PairLogistic(d *Data, o Options, it IterOptions) (*Linear, Iterations) {
	d.check()
	factor := d.factors(Edges, o.Balance)
	n := len(factor)
	ob := newObjective(d, 2*n, n, logisticEdges(factor, d.Labels), floats.Dot(factor, d.weights(Edges)), o.Lambda,
		it.Workers)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	return ob.edgeModel(v, 0, n, 0), r
}

// Pseudolikelihood trains unary and pair scores together by maximizing Σ_s log P(y_s | the
// neighbors' labels) (Besag, "Statistical analysis of non-lattice data", 1975). Balance weights the
// nodes.
func Pseudolikelihood(d *Data, o Options, it IterOptions) (LogLinear, Iterations) {
	d.check()
	factor := d.factors(Nodes, o.Balance)
	l := d.Labels
	ob := newObjective(d, l+2*l*l, l+l*l, pseudolikelihood(factor), floats.Dot(factor, d.weights(Nodes)),
		o.Lambda, it.Workers)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	return LogLinear{ob.nodeModel(v, 0, l), ob.edgeModel(v, l, l*l, l)}, r
}
