package transfer

import (
	"fmt"
	"slices"

	"hdseg/manifests"
)

// A Part is a share of Run's work, for one of several processes or machines. The work goes in
// rounds, as the label tier learns from the masks of the bbox tier: every shard of round bbox,
// Merge, every shard of round label on what was merged, Merge. What a round learns is kept in the
// store's .work folder; LearnOnly makes only that, so that shards that share the folder need not
// each learn the same. What a shard makes has no masks for the targets of others, not even those of
// an earlier transfer.
type Part struct {
	Round     manifests.Tier // BBox or Label; "" for both
	Index     int            // of the shard, 0..Count-1
	Count     int            // shards; 0 is 1
	LearnOnly bool
}

func (p *Part) validate(m *manifests.Manifest, o Options) error {
	if p == nil {
		return nil
	}
	if p.Round != "" && p.Round != manifests.BBox && p.Round != manifests.Label {
		return fmt.Errorf("transfer: round: got %q, want %s or %s", p.Round, manifests.BBox, manifests.Label)
	}
	if n := max(p.Count, 1); p.Index < 0 || p.Index >= n {
		return fmt.Errorf("transfer: shard: got %d of %d, want 0..%d", p.Index, n, n-1)
	}
	if p.Round == "" && (p.Count > 1 || p.LearnOnly) && o.Staged && hasTargets(m, manifests.BBox) && hasTargets(m, manifests.Label) {
		return fmt.Errorf("transfer: shard: the label tier learns from all masks of the bbox tier; name the round, bbox first")
	}
	return nil
}

func hasTargets(m *manifests.Manifest, tier manifests.Tier) bool {
	return slices.ContainsFunc(m.Records, func(r manifests.Record) bool { return r.Tier == tier && isTarget(&r) })
}

// round returns the only round that a part has, "" for both.
func (p *Part) round() manifests.Tier {
	if p == nil {
		return ""
	}
	return p.Round
}

// rounds returns the tiers of a round, in their order; "" is both.
func rounds(round manifests.Tier) []manifests.Tier {
	if round != "" {
		return []manifests.Tier{round}
	}
	return []manifests.Tier{manifests.BBox, manifests.Label}
}

// share returns every Count-th target. From the others in out it takes an earlier transfer's mask,
// so that what a shard has is what it made.
func (p *Part) share(out *manifests.Manifest, targets []int) []int {
	if p == nil || p.Count < 2 {
		return targets
	}
	var own []int
	for k, i := range targets {
		if k%p.Count == p.Index {
			own = append(own, i)
			continue
		}
		r := &out.Records[i]
		r.Masks = slices.DeleteFunc(slices.Clone(r.Masks), func(k manifests.Mask) bool { return k.Tier == r.Tier })
	}
	return own
}
