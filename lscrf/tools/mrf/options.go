package mrf

import (
	"fmt"
	"math"
	"slices"

	"hdseg/lscrf/internal/faults"
)

// A Method names an inference algorithm.
type Method string

// The methods of [Options]; every one but Auto can also be the Method of a [Result].
const (
	Auto      Method = "auto"      // the fastest exact method that applies, else the best labeling of several
	Tree      Method = "tree"      // dynamic programming: exact on forests
	MaxFlow   Method = "flow"      // minimum cut: exact for submodular problems of two labels
	Roof      Method = "qpbo"      // roof duality (QPBO) for two labels, open nodes by improvement
	TRWS      Method = "trws"      // sequential tree-reweighted message passing
	Expansion Method = "expansion" // alpha-expansion by fusion moves, from the best unary labels
	Descent   Method = "icm"       // iterated conditional modes, from the best unary labels
	Brute     Method = "brute"     // all labelings (see BruteForce for the limit)
	Exact     Method = "exact"     // what persistency leaves open, by elimination
)

// Options tell [Solve] how to work. All choices are ours.
type Options struct {
	// Method is the algorithm. Default auto. exact is only a Result's: auto uses it.
	Method Method `yaml:"method"`
	// Iterations is the largest number of TRW-S iterations, each a forward and a backward
	// pass. At least 0; default 500; superpixel problems need about five.
	Iterations int `yaml:"iterations"`
	// Tolerance ends TRW-S when ten iterations have raised its bound by less than ten times
	// as much, in units of the energy. At least 0; default 1e-5.
	Tolerance float64 `yaml:"tolerance"`
	// Tables is the number of table entries up to which the nodes that are still open are
	// solved exactly by elimination; an entry takes 9 bytes and a few nanoseconds. 0 turns
	// elimination off; at most 2²⁴; default 2²⁰.
	Tables int `yaml:"tables"`
	// Rounds is the largest number of rounds of expansion, and of random improvement, spent
	// on a labeling that is not known to be optimal. At least 0; default 8.
	Rounds int `yaml:"rounds"`
	// Sweeps is the largest number of times that iterated conditional modes visit every
	// node. At least 0; default 50, of which few are used.
	Sweeps int `yaml:"sweeps"`
	// Seed of the random improvement. Any value; default 1.
	Seed uint64 `yaml:"seed"`
}

// Defaults returns the options that suit superpixel graphs.
func Defaults() Options {
	return Options{Method: Auto, Iterations: 500, Tolerance: 1e-5, Tables: 1 << 20, Rounds: 8, Sweeps: 50, Seed: 1}
}

// Validate reports every field that is out of its range.
func (o Options) Validate() error {
	var f faults.List
	methods := []Method{Auto, Tree, MaxFlow, Roof, TRWS, Expansion, Descent, Brute}
	f.Want(slices.Contains(methods, o.Method), "method", string(o.Method), fmt.Sprintf("one of %v", methods))
	f.Want(o.Iterations >= 0, "iterations", o.Iterations, "0 or more")
	f.Want(o.Tolerance >= 0 && !math.IsInf(o.Tolerance, 1), "tolerance", o.Tolerance, "a number from 0")
	f.Want(o.Tables >= 0 && o.Tables <= 1<<24, "tables", o.Tables, fmt.Sprintf("0 to %d", 1<<24))
	f.Want(o.Rounds >= 0, "rounds", o.Rounds, "0 or more")
	f.Want(o.Sweeps >= 0, "sweeps", o.Sweeps, "0 or more")
	return f.Err()
}
