package lscrf

import (
	"context"
	"reflect"
	"testing"

	"hdseg/manifests"
)

// Training on chosen masks is training on a set that never had the others, for sums of statistics and for rows; an image with a
// mask of a later tier of the mix counts for that one.
func TestMasks(t *testing.T) {
	all := lattice(8, 2, false, 1)
	var less graphs
	for i, g := range all {
		y := g.Labels[manifests.Manual]
		g.Labels = map[manifests.Tier][]uint8{manifests.BBox: y}
		h := *g
		switch {
		case i < 2: // both tiers, bbox is dropped
			g.Labels[manifests.Label] = y
			h.Labels = map[manifests.Tier][]uint8{manifests.Label: y}
			less = append(less, &h)
		case i < 5:
			less = append(less, &h)
		}
	}
	src := Masks(all, func(id string, tier manifests.Tier) bool {
		return tier == manifests.Label || id == "im002" || id == "im003" || id == "im004"
	})
	mix := Mix{manifests.BBox, manifests.Label}
	for _, kind := range []string{Linear, Trees} {
		var got [2]*Trained
		for i, s := range []Source{src, less} {
			tr := Trainer{Source: s, Options: quick(), Workers: 2, About: Model{Class: "x", Labels: FigureGround(), Setup: Setup{}}}
			var err error
			if got[i], err = tr.Train(context.Background(), Spec{mix, kind, Unary, "none"}, func(int, int) {}); err != nil {
				t.Fatal(err)
			}
		}
		if got[0].Images != 5 || !reflect.DeepEqual(got[0].Model, got[1].Model) {
			t.Errorf("%s: trained on %d images, want 5 and the model of these alone", kind, got[0].Images)
		}
	}
	if g, _ := all.Graph(7); len(g.Labels) != 1 {
		t.Error("the source itself lost labels")
	}
}
