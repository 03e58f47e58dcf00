package mrf

import (
	"errors"
	"fmt"
)

// A Method names an inference algorithm.
type Method string

// The methods of [Options]; every one but Auto can also be the Method of a [Result].
const (
	Auto    Method = "auto"  // the fastest exact method that applies, else the best labeling of several
	MaxFlow Method = "flow"  // minimum cut: exact for submodular problems of two labels
	Roof    Method = "qpbo"  // roof duality (QPBO), then improvement: two labels
	Descent Method = "icm"   // iterated conditional modes
	Brute   Method = "brute" // all labelings (see BruteForce for the limit)
)

// Options tell [Solve] how to work. All choices are ours.
type Options struct {
	// Method is the algorithm. Default auto.
	Method Method `yaml:"method"`
	// Sweeps is the largest number of times that iterated conditional modes visit every
	// node. At least 0; default 50, of which few are used.
	Sweeps int `yaml:"sweeps"`
}

// Defaults returns the options that suit superpixel graphs.
func Defaults() Options {
	return Options{Method: Auto, Sweeps: 50}
}

// Validate reports every field that is out of its range.
func (o Options) Validate() error {
	var faults []error
	switch o.Method {
	case Auto, MaxFlow, Roof, Descent, Brute:
	default:
		faults = append(faults, fmt.Errorf("mrf: method: unknown: got %q", o.Method))
	}
	if o.Sweeps < 0 {
		faults = append(faults, fmt.Errorf("mrf: sweeps: out of range: got %d, want at least 0", o.Sweeps))
	}
	return errors.Join(faults...)
}
