package mrf

// A Status says what is known about the labels of a Result.
type Status string

const (
	// Optimal: no labeling has less energy, by more than rounding (see [Result]).
	Optimal Status = "optimal"
	// Converged: the method has come to rest; no labeling is better by more than Energy - Bound.
	Converged Status = "converged"
	// IterationLimit: the method was still improving when the limit of iterations ended it.
	IterationLimit Status = "iteration limit"
)

// A Result is a labeling and what is known about it. Energy is Problem.Energy(Labels).
// Bound is a lower bound of the energy of every labeling, Energy itself when the status is
// Optimal.
//
// Rounding: cuts work on costs truncated to about 2⁻⁵⁷ of the sum of all costs' sizes, and
// message passing takes a gap below 2⁻⁴⁰ of the sizes that make up its bound for closed.
// Bounds and optimality hold up to that.
type Result struct {
	Labels        []uint8 // one per node
	Energy, Bound float64
	Status        Status
	Method        Method // that found Labels
	Persistent    int    // number of nodes whose label is proved to be that of some optimum
	Iterations    int    // TRW-S iterations done, 0 for other methods
}

// A Method names an inference algorithm: see Result.Method.
type Method string

// The methods of a [Result].
const (
	Tree      Method = "tree"      // dynamic programming: exact on forests
	MaxFlow   Method = "flow"      // minimum cut: exact for submodular problems of two labels
	Roof      Method = "qpbo"      // roof duality (QPBO) for two labels, open nodes by improvement
	TRWS      Method = "trws"      // sequential tree-reweighted message passing
	Expansion Method = "expansion" // and then fusion moves
	Exact     Method = "exact"     // what persistency leaves open, by elimination
)

// effort bounds the work on one problem. The numbers suit superpixel graphs; they are ours.
type effort struct {
	// most iterations of TRW-S, each a forward and a backward pass; about five are used
	iterations int
	// TRW-S ends when ten iterations raised its bound by less than ten times this
	tolerance float64
	// most table entries of exact elimination; an entry takes 9 bytes; 0 turns it off
	tables int
	rounds int    // most rounds of fusion moves on a labeling that is not known to be optimal
	sweeps int    // most sweeps of iterated conditional modes
	seed   uint64 // of random improvement
}

var usual = effort{iterations: 500, tolerance: 1e-5, tables: 1 << 20, rounds: 8, sweeps: 50, seed: 1}
