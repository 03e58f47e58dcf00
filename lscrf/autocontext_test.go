package lscrf

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"hdseg/lscrf/tools/feature"
)

// placed puts a gray color and the node's place on the lattice before its features, as the draft set does.
func placed(src Memory) Memory {
	var out Memory
	for _, g := range src {
		p := *g
		p.Dim, p.Features = g.Dim+5, nil
		for s := range g.N {
			x, y := (float32(s%5)+0.5)/5, (float32(s/5)+0.5)/6
			p.Features = append(p.Features, 90, 90, 90, x, y)
			p.Features = append(p.Features, g.Features[s*g.Dim:(s+1)*g.Dim]...)
		}
		out = append(out, &p)
	}
	return out
}

// What surrounds a superpixel of cross-fitted tree features knows nothing of shuffled labels either, in none of its columns.
func TestAutoContextDoesNotLeak(t *testing.T) {
	src := placed(lattice(40, 2, true, 3))
	o := quick()
	o.TreeFeatures.Folds, o.TreeFeatures.Depth, o.TreeFeatures.Trees, o.TreeFeatures.AutoContext = 4, 6, 300, true
	ctx := context.Background()
	d, err := gather(ctx, src, spec(Trees, Unary).Tiers, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := quietTrees.features(ctx, d, &o); err != nil {
		t.Fatal(err)
	}
	if want := 8 + 1 + feature.AutoContextDim; d.Dim != want {
		t.Fatalf("got %d features, want %d", d.Dim, want)
	}
	for column := 8; column < d.Dim; column++ {
		var values []float32
		for _, im := range d.Images {
			for s := range im.Y {
				values = append(values, im.X[s*d.Dim+column])
			}
		}
		sorted := slices.Sorted(slices.Values(values))
		middle := sorted[len(sorted)/2]
		got := agreement(d, func(i, s int) float32 {
			if d.Images[i].X[s*d.Dim+column] >= middle {
				return 1
			}
			return 0
		})
		// 1,200 coin flips stay within 4 standard deviations, 0.058, of a half in all of 45 columns.
		if got < 0.442 || got > 0.558 {
			t.Errorf("column %d agrees with shuffled labels on %.3f, want a half", column, got)
		}
	}
}

// A model with auto-context is read back to the same predictions, does not depend on workers, and finds stripes.
func TestAutoContextModel(t *testing.T) {
	src, test := placed(lattice(30, 2, false, 1)), placed(lattice(10, 2, false, 2))
	o := quick()
	o.TreeFeatures.Folds, o.TreeFeatures.AutoContext = 3, true
	m := train(t, trainer(src, o, 2, 1), spec(Trees, Pairwise))
	data := file(t, m)
	if again := file(t, train(t, trainer(src, o, 2, 3), spec(Trees, Pairwise))); !bytes.Equal(again, data) {
		t.Error("three workers make another model")
	}
	var back Model
	if err := back.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if a, b := accuracy(t, m, test), accuracy(t, &back, test); a != b || a < 0.85 {
		t.Errorf("accuracy %.3f, and %.3f when read back; want equal, over 0.85", a, b)
	}
	tr := trainer(src, o, 2, 1)
	tr.About.Setup.Feature.Set = feature.HDSeg
	if _, err := tr.Train(context.Background(), spec(Trees, Unary), func(int, int) {}); err == nil || !strings.Contains(err.Error(), "autoContext") {
		t.Errorf("histograms, which tell no places: got %v", err)
	}
}
