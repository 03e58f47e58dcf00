package lscrf

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Without images that are alike, folds are those of DealFolds; with some, a group is in one fold and the groups are shared out evenly.
func TestGroupsAreDealtWhole(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for seed := range uint64(10) {
		if got, want := (Groups{}).Deal(ids, 3, seed), DealFolds(ids, 3, seed); !maps.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
		f := Groups{"b": "b", "g": "b", "e": "e", "f": "e"}.Deal(ids, 3, seed)
		count := [3]int{}
		for _, id := range []string{"a", "b", "c", "d", "e", "h"} { // one of each group
			count[f[id]]++
		}
		if len(f) != 8 || f["b"] != f["g"] || f["e"] != f["f"] || count != [3]int{2, 2, 2} {
			t.Errorf("seed %d: got %v", seed, f)
		}
	}
}

// twins returns pictures with shuffled labels, each twice: the second as if it had been compressed again.
func twins(n int) (Memory, Groups) {
	rng := rand.New(rand.NewPCG(5, 1))
	var out Memory
	groups := Groups{}
	for _, g := range lattice(n, 2, true, 3) {
		twin := *g
		twin.ID = g.ID + "again"
		twin.Features = slices.Clone(g.Features)
		for i := range twin.Features {
			twin.Features[i] += 1e-3 * float32(rng.NormFloat64())
		}
		groups[g.ID], groups[twin.ID] = g.ID, g.ID
		out = append(out, g, &twin)
	}
	return out, groups
}

// Tree features of shuffled labels of pictures that are there twice do not know them when twins are
// known to be alike, and do when they are not.
func TestTwinsDoNotLeak(t *testing.T) {
	src, groups := twins(40)
	ctx := context.Background()
	o := quick()
	o.TreeFeatures.Folds, o.TreeFeatures.Depth, o.TreeFeatures.Trees = 4, 6, 150
	o.TreeFeatures.Rate = 0.3
	features := func(g Groups) float64 {
		d, err := gather(ctx, src, spec(Trees, Unary).Tiers, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		d.groups = g
		if _, err := quietTrees.features(ctx, d, &o); err != nil {
			t.Fatal(err)
		}
		return agreement(d, func(i, s int) float32 { return d.Images[i].X[s*d.Dim+d.Dim-1] })
	}
	// 1,200 coin flips, each twice, stay within 3.5 standard deviations, 0.05, of a half.
	if got := features(groups); got < 0.45 || got > 0.55 {
		t.Errorf("%.3f of shuffled labels are right, want a half", got)
	}
	if got := features(nil); got < 0.6 {
		t.Errorf("twins unknown: %.3f are right, want over 0.6: the test has no power", got)
	}
}

// What chooses settings has twins in one part.
func TestTwinsChooseTogether(t *testing.T) {
	src, groups := twins(12)
	tr := trainer(src, chosen(), 2, 1)
	tr.Groups = groups
	s := spec(Linear, Pairwise)
	if _, err := tr.Has(context.Background(), s.Tiers); err != nil {
		t.Fatal(err)
	}
	parts, err := tr.heldParts(context.Background(), s, tr.Options, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, p := range parts {
		count := map[string]int{}
		for _, g := range p.graphs {
			count[groups.Of(g.ID)]++
			n++
		}
		for id, c := range count {
			if c != 2 {
				t.Errorf("part %d has %d of %s and its twin", i, c, id)
			}
		}
	}
	tr.Options.ChooseFolds = 13
	var few *FewError
	if _, err := tr.Train(context.Background(), s, func(int, int) {}); !errors.As(err, &few) || !strings.Contains(err.Error(), "got 13 with 12 images") {
		t.Errorf("13 folds of 12 pictures and their twins: got error %v", err)
	}
	if n != len(src) {
		t.Errorf("the parts hold %d images, want %d", n, len(src))
	}
}
