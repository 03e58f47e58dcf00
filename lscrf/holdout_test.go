package lscrf

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"hdseg/lscrf/tools/boost"
	"hdseg/manifests"
)

// pictures returns n graphs in which nothing can be learned for another picture, but superpixels of one tell of each other: all
// have nearly the same features, and labels are blocks of 3 x 3 at random, mostly of one label per picture.
func pictures(n int) graphs {
	rng := rand.New(rand.NewPCG(11, 2))
	var out graphs
	for _, g := range lattice(n, 2, false, 9) {
		var look [3]float64
		for f := range look {
			look[f] = rng.NormFloat64()
		}
		often := rng.IntN(2)
		var block [4]uint8
		for b := range block {
			block[b] = uint8(often)
			if rng.IntN(5) == 0 {
				block[b] = uint8(1 - often)
			}
		}
		y := g.Labels[manifests.Manual]
		for s := range g.N {
			y[s] = block[s/5/3*2+s%5/3]
			for f := range look {
				g.Features[s*g.Dim+f] = float32(look[f] + 0.01*rng.NormFloat64())
			}
		}
		out = append(out, g)
	}
	return out
}

// Images are held out, for superpixels, edges and tree features alike: in pictures that say nothing of each other nearly no tree
// is kept, where rows of the pictures that are trained on go on getting better.
func TestEarlyStoppingHoldsOutImages(t *testing.T) {
	src := pictures(120)
	o := quick()
	o.Trees.Depth, o.Trees.Trees, o.Trees.HeldOut, o.Trees.Patience = 6, 150, 0.3, 10
	o.Trees.Leaves = boost.Shared
	m := train(t, trainer(src, o, 2, 2), spec(Trees, Pairwise))
	count := func(f *Forest) int {
		n := 0
		for _, s := range f.Sequences {
			n += len(s.Trees)
		}
		return n
	}
	if n, e := count(m.Node.Trees), count(m.Edge.Trees); n > 15 || e > 15 {
		t.Errorf("got %d trees of superpixels and %d of edges for what cannot be learned, want nearly none", n, e)
	}
	o.TreeFeatures.Options = o.Trees
	o.TreeFeatures.Loss, o.TreeFeatures.Folds, o.Trees = boost.Logistic, 3, quick().Trees
	m = train(t, trainer(src, o, 2, 2), spec(Trees, Unary))
	if n := count(m.TreeFeatures); n > 15 {
		t.Errorf("got %d trees of tree features for what cannot be learned, want nearly none", n)
	}
	// The power of the test: single rows held out stop nothing.
	d, err := gather(context.Background(), src, spec(Trees, Unary).Tiers, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := d.flatten()
	data := nodeData(d, f, boost.NewBinning(f.x, f.n, d.Dim, 64, 1).Bin(f.x, f.n, 1), &o)
	rows, _, err := boost.Fit(data, o.TreeFeatures.Options, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := count(&Forest{rows}); n < 100 {
		t.Errorf("with rows held out %d trees are kept, want over 100: the test has no power", n)
	}
}

// Images that are alike are held out together: labels that twins tell each other stop nothing otherwise.
func TestTwinsAreHeldOutTogether(t *testing.T) {
	src, groups := twins(40)
	o := quick()
	o.Trees.Depth, o.Trees.Trees, o.Trees.HeldOut, o.Trees.Patience = 6, 300, 0.3, 10
	kept := func(g Groups) int {
		tr := trainer(src, o, 2, 2)
		tr.Groups = g
		return len(train(t, tr, spec(Trees, Unary)).Node.Trees.Sequences[0].Trees)
	}
	if n := kept(nil); n < 30 {
		t.Errorf("twins unknown: %d trees are kept, want over 30: the test has no power", n)
	}
	if n := kept(groups); n > 10 {
		t.Errorf("%d trees are kept of what cannot be learned, want nearly none", n)
	}
}

// A setting that a mix has too few images for is named, with the images; the mix may be left out.
func TestTooFewImages(t *testing.T) {
	for name, c := range map[string]struct {
		images int
		set    func(o *TrainOptions)
		want   string
	}{
		"none held out": {12, func(o *TrainOptions) { o.Trees.HeldOut, o.Trees.Patience = 1e-6, 5 }, "train.trees.heldOut: got 1e-06 with 12 images of the tiers manual (near duplicates are one), want 0.083..0.92"},
		"all held out":  {12, func(o *TrainOptions) { o.Trees.HeldOut = 0.99 }, "train.trees.heldOut: got 0.99 with 12 images"},
		"one image":     {1, func(o *TrainOptions) { o.Trees.HeldOut = 0.2 }, "train.trees.heldOut: got 0.2 with 1 images of the tiers manual (near duplicates are one), want 0"},
		"folds":         {12, func(o *TrainOptions) { o.TreeFeatures.Folds = 100 }, "train.treeFeatures.folds: got 100 with 12 images of the tiers manual (near duplicates are one), want 2 to 12"},
		"folds of one":  {1, func(o *TrainOptions) { o.TreeFeatures.Folds = 2 }, "train.treeFeatures.folds: got 2 with 1 images of the tiers manual (near duplicates are one), want 0"},
		"held of folds": {3, func(o *TrainOptions) { o.TreeFeatures.Folds, o.TreeFeatures.HeldOut = 3, 0.1 }, "train.treeFeatures.heldOut: got 0.1 with 2 images"},
		"choosing":      {2, func(o *TrainOptions) { o.ChooseFolds = 3 }, "train.chooseFolds: got 3 with 2 images"},
		"no image":      {12, func(o *TrainOptions) {}, "no image has a mask of the tiers bbox"},
	} {
		o := quick()
		c.set(&o)
		s := spec(Trees, Pairwise)
		if name == "no image" {
			s.Tiers = Mix{manifests.BBox}
		}
		_, err := trainer(lattice(c.images, 2, false, 1), o, 2, 1).Train(context.Background(), s, func(int, int) {})
		var few *FewError
		if !errors.As(err, &few) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want a FewError with %q", name, err, c.want)
		}
	}
}
