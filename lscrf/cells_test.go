package lscrf

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// Every kind of model of figure and ground that sees arrays has the same weights of their cells: those of a linear model of the arrays' columns alone, which
// tells persons from other ground.
func TestCells(t *testing.T) {
	src := lattice(12, 2, false, 7)
	seen := func(src Memory, k, channels int, o TrainOptions) *Trainer {
		tr := trainer(src, o, k, 2)
		tr.About.Setup.Feature.Dense = &feature.Dense{Channels: channels, Digest: strings.Repeat("0", 64)}
		return tr
	}
	sum := regress.NewNodeStats(3, 3)
	for i, g := range src {
		y := slices.Clone(g.Labels[manifests.Manual])
		if i%3 == 0 {
			g.persons = make([]uint8, g.N)
			for s := 0; s < g.N; s += 2 {
				if g.persons[s] = 1; y[s] == raster.Ground { // figure stays figure
					y[s] = 2
				}
			}
		}
		if err := sum.AddImage(g.Features, nil, y); err != nil {
			t.Fatal(err)
		}
	}
	plain := train(t, trainer(src, quick(), 2, 2), spec(Linear, Pairwise))
	want := regress.SolveColumns(sum, 0, 3, cellPenalty, []float64{1, 2, 12})
	grown := quick()
	grown.TreeFeatures.Folds = 2
	var model *Model
	for _, o := range []TrainOptions{grown, quick()} { // the last model has no tree features
		for _, kind := range []string{Trees, Logistic, Linear} {
			model = train(t, seen(src, 2, 3, o), spec(kind, Pairwise))
			if !reflect.DeepEqual(model.Cells, want) {
				t.Errorf("%s, %d folds of tree features: got %+v, want %+v", kind, o.TreeFeatures.Folds, model.Cells, want)
			}
		}
	}
	for i, w := range plain.Node.Linear.W {
		if got := model.Node.Linear.W[i]; math.Abs(got-w) > 1e-6 { // sums of an image's label are rounded
			t.Errorf("weight %d of superpixels: got %g, without persons %g", i, got, w)
		}
	}
	if last := train(t, seen(src, 2, 1, quick()), spec(Linear, Unary)).Cells; last == nil || last.Dim != 1 || math.Abs(last.W[1]) > 0.05 || last.Outputs != 3 {
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
	is := want.PredictNodes(a.Values)[3:6]
	p := (1 + float64(is[1]-max(is[0], is[2]))) / 2
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
