package regress

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// The row-based trainers below share their parameters: Options.Lambda is the penalty on the squared weights of the
// standardized features, relative to the mean loss, and Options.Balance weights the rows; MinRows and
// Rare do not apply, Standardize is always on. All are convex, start at zero and do
// not depend on the number of workers. Many images are warm started (see objective.minimize), which changes nothing at
// the minimum.

// Logistic trains multinomial logistic regression on the nodes: the model gives scores whose softmax are label
// probabilities (see Softmax).
func Logistic(d *Data, o Options, it IterOptions) (*Linear, Iterations) {
	d.check()
	factor := d.factors(Nodes, o.Balance)
	ob := newObjective(d, d.Labels, d.Labels, logisticNodes(factor), floats.Dot(factor, d.weights(Nodes)), o.Lambda, it.Workers)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	return ob.nodeModel(v, 0, d.Labels), r
}

// A LogLinear is a CRF by its scores: P(y) ∝ exp(Σ_s Unary_{y_s}(x_s) + Σ_st Pair_{y_s y_t}(x_s, x_t)). To find
// the best labeling minimize their negatives.
type LogLinear struct {
	Unary, Pair *Linear
}

// Piecewise trains unary and pair scores each by its own logistic regression (Sutton and McCallum,
// "Piecewise training for undirected models", 2005): a softmax over labels per node and over label pairs per edge. Unary
// scores need not be added to the pieces of edges, for a pair score of [x_s, x_t, 1] contains every such
// sum. The first report is of the nodes, the second of the edges. kind is Edges or Forward.
func Piecewise(d *Data, kind Kind, o Options, it IterOptions) (LogLinear, [2]Iterations) {
	unary, r := Logistic(d, o, it)
	pair, q := PairLogistic(d, kind, o, it)
	return LogLinear{unary, pair}, [2]Iterations{r, q}
}

// PairLogistic trains multinomial logistic regression over label pairs on the edges, the logistic twin of
// LS-CRF's regression: the softmax of the scores is a joint distribution of the two labels.
func PairLogistic(d *Data, kind Kind, o Options, it IterOptions) (*Linear, Iterations) {
	d.check()
	checkEdges(kind)
	factor := d.factors(kind, o.Balance)
	n := len(factor)
	ob := newObjective(d, 2*n, n, logisticEdges(factor, d.Labels, kind == Edges), floats.Dot(factor, d.weights(kind)), o.Lambda, it.Workers)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	return ob.edgeModel(v, 0, n, 0), r
}

// Pseudolikelihood trains unary and pair scores together by maximizing Σ_s log P(y_s | the neighbors' labels)
// (Besag, "Statistical analysis of non-lattice data", 1975). kind is Edges, where an edge's table is the mean of both
// orientations, or Forward. Balance weights the nodes.
func Pseudolikelihood(d *Data, kind Kind, o Options, it IterOptions) (LogLinear, Iterations) {
	d.check()
	checkEdges(kind)
	factor := d.factors(Nodes, o.Balance)
	l := d.Labels
	ob := newObjective(d, l+2*l*l, l+l*l, pseudolikelihood(factor, kind == Edges), floats.Dot(factor, d.weights(Nodes)), o.Lambda, it.Workers)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	return LogLinear{ob.nodeModel(v, 0, l), ob.edgeModel(v, l, l*l, l)}, r
}

// LeastSquares solves by L-BFGS over the rows what Solve solves in closed form, with all outputs learned. Columns
// that are linearly dependent are left to the penalty.
func LeastSquares(d *Data, kind Kind, o Options, it IterOptions) (*Linear, Iterations) {
	d.check()
	w := d.weights(kind)
	factor := d.factors(kind, o.Balance)
	n := len(factor)
	columns, f := n, squaredNodes(factor)
	if kind != Nodes {
		columns, f = 2*n, squaredEdges(factor, d.Labels, kind == Edges)
	}
	ob := newObjective(d, columns, n, f, floats.Dot(factor, w), o.Lambda, it.Workers)
	ob.setPenalty(kind, factor, o)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	if kind == Nodes {
		return ob.nodeModel(v, 0, n), r
	}
	return ob.edgeModel(v, 0, n, 0), r
}

// setPenalty makes the penalty that of Solve, whose columns are standardized over the weighted rows and not
// over the nodes.
func (o *objective) setPenalty(kind Kind, factor []float64, opt Options) {
	n := len(factor)
	_, variance := o.data.rowMoments(kind, factor)
	for c := range o.data.Dim {
		for k := range o.columns {
			v := 1.0
			if opt.Standardize {
				v = variance[c]
				if k >= n {
					v = variance[o.data.Dim+c]
				}
			}
			o.penalty[c*o.columns+k] = opt.Lambda * v * o.inverse[c] * o.inverse[c]
		}
	}
}

// Softmax turns rows of n scores into probabilities in place and returns them.
func Softmax(scores []float32, n int) []float32 {
	if n < 1 || len(scores)%n != 0 {
		panic(fmt.Sprintf("regress: %d scores, want rows of %d", len(scores), n))
	}
	row := make([]float64, n)
	for i := 0; i < len(scores); i += n {
		for j := range row {
			row[j] = float64(scores[i+j])
		}
		logSoftmax(row, 0)
		for j, v := range row {
			scores[i+j] = float32(math.Exp(v))
		}
	}
	return scores
}

func checkEdges(kind Kind) {
	if kind != Edges && kind != Forward {
		panic(fmt.Sprintf("regress: rows are %v, want edges or forward edges", kind))
	}
}
