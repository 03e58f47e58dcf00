package lscrf

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
)

// Without images that are alike, folds are those of DealFolds; with some, a group is in one fold and the groups are shared out evenly.
func TestGroupsAreDealtWhole(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for seed := range uint64(10) {
		if got, want := (Alike{}).Deal(ids, 3, seed), DealFolds(ids, 3, seed); !maps.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
		f := Alike{"b": "b", "g": "b", "e": "e", "f": "e"}.Deal(ids, 3, seed)
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
func twins(n int) (graphs, Alike) {
	rng := rand.New(rand.NewPCG(5, 1))
	var out graphs
	alike := Alike{}
	for _, g := range lattice(n, 2, true, 3) {
		twin := *g
		twin.ID = g.ID + "again"
		twin.Features = slices.Clone(g.Features)
		for i := range twin.Features {
			twin.Features[i] += 1e-3 * float32(rng.NormFloat64())
		}
		alike[g.ID], alike[twin.ID] = g.ID, g.ID
		out = append(out, g, &twin)
	}
	return out, alike
}

// Shuffled labels of pictures that are there twice: neither tree features nor a cross-validation of trees know them when twins
// are known to be alike, and both do when they are not.
func TestTwinsDoNotLeak(t *testing.T) {
	src, alike := twins(40)
	ctx := context.Background()
	o := quick()
	o.TreeFeatures.Folds, o.TreeFeatures.Depth, o.TreeFeatures.Trees = 4, 6, 150
	o.TreeFeatures.Rate = 0.3
	o.Trees = o.TreeFeatures.Options
	features := func(a Alike) float64 {
		d, err := gather(ctx, src, spec(Trees, Unary).Tiers, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		d.alike = a
		if _, err := (&fitting{workers: 2, progress: func(int, int) {}}).addTreeFeatures(ctx, d, &o); err != nil {
			t.Fatal(err)
		}
		n, right := 0, 0
		for _, im := range d.Images {
			for s, y := range im.Y {
				n++
				if (im.X[s*d.Dim+d.Dim-1] > 0.5) == (y == 1) {
					right++
				}
			}
		}
		return float64(right) / float64(n)
	}
	images := scored(src)
	validated := func(a Alike, f Folds) float64 {
		plain := o
		plain.TreeFeatures.Folds = 0
		tr := trainer(src, plain, 2, 2)
		tr.Alike = a
		got, _, err := CrossValidate(ctx, *tr, []Spec{spec(Trees, Unary)}, images, f, func(int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		return metric.PixelAccuracy(metric.Pool(2, got[0].Score.Images)).V
	}
	ids := IDs(images)
	apart := DealFolds(ids, 4, 1)
	for name, got := range map[string]float64{
		"tree features":                        features(alike),
		"cross-validation":                     validated(alike, alike.Deal(ids, 4, 1)),
		"cross-validation, folds of some file": validated(alike, apart),
	} {
		// 1,200 coin flips, each twice, stay within 3.5 standard deviations, 0.05, of a half.
		if got < 0.45 || got > 0.55 {
			t.Errorf("%s: %.3f of shuffled labels are right, want a half", name, got)
		}
	}
	for name, got := range map[string]float64{"tree features": features(nil), "cross-validation": validated(nil, apart)} {
		if t.Logf("%s, twins unknown: %.3f", name, got); got < 0.6 {
			t.Errorf("%s, twins unknown: %.3f are right, want over 0.6: the test has no power", name, got)
		}
	}
}

// scored returns pictures of which every superpixel is one pixel.
func scored(src graphs) (out []Scored) {
	for _, g := range src {
		m := &superpixel.Map{Labels: make([]int32, g.N), Width: g.N, Height: 1, N: g.N}
		for s := range m.Labels {
			m.Labels[s] = int32(s)
		}
		out = append(out, Scored{Graph: g, Map: m, Truth: g.Labels[manifests.Manual]})
	}
	return out
}

// What chooses settings, and penalties, has twins in one part.
func TestTwinsChooseTogether(t *testing.T) {
	src, alike := twins(12)
	tr := trainer(src, chosen(), 2, 1)
	tr.Alike = alike
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
			count[alike.Of(g.ID)]++
			n++
		}
		for id, c := range count {
			if c != 2 {
				t.Errorf("part %d has %d of %s and its twin", i, c, id)
			}
		}
	}
	tr.Options.Choose.Folds = 13
	var few *FewError
	if _, err := tr.Train(context.Background(), s, func(int, int) {}); !errors.As(err, &few) || !strings.Contains(err.Error(), "got 13 with 12 images") {
		t.Errorf("13 folds of 12 pictures and their twins: got error %v", err)
	}
	o := quick()
	o.Lambdas, o.Folds = []float64{0, 1}, 5
	st, err := Collect(context.Background(), src, o, alike, 2, false, 1, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range st.groups {
		if n += g.images; g.images%2 != 0 {
			t.Errorf("fold %d has %d images: a twin is in another", g.fold, g.images)
		}
	}
	if n != 2*len(src) {
		t.Errorf("the parts and folds hold %d images, want %d", n, 2*len(src))
	}
}
