package study

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// Masks that were made without a fold's images are what the fold is measured with: where these are all wrong, mixes without manual
// images fall below chance, manual alone stays, and what was taken before is said beside it.
func TestFoldsHaveTheirOwnMasks(t *testing.T) {
	in, o := world()
	plain, err := Run(context.Background(), in, o, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	for range o.Folds {
		r := Relabeled{}
		for i := range in.Train.Len() {
			g, _ := in.Train.Graph(i)
			if y := g.Labels[manifests.BBox]; y != nil {
				wrong := make([]uint8, len(y))
				for j, l := range y {
					wrong[j] = 1 - l
				}
				r[g.ID] = map[manifests.Tier][]uint8{manifests.BBox: wrong}
			}
		}
		in.Without = append(in.Without, r)
	}
	apart, err := Run(context.Background(), in, o, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Weights.Apart || !apart.Weights.Apart {
		t.Error("apart is not said")
	}
	for i, m := range apart.Weights.Mixes {
		was := plain.Weights.Mixes[i].Accuracy
		if m.Taken != was {
			t.Errorf("%s: as taken %v, want %v", m.Mix, m.Taken, was)
		}
		if m.Mix == "manual" && m.Accuracy != was || m.Mix == "bbox" && m.Accuracy.V > 50 {
			t.Errorf("%s: got %v, with the masks as taken %v", m.Mix, m.Accuracy, was)
		}
	}
	for f, w := range apart.Weights.Chosen {
		if w[1] > 0.5 {
			t.Errorf("fold %d: wrong masks got the weight %v", f, w[1])
		}
	}
	if q := apart.Quality[0]; q.Tier != manifests.BBox || q.Accuracy.V >= plain.Quality[0].Accuracy.V {
		t.Errorf("thresholds do not see the fold's masks: %+v", q)
	}
}

// An image whose mask would not be there has no part in the fold.
func TestRelabelLeavesOutWhatHasNoMask(t *testing.T) {
	graph := func(id string) *lscrf.Graph {
		return &lscrf.Graph{ID: id, Labels: map[manifests.Tier][]uint8{manifests.BBox: {0, 1}}}
	}
	in := []*lscrf.Graph{graph("kept"), graph("lost"), graph("changed")}
	got := Relabeled{
		"lost":    {manifests.BBox: nil},
		"changed": {manifests.BBox: {1, 1}},
		"kept":    {manifests.Label: nil},
	}.relabel(in, manifests.BBox)
	if len(got) != 2 || got[0] != in[0] || got[1].ID != "changed" || got[1].Labels[manifests.BBox][0] != 1 || in[2].Labels[manifests.BBox][0] != 0 {
		t.Errorf("got %v, want the first as it is and a copy of the last with its new labels", got)
	}
}

// A picture that is there again under another id and tier is held out with the manual image, and is trained on in all other folds.
func TestTwinsAreHeldOutTogether(t *testing.T) {
	in, o := world()
	in.Alike = lscrf.Alike{"manual000": "manual000", "manual001": "manual000", "bbox003": "manual000"}
	deal := Deal(in.Manual, in.Alike, o)
	if deal["manual000"] != deal["manual001"] {
		t.Error("two manual images of one picture are in different folds")
	}
	s, err := newState(context.Background(), in, o)
	if err != nil {
		t.Fatal(err)
	}
	for fold := range o.Folds {
		got := s.apart(s.of(manifests.BBox), manifests.BBox, fold)
		has := slices.ContainsFunc(got, func(g *lscrf.Graph) bool { return g.ID == "bbox003" })
		if held := deal["manual000"] == fold; has == held || len(got) != 30 && !held {
			t.Errorf("fold %d: %d box images, the twin among them: %v; it holds out its picture: %v", fold, len(got), has, held)
		}
	}
}

// What shows an inner fold's picture is not trained on when that fold is predicted, whichever fold is the outer one, with masks of
// each fold's own and with the masks as they are: its labels make no difference to any model that predicts its picture.
func TestTwinsAreHeldOutOfInnerFolds(t *testing.T) {
	scores := func(wrong, without bool) (twin, other []*metric.Confusion) {
		in, o := world()
		in.Alike = lscrf.Alike{"manual000": "manual000", "bbox003": "manual000"}
		for i := range in.Train.Len() {
			if g, _ := in.Train.Graph(i); wrong && g.ID == "bbox003" {
				y := slices.Clone(g.Labels[manifests.BBox])
				for j := range y {
					y[j] = 1 - y[j]
				}
				g.Labels[manifests.BBox] = y
			}
		}
		if without {
			in.Without = make([]Relabeled, o.Folds)
		}
		s, err := newState(context.Background(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.newNest(context.Background(), func(string, int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		weights := make([]float64, len(s.tiers))
		weights[slices.Index(s.tiers, manifests.BBox)] = 1
		held := Deal(in.Manual, in.Alike, o)["manual000"]
		for outer := range o.Folds {
			for inner := range o.Folds {
				j := n.job(weights, outer, inner)
				if err := n.measure(context.Background(), []job{j}, func(string, int, int) {}); err != nil {
					t.Fatal(err)
				}
				if outer == held || inner == held {
					twin = append(twin, n.known[j.key()]...)
				} else {
					other = append(other, n.known[j.key()]...)
				}
			}
		}
		return twin, other
	}
	for _, without := range []bool{false, true} {
		twin, other := scores(false, without)
		twinWrong, otherWrong := scores(true, without)
		if !reflect.DeepEqual(twin, twinWrong) {
			t.Errorf("masks of their own %v: models that predict a picture, or are chosen without it, know the labels of its twin", without)
		}
		if reflect.DeepEqual(other, otherWrong) {
			t.Errorf("masks of their own %v: no model is trained on the twin: the test has no power", without)
		}
	}
}
