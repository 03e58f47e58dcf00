package lscrf

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"hdseg/lscrf/tools/feature"
)

// Every kind of model of figure and ground that sees arrays has the same weights of their cells: those of a linear model of the arrays' columns alone.
func TestCells(t *testing.T) {
	src := lattice(12, 2, false, 7)
	seen := func(src Memory, k, channels int, o TrainOptions) *Trainer {
		tr := trainer(src, o, k, 2)
		tr.About.Setup.Feature.Dense = &feature.Dense{Channels: channels, Digest: strings.Repeat("0", 64)}
		return tr
	}
	want := train(t, trainer(src, quick(), 2, 2), spec(Linear, Unary)).Node.Linear
	grown := quick()
	grown.TreeFeatures.Folds = 2
	var model *Model
	for _, o := range []TrainOptions{quick(), grown} {
		for _, kind := range []string{Trees, Logistic, Linear} {
			model = train(t, seen(src, 2, 3, o), spec(kind, Pairwise))
			if !reflect.DeepEqual(model.Cells, want) {
				t.Errorf("%s, %d folds of tree features: got %+v, want %+v", kind, o.TreeFeatures.Folds, model.Cells, want)
			}
		}
	}
	if last := train(t, seen(src, 2, 1, quick()), spec(Linear, Unary)).Cells; last == nil || last.Dim != 1 || math.Abs(last.W[1]) > 0.05 {
		t.Errorf("the row of a node, which says nothing: got %+v", last)
	}
	if few := train(t, trainer(src, quick(), 2, 2), spec(Linear, Unary)); few.Cells != nil {
		t.Errorf("without arrays: got %+v", few.Cells)
	}

	if more := train(t, seen(lattice(12, 3, false, 7), 3, 3, quick()), spec(Linear, Unary)); more.Cells != nil {
		t.Errorf("of three labels: got %+v", more.Cells)
	}

	a := &feature.Array{Height: 1, Width: 3, Channels: 3, Values: []float32{-40, 0, 2, 1, 0, 2, 40, 0, 2}}
	odds := model.CellOdds(a)
	if odds.Height != 1 || odds.Width != 3 || odds.Channels != 1 {
		t.Fatalf("got %d x %d x %d", odds.Height, odds.Width, odds.Channels)
	}
	p := float64(want.PredictNodes(a.Values)[3])
	for i, want := range []float64{-math.Log(1/0.02 - 1), math.Log(p / (1 - p)), math.Log(1/0.02 - 1)} {
		if got := float64(odds.Values[i]); math.Abs(got-want) > 1e-5 {
			t.Errorf("cell %d: got odds %g, want %g", i, got, want)
		}
	}

	model.Cells = nil
	if err := model.check(); err == nil || !strings.Contains(err.Error(), "cells: want one linear function") {
		t.Errorf("a model of arrays without weights of their cells: got %v", err)
	}
	model.Cells, model.Setup.Feature.Dense = want, nil
	if err := model.check(); err == nil || !strings.Contains(err.Error(), "no arrays") {
		t.Errorf("a model with weights of cells and no arrays: got %v", err)
	}
}
