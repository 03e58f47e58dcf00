package transfer

import (
	"fmt"
	"slices"

	"hdseg/manifests"
)

// A Part is a share of Run's work, for one of several processes or machines. The work goes in rounds, as the label tier
// learns from the masks of the bbox tier: every shard of round bbox, Merge, every shard of round label on what was merged, Merge.
// What a round learns is kept in the store's .work folder; LearnOnly makes only that, so that shards that share the folder need
// not each learn the same.
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

// share returns every Count-th target.
func (p *Part) share(targets []int) []int {
	if p == nil || p.Count < 2 {
		return targets
	}
	var out []int
	for i := p.Index; i < len(targets); i += p.Count {
		out = append(out, targets[i])
	}
	return out
}

// Merge returns the manifest that one run makes of m in the given round ("" for both), from those that all its shards made, in
// the order of their indices. Masks are not read. Manifests that are not of one input and configuration are an error.
func Merge(m *manifests.Manifest, round manifests.Tier, shards []*manifests.Manifest) (*manifests.Manifest, error) {
	if len(shards) == 0 {
		return nil, fmt.Errorf("transfer: merge: got no shards, want one or more")
	}
	out := &manifests.Manifest{Header: shards[0].Header, Records: slices.Clone(m.Records)}
	out.Skipped = slices.Clone(m.Skipped)
	for k, s := range shards {
		if s.Stage != "transfer" || s.Config != out.Config || s.Parent != out.Parent || s.Version != out.Version {
			return nil, fmt.Errorf("transfer: merge: shard %d: is not of the same run as shard 0", k)
		}
		if !slices.EqualFunc(s.Records, m.Records, func(a, b manifests.Record) bool { return a.ID == b.ID && a.Split == b.Split }) {
			return nil, fmt.Errorf("transfer: merge: shard %d: its records are not those of the input", k)
		}
		out.Skipped = append(out.Skipped, s.Skipped...)
	}
	for _, tier := range []manifests.Tier{manifests.BBox, manifests.Label} {
		if round != "" && round != tier {
			continue
		}
		n := 0
		for i := range m.Records {
			if r := &m.Records[i]; r.Tier == tier && isTarget(r) {
				out.Records[i].Masks = shards[n%len(shards)].Records[i].Masks
				n++
			}
		}
	}
	sortSkips(out)
	return out, nil
}
