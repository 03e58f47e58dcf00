package transfer

import (
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
