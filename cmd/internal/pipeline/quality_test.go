package pipeline

import (
	"slices"
	"testing"

	"hdseg/lscrf"
	"hdseg/manifests"
)

// Manual masks count whatever is predicted; of others those at the bound, and none of which nothing is predicted. The newest mask of a
// tier decides, and test records do not count.
func TestMinQuality(t *testing.T) {
	mask := func(tier manifests.Tier, revision int, quality float64, status string) manifests.Mask {
		return manifests.Mask{Tier: tier, Revision: revision, Quality: quality, Status: status}
	}
	m := &manifests.Manifest{Records: []manifests.Record{
		{ID: "a", Split: manifests.Train, Tier: manifests.Manual, Masks: []manifests.Mask{mask("manual", 0, 0, ""), mask("external:sam", 0, 0, "")}},
		{ID: "b", Split: manifests.Train, Tier: manifests.BBox, Masks: []manifests.Mask{mask("bbox", 0, 0.9, ""), mask("bbox", 1, 0.6, "empty")}},
		{ID: "c", Split: manifests.Train, Tier: manifests.BBox, Masks: []manifests.Mask{mask("bbox", 0, 0.7, "full")}},
		{ID: "d", Split: manifests.Train, Tier: manifests.Label, Masks: []manifests.Mask{mask("label", 0, 0.8, "")}},
		{ID: "e", Split: manifests.Test, Tier: manifests.BBox, Masks: []manifests.Mask{mask("bbox", 0, 0.1, "empty")}},
	}}
	want := []string{
		"train.minQuality 0.7 leaves out 1 of 2 bbox masks",
		"train.minQuality 0.7 leaves out 1 of 1 external:sam masks, 1 of them because nothing predicts their IoU",
	}
	if got := LeftOut(m, 0.7); !slices.Equal(got, want) {
		t.Errorf("left out: %q", got)
	}
	if got := LeftOut(m, 0); len(got) > 0 {
		t.Errorf("left out without a bound: %q", got)
	}
	const tail = "; --min-quality leaves out those that are predicted to be bad, but no manual one"
	const head = "trained on as any other, though their status says to distrust them: "
	bbox := []lscrf.Spec{{Tiers: lscrf.Mix{"manual", "bbox@0.5"}}}
	for _, c := range []struct {
		least float64
		specs []lscrf.Spec
		want  string
	}{
		{0, nil, head + "2 of 2 bbox masks (1 empty, 1 full)" + tail},
		{0.7, bbox, head + "1 of 1 bbox masks (1 full)" + tail},
		{0.75, bbox, ""},
		{0, []lscrf.Spec{{Tiers: lscrf.Mix{"label"}}}, ""},
	} {
		if got := Doubted(m, c.least, c.specs); got != c.want {
			t.Errorf("%g: %q, want %q", c.least, got, c.want)
		}
	}
}
