package lscrf

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"hdseg/lscrf/tools/regress"
)

// chosen returns options that choose.
func chosen() TrainOptions {
	o := quick()
	o.ChooseFolds = 3
	return o
}

// What was chosen is what the model has, and it is what an exhaustive look at the same held-out parts finds at least as good as
// any single change.
func TestChooseTakesTheBest(t *testing.T) {
	for _, kind := range []string{Linear, Logistic} {
		tr := trainer(lattice(30, 3, false, 1), chosen(), 3, 2)
		s := spec(kind, Pairwise)
		got, err := tr.Train(context.Background(), s, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		c, o := got.Choice, got.Options
		if c == nil || c.Potentials != o.Potentials || c.EdgeShrink != o.EdgeShrink || c.UnaryWeight != o.UnaryWeight || c.Clamp != o.Clamp {
			t.Fatalf("%s: chose %+v, but the model has %+v", kind, c, choiceOf(o))
		}
		parts, err := tr.heldParts(context.Background(), s, o, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		for setting := range 4 {
			for _, other := range o.variants(setting) {
				v, err := accuracyOf(context.Background(), parts, s, other, 1)
				if err != nil || v.V > c.Accuracy.V {
					t.Errorf("%s: %s has %v, %v; chosen was %v with %v", kind, choiceOf(other), v, err, c, c.Accuracy)
				}
			}
		}
	}
}

// The model of a part is bit for bit the one trained without its images.
func TestHeldPartsAreTrainedWithoutTheirImages(t *testing.T) {
	src := lattice(12, 2, false, 3)
	tr := trainer(src, chosen(), 2, 1)
	s := spec(Linear, Pairwise)
	if _, err := tr.Has(context.Background(), s.Tiers); err != nil {
		t.Fatal(err)
	}
	about := tr.About
	about.become(s, tr.Options)
	parts, err := tr.heldParts(context.Background(), s, about.Options, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range parts {
		seen += len(p.graphs)
		var rest Memory
		for _, g := range src {
			if !slices.Contains(p.graphs, g) {
				rest = append(rest, g)
			}
		}
		o := p.model.Options
		want := train(t, trainer(rest, o, 2, 1), s)
		if !slices.Equal(p.model.Edge.Linear.W, want.Edge.Linear.W) || !slices.Equal(p.model.Node.Linear.W, want.Node.Linear.W) || !slices.Equal(p.model.Pairs, want.Pairs) {
			t.Error("a part's model is not the one of the other images")
		}
	}
	if seen != len(src) {
		t.Errorf("the parts hold %d images, want %d", seen, len(src))
	}
}

func TestChoosingIsTheSameForAnyWorkers(t *testing.T) {
	var bytesOf [2][]byte
	for i, workers := range []int{1, 5} {
		b, err := train(t, trainer(lattice(20, 3, false, 2), chosen(), 3, workers), spec(Linear, Pairwise)).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		bytesOf[i] = b
	}
	if !bytes.Equal(bytesOf[0], bytesOf[1]) {
		t.Error("five workers give another model than one")
	}
}

// Unary models and scores without probabilities have nothing to choose.
func TestChooseOptions(t *testing.T) {
	o := chosen()
	for _, s := range []Spec{spec(Linear, Unary), spec(Piecewise, Pairwise), spec(Pseudolikelihood, Pairwise)} {
		if o.chooses(s) {
			t.Errorf("%s chooses", s.Name())
		}
	}
}

// Two labels, three edges forward: pairs 01, 01, 11 and half a row more of each give 0.5/5, 2.5/5, 0.5/5, 1.5/5. Statistics and
// rows agree, balanced or not.
func TestFrequencies(t *testing.T) {
	got := frequencies([]int64{0, 2, 0, 1}, []float64{1, 1, 1, 1})
	if !near(got, []float64{0.1, 0.5, 0.1, 0.3}, 1e-12) {
		t.Errorf("got %v", got)
	}
	for _, balance := range []string{regress.BalanceNone, regress.BalancePaper} {
		o := quick()
		o.EdgeShrink = 0.5
		s := spec(Linear, Pairwise)
		s.Balance = balance
		a := train(t, trainer(lattice(9, 3, false, 4), o, 3, 1), s)
		s.Model = Logistic
		o.Iterative.Iterations = 2
		b := train(t, trainer(lattice(9, 3, false, 4), o, 3, 1), s)
		if len(a.Pairs) != 9 || !near(a.Pairs, b.Pairs, 1e-9) {
			t.Errorf("%s: got %v from statistics, %v from rows", balance, a.Pairs, b.Pairs)
		}
	}
}
