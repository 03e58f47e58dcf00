package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
)

// coins returns n pictures of 30 superpixels, each one pixel, with random features and labels, of
// which nothing can be learned for another picture.
func coins(n int, seed uint64) (out []Scored) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		g := &lscrf.Graph{ID: fmt.Sprintf("im%03d", i), N: 30, Dim: 3}
		m := &superpixel.Map{Width: g.N, Height: 1, N: g.N}
		y := make([]uint8, g.N)
		for s := range g.N {
			y[s] = uint8(rng.IntN(2))
			g.Features = append(g.Features, float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64()))
			g.Sizes = append(g.Sizes, 1)
			m.Labels = append(m.Labels, int32(s))
			if s > 0 {
				g.Edges = append(g.Edges, [2]int32{int32(s - 1), int32(s)})
			}
		}
		g.Labels = map[manifests.Tier][]uint8{manifests.Manual: y}
		out = append(out, Scored{Graph: g, Map: m, Truth: y})
	}
	return out
}

func trainer(images []Scored) lscrf.Trainer {
	o := lscrf.TrainDefaults()
	o.MinRows = 1
	o.Trees.Trees, o.Trees.Depth, o.Trees.Rate = 200, 6, 0.5
	o.TreeFeatures.Trees, o.TreeFeatures.Depth = 30, 3
	return lscrf.Trainer{Source: Graphs(images), Options: o, Workers: 2, About: lscrf.Model{Labels: lscrf.FigureGround(), Setup: lscrf.Setup{Superpixel: superpixel.Defaults(), Feature: feature.Defaults()}}}
}

func unary(model string, tiers ...manifests.Tier) lscrf.Spec {
	return lscrf.Spec{Tiers: tiers, Model: model, Terms: lscrf.Unary, Balance: "paper"}
}

func right(m Measured) float64 {
	return metric.PixelAccuracy(metric.Pool(2, m.Score.Images)).V
}

// In cross-validation no image is predicted by a model that saw it: trees that learn every training
// image by heart are at chance on shuffled labels. Images without a fold only train. Scores stand in
// the order of the images.
func TestCrossValidate(t *testing.T) {
	src := coins(24, 3)
	images, folds := src[:20], lscrf.Folds{}
	for i, im := range images {
		folds[im.ID] = i / 5
	}
	last, all := 0, 0
	got, _, err := CrossValidate(t.Context(), trainer(src), []lscrf.Spec{unary(lscrf.Trees, "manual"), unary(lscrf.Linear, "manual")}, images, folds, func(done, total int) {
		if done < last || done > total {
			t.Errorf("progress: %d of %d after %d", done, total, last)
		}
		last, all = done, total
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != all || all == 0 {
		t.Errorf("progress ended at %d of %d", last, all)
	}
	for _, m := range got {
		// 600 coin flips stay within 3.5 standard deviations, 0.07, of a half.
		if v := right(m); v < 0.43 || v > 0.57 || m.Images != 19 {
			t.Errorf("%s: got accuracy %.3f with %d images, want a half with 19", m.Spec.Model, v, m.Images)
		}
		if fmt.Sprint(m.Score.Fold) != fmt.Sprint([]int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}) {
			t.Errorf("got folds %v", m.Score.Fold)
		}
	}
	seen := trainer(images)
	m, err := seen.Train(t.Context(), unary(lscrf.Trees, "manual"), func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Evaluate(t.Context(), []*lscrf.Model{m.Model}, images, 2, func(int, int) {}); err != nil || right(Measured{Score: s[0]}) < 0.9 {
		t.Errorf("on images that it saw the model has accuracy under 0.9 (%v): the test has no power", err)
	}
	if _, _, err := CrossValidate(t.Context(), trainer(src), []lscrf.Spec{unary(lscrf.Linear, "manual")}, images, lscrf.Folds{"im000": 0}, func(int, int) {}); err == nil {
		t.Error("images without a fold were accepted")
	}
}

// Shuffled labels of pictures that are there twice: a cross-validation of trees does not know them
// when the twins' groups are known, whatever the folds, and does when they are not.
func TestTwinsDoNotLeak(t *testing.T) {
	var images []Scored
	groups := lscrf.Groups{}
	for _, im := range coins(40, 5) {
		twin := *im.Graph
		twin.ID += "again"
		twin.Features = slices.Clone(twin.Features)
		for i := range twin.Features {
			twin.Features[i] += 1e-3
		}
		groups[im.ID], groups[twin.ID] = im.ID, im.ID
		images = append(images, im, Scored{Graph: &twin, Map: im.Map, Truth: im.Truth})
	}
	validated := func(g lscrf.Groups, f lscrf.Folds) float64 {
		tr := trainer(images)
		tr.Groups = g
		got, _, err := CrossValidate(context.Background(), tr, []lscrf.Spec{unary(lscrf.Trees, "manual")}, images, f, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		return right(got[0])
	}
	apart := lscrf.DealFolds(IDs(images), 4, 1)
	for name, f := range map[string]lscrf.Folds{"dealt": groups.Deal(IDs(images), 4, 1), "folds of some file": apart} {
		// 1,200 coin flips, each twice, stay within 3.5 standard deviations, 0.05, of a half.
		if got := validated(groups, f); got < 0.45 || got > 0.55 {
			t.Errorf("%s: %.3f of shuffled labels are right, want a half", name, got)
		}
	}
	if got := validated(nil, apart); got < 0.6 {
		t.Errorf("twins unknown: %.3f are right, want over 0.6: the test has no power", got)
	}
}

// A model with too few images is left out, which is said, and the others are measured.
func TestCrossValidationLeavesOut(t *testing.T) {
	images := coins(11, 7)
	folds := lscrf.Folds{}
	for i, im := range images {
		if i < 6 {
			folds[im.ID] = i % 3
		} else {
			im.Graph.Labels = map[manifests.Tier][]uint8{manifests.BBox: im.Truth}
		}
	}
	tr := trainer(images)
	tr.Options.TreeFeatures.Folds = 5 // of the 4 manual ones beside a fold
	specs := []lscrf.Spec{unary(lscrf.Linear, "manual"), unary(lscrf.Linear, "manual", "bbox"), unary(lscrf.Linear, "bbox")}
	got, left, err := CrossValidate(t.Context(), tr, specs, images[:6], folds, func(int, int) {})
	if err != nil || len(got) != 2 || got[0].Spec.Tiers.Key() != "manual,bbox" || got[1].Spec.Tiers.Key() != "bbox" || len(got[1].Score.Images) != 6 {
		t.Errorf("got %d rows, %v", len(got), err)
	}
	if len(left) != 1 || !strings.HasPrefix(left[0], "paper/manual-linear-unary is left out: fold 0: train.treeFeatures.folds: got 5 with 4 images") {
		t.Errorf("got %q", left)
	}
}
