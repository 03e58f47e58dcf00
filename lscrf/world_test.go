package lscrf

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
)

// lattice returns n graphs of 6 x 5 nodes with k labels. The first feature is the label plus noise, the
// second noise, the third the row; labels are stripes of columns of varying width, where one node in twelve has any label, so that
// no label follows from its neighbors'. With shuffled labels nothing can be learned.
func lattice(n, k int, shuffled bool, seed uint64) Memory {
	const rows, cols, dim = 6, 5, 3
	rng := rand.New(rand.NewPCG(seed, 1))
	var out Memory
	for i := range n {
		g := &Graph{ID: fmt.Sprintf("im%03d", i), N: rows * cols, Dim: dim}
		y := make([]uint8, g.N)
		shift := rng.IntN(cols)
		for s := range g.N {
			r, c := s/cols, s%cols
			y[s] = uint8((c + shift) / 2 % k)
			if rng.IntN(12) == 0 {
				y[s] = uint8(rng.IntN(k))
			}
			g.Features = append(g.Features, float32(y[s])+0.4*float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(r))
			if c+1 < cols {
				g.Edges = append(g.Edges, [2]int32{int32(s), int32(s + 1)})
			}
			if r+1 < rows {
				g.Edges = append(g.Edges, [2]int32{int32(s), int32(s + cols)})
			}
			g.Sizes = append(g.Sizes, 1)
		}
		if shuffled {
			for s := range y {
				y[s] = uint8(rng.IntN(k))
			}
		}
		g.Labels = map[manifests.Tier][]uint8{manifests.Manual: y}
		out = append(out, g)
	}
	return out
}

// quick returns options that train in little time.
func quick() TrainOptions {
	o := TrainDefaults()
	o.MinRows = 1
	o.Trees.Trees, o.Trees.Depth = 30, 3
	o.TreeFeatures.Trees, o.TreeFeatures.Depth = 30, 3
	o.Iterative.Iterations = 60
	return o
}

func names(k int) []string { return []string{"ground", "figure", "third", "fourth"}[:k] }

func trainer(src Source, o TrainOptions, k, workers int) *Trainer {
	return &Trainer{Source: src, Options: o, Workers: workers, About: Model{Labels: names(k), Setup: Setup{Superpixel: superpixel.Defaults(), Feature: feature.Defaults()}}}
}

func spec(model, terms string) Spec {
	return Spec{Tiers: Mix{manifests.Manual}, Model: model, Terms: terms, Balance: regress.BalanceNone}
}

func train(t *testing.T, tr *Trainer, s Spec) *Model {
	t.Helper()
	got, err := tr.Train(context.Background(), s, func(int, int) {})
	if err != nil {
		t.Fatalf("%s: %v", s.Name(), err)
	}
	return got.Model
}

// accuracy returns the fraction of nodes that a model labels as the graphs say.
func accuracy(t *testing.T, m *Model, src Memory) float64 {
	t.Helper()
	right, total := 0, 0
	for _, g := range src {
		p, err := m.Predict(g)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range g.Labels[manifests.Manual] {
			total++
			if p.Labels[i] == y {
				right++
			}
		}
	}
	return float64(right) / float64(total)
}

// quietTrees trains trees and tells nobody.
var quietTrees = &treeFit{2, func(string, float64) {}, func(int, int) {}}
