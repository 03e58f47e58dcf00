package lscrf

import (
	"slices"
	"testing"
)

// A trainer makes the regressions of logistic models and of piecewise training once, and they are
// those that a new trainer makes.
func TestSoftmaxFitsAreShared(t *testing.T) {
	src := lattice(12, 3, false, 5)
	shared := trainer(src, quick(), 3, 1)
	logistic := train(t, shared, spec(Logistic, Pairwise))
	unary := train(t, shared, spec(Logistic, Unary))
	piecewise := train(t, shared, spec(Piecewise, Pairwise))
	if len(shared.fits) != 2 || logistic.Edge.Linear != piecewise.Edge.Linear || logistic.Node.Linear != unary.Node.Linear {
		t.Errorf("got %d regressions, want one of nodes and one of edges", len(shared.fits))
	}
	alone := train(t, trainer(src, quick(), 3, 1), spec(Piecewise, Pairwise))
	if !slices.Equal(alone.Edge.Linear.W, piecewise.Edge.Linear.W) || !slices.Equal(alone.Node.Linear.W, piecewise.Node.Linear.W) {
		t.Error("shared regressions differ from those made alone")
	}
	paper := spec(Piecewise, Pairwise)
	paper.Balance = "paper"
	if train(t, shared, paper).Edge.Linear == piecewise.Edge.Linear {
		t.Error("another balance got the same regression")
	}
}
