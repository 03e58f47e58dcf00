package lscrf

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

func TestMixesAreReadAndWrittenInOneWay(t *testing.T) {
	for text, want := range map[string]string{
		"manual":                  "manual",
		" manual , bbox ":         "manual,bbox",
		"bbox@0.250,manual@1":     "bbox@0.25,manual",
		"external:sam@1e-2,label": "external:sam@0.01,label",
	} {
		m, err := ParseMix(text)
		if err != nil || m.Key() != want {
			t.Errorf("%q: got %q, %v, want %q", text, m.Key(), err, want)
		}
	}
	for _, text := range []string{"", "manual,manual", "bbox@2,bbox", "none", "manual@", "manual@0", "manual@-1", "manual@NaN", "manual@Inf", "manual@1001", "manual@1@2", "mask"} {
		if m, err := ParseMix(text); err == nil {
			t.Errorf("%q: got %q, want an error", text, m.Key())
		}
	}
	m := Mix{"manual@2", "bbox@0.5"}
	has := func(tiers ...manifests.Tier) []manifests.Tier { return tiers }
	for _, c := range []struct {
		has  []manifests.Tier
		tier manifests.Tier
		w    float64
	}{{has("bbox", "manual"), "manual", 2}, {has("bbox", "label"), "bbox", 0.5}, {has("label"), "", 0}, {nil, "", 0}} {
		if got, w := m.pick(c.has); got != c.tier || w != c.w {
			t.Errorf("an image with %v: got %q, %v, want %q, %v", c.has, got, w, c.tier, c.w)
		}
	}
}

// twoTiers returns 6 manual and 5 bbox images; copies is how often each bbox image is there.
func twoTiers(copies int) graphs {
	var out graphs
	for i, g := range lattice(11, 2, false, 3) {
		if i < 6 {
			out = append(out, g)
			continue
		}
		for c := range copies {
			h := *g
			h.ID = fmt.Sprintf("%s-%d", g.ID, c)
			h.Labels = map[manifests.Tier][]uint8{manifests.BBox: g.Labels[manifests.Manual]}
			out = append(out, &h)
		}
	}
	return out
}

// An image that counts three times is the image three times.
func TestWeightIsRepetition(t *testing.T) {
	for _, kind := range []string{Linear, Logistic, Piecewise, Pseudolikelihood} {
		for _, balance := range []string{regress.BalanceNone, regress.BalancePaper} {
			o := quick()
			o.Lambda, o.Iterative.Iterations = 1e-3, 500 // an optimum that all solvers reach
			weighted := train(t, trainer(twoTiers(1), o, 2, 1), Spec{Mix{"manual", "bbox@3"}, kind, Pairwise, balance})
			repeated := train(t, trainer(twoTiers(3), o, 2, 1), Spec{Mix{"manual", "bbox"}, kind, Pairwise, balance})
			if weighted.Images != 11 || repeated.Images != 21 {
				t.Errorf("%s: got %d and %d images, want 11 and 21", kind, weighted.Images, repeated.Images)
			}
			plain := train(t, trainer(twoTiers(1), o, 2, 1), Spec{Mix{"manual", "bbox"}, kind, Pairwise, balance})
			// The penalty of the iterative kinds is on features standardized over images without their weights.
			off, without := distance(weighted, repeated), distance(plain, repeated)
			if off > without/3 || kind == Linear && off > 1e-6 {
				t.Errorf("%s, balance %s: coefficients are up to %.2g apart, %.2g without weights", kind, balance, off, without)
			}
		}
	}
}

// Only ratios of weights count: what weighs all images alike changes no model, though penalties are in units of rows.
func TestEqualWeightsAreNone(t *testing.T) {
	o := quick()
	o.TreeFeatures.Folds, o.EdgeShrink = 2, 0.5
	fit := func(tiers Mix, kind string) *Model {
		m := train(t, trainer(twoTiers(1), o, 2, 1), Spec{tiers, kind, Pairwise, regress.BalancePaper})
		m.Tiers = nil
		return m
	}
	for _, kind := range Kinds() {
		want := file(t, fit(Mix{"manual", "bbox"}, kind))
		for _, w := range []float64{0.25, 1e-6, 0.3, 1000} {
			if got := file(t, fit(Mix{Weighted("manual", w), Weighted("bbox", w)}, kind)); !bytes.Equal(got, want) {
				t.Errorf("%s: another model with weights of %v", kind, w)
			}
		}
		if bytes.Equal(want, file(t, fit(Mix{"manual", "bbox@0.25"}, kind))) {
			t.Errorf("%s: the ratio of weights changes nothing", kind)
		}
	}
	// From statistics, which are scaled, it is the same but for rounding.
	o.TreeFeatures.Folds = 0
	a, b := fit(Mix{"manual", "bbox"}, Linear), fit(Mix{"manual@1e-06", "bbox@1e-06"}, Linear)
	if d := distance(a, b); d > 1e-4 || !near(a.Pairs, b.Pairs, 1e-4) {
		t.Errorf("from statistics: coefficients are up to %v apart, pairs are %v and %v", d, a.Pairs, b.Pairs)
	}
}

// distance is the largest difference of two models' coefficients, relative to one that is more than 1.
func distance(a, b *Model) float64 {
	d := 0.0
	for _, pair := range [][2]*Regressor{{a.Node, b.Node}, {a.Edge, b.Edge}} {
		for j, v := range pair[0].Linear.W {
			w := pair[1].Linear.W[j]
			d = max(d, math.Abs(v-w)/(1+math.Abs(w)))
		}
	}
	return d
}

// In trees, rows of a tier weigh what the mix says, and balancing gives both labels the same total.
func TestTreesWeighTiers(t *testing.T) {
	d, err := gather(context.Background(), twoTiers(1), Mix{"manual", "bbox@3"}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	d.weigh(true)
	o := quick()
	o.Balance = regress.BalancePaper
	f := d.flatten()
	data := nodeData(d, f, boost.NewBinning(f.x, f.n, d.Dim, o.Trees.Borders, 1).Bin(f.x, f.n, 1), &o)
	var total [2]float64
	weight := map[[2]int]float32{} // by tier, 1 for bbox, and label
	for i, w := range data.Weights {
		tier, y := 0, int(f.y[i])
		if f.group[i] >= 6 {
			tier = 1
		}
		total[y] += float64(w)
		weight[[2]int{tier, y}] = w
	}
	if math.Abs(total[0]-total[1]) > 1e-3*total[0] {
		t.Errorf("totals of ground and figure: got %v, want them equal", total)
	}
	for y := range 2 {
		if m, b := weight[[2]int{0, y}], weight[[2]int{1, y}]; math.Abs(float64(b/m)-3) > 1e-5 {
			t.Errorf("label %d: a row of bbox weighs %v and one of manual %v, want three times as much", y, b, m)
		}
	}
	// Of the paper's sample, too.
	d.sample(o.kind(), 1)
	d.weigh(true)
	for kind, weights := range map[string]func(m regress.Image) []float32{
		"superpixels": func(m regress.Image) []float32 { return m.NodeWeight },
		"edges":       func(m regress.Image) []float32 { return m.EdgeWeight },
	} {
		seen := [2]map[float32]bool{{}, {}}
		sum, n := 0.0, 0.0
		for i, m := range d.Images {
			for _, w := range weights(m) {
				seen[i/6][w] = true
				if w > 0 {
					sum += float64(w)
					n++
				}
			}
		}
		manual, bbox := slices.Max(slices.Collect(maps.Keys(seen[0]))), slices.Max(slices.Collect(maps.Keys(seen[1])))
		if len(seen[0]) != 2 || len(seen[1]) != 2 || !seen[0][0] || !seen[1][0] || math.Abs(float64(bbox/manual)-3) > 1e-5 || math.Abs(sum/n-1) > 1e-5 {
			t.Errorf("weights of %s after sampling: got %v, mean %v; want 0 and one that is three times as large for bbox, mean 1", kind, seen, sum/n)
		}
	}
}
