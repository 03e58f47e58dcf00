package transfer

import (
	"context"
	"maps"
	"testing"

	"hdseg/manifests"
)

// Three of five boxed masks fit: of the target's own synset both, then the better one of the nearest other; horses are farthest
// from a dog. A mask of low predicted IoU, one of the test split and a copy of a test picture never vote.
func TestStagedSources(t *testing.T) {
	boxed := func(id, synset string, quality float64) manifests.Record {
		return manifests.Record{ID: id, Synset: synset, Split: manifests.Train, Tier: manifests.BBox, Image: manifests.Image{SHA256: manifests.Sum([]byte(id))},
			Masks: []manifests.Mask{{Tier: manifests.BBox, Quality: quality, Figure: 9, Provenance: manifests.Provenance{WasGeneratedBy: "transfer/bbox"}}}}
	}
	const chihuahua, spaniel, horse = "n02085620", "n02085782", "n02374451"
	m := &manifests.Manifest{Records: []manifests.Record{
		boxed("horse", horse, 0.99), boxed("own", chihuahua, 0.8), boxed("sibling", spaniel, 0.8), boxed("better", spaniel, 0.9),
		boxed("poor", chihuahua, 0.4), boxed("own2", chihuahua, 0.76), boxed("copy", chihuahua, 0.9),
		{ID: "drawn", Split: manifests.Train, Tier: manifests.Manual, Masks: []manifests.Mask{{Tier: manifests.Manual}}, Image: manifests.Image{SHA256: "d"}},
		{ID: "target", Synset: chihuahua, Split: manifests.Train, Tier: manifests.Label, Image: manifests.Image{SHA256: "t"}},
		{ID: "test", Split: manifests.Test, Tier: manifests.Manual, Masks: []manifests.Mask{{Tier: manifests.Manual}}, Image: manifests.Image{SHA256: manifests.Sum([]byte("copy"))}},
	}}
	o := Defaults()
	o.StagedSources = 3
	check := func(tier manifests.Tier, want ...string) {
		t.Helper()
		got := sourcesOf(m, tier, o)
		if len(got) != len(want) {
			t.Fatalf("%s: got %d sources, want %v", tier, len(got), want)
		}
		for i, s := range got {
			if s.record.ID != want[i] {
				t.Errorf("%s: source %d is %s, want %s", tier, i, s.record.ID, want[i])
			}
		}
	}
	check(manifests.Label, "drawn", "own", "better", "own2")
	check(manifests.BBox, "drawn")
	o.Staged = false
	check(manifests.Label, "drawn")
}

// Copies are one group: no model that judges one has seen another, and none votes for another.
func TestCopiesAreHeldOutTogether(t *testing.T) {
	m, store, _ := world(t, t.TempDir())
	for i := range m.Records {
		if r := &m.Records[i]; r.ID == "m1" || r.ID == "m3" || r.ID == "m6" {
			r.Image.Notes = []string{"near_duplicate_of:train/m0"}
		}
	}
	o := small()
	o.windows.Folds = 2
	a, err := (&learner{store: store, o: o, tier: manifests.BBox, workers: 1, phase: quiet}).assemble(context.Background(), sourcesOf(m, manifests.BBox, o))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"m0": 0, "m2": 2, "m4": 4, "m5": 5, "m7": 7}; !maps.Equal(a.group, want) {
		t.Fatalf("got groups %v, want %v", a.group, want)
	}
	for _, i := range []int{1, 3, 6} {
		if w := a.without(a.good[0]); a.without(a.good[i]).model != w.model || w.model == a.expert.model {
			t.Errorf("source %d is not held out with the one that it is a copy of", i)
		}
		if !a.good[i].isSource("m0") || !a.good[0].isSource(a.good[i].record.ID) || a.good[i].isSource("m2") {
			t.Errorf("source %d: its copies vote for it, or what is none does not", i)
		}
	}
}
