package transfer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hdseg/manifests"
)

// A Shard is what RunPart made of a part.
type Shard struct {
	Name     string // of its file, for errors
	Manifest *manifests.Manifest
}

// Merge returns the manifest that one run makes of m in the given round ("" for both), from those
// that all its shards made, in any order. Every mask is taken from the shard that has it; one shard
// given twice is no harm. Masks are not read. An error are shards that are not of m, of that round
// or of one version, seed and configuration; two that say different things of one record; and a
// record of which none says anything.
func Merge(m *manifests.Manifest, round manifests.Tier, shards []Shard) (*manifests.Manifest, error) {
	if len(shards) == 0 {
		return nil, fmt.Errorf("transfer: merge: got no shards, want one or more")
	}
	g := merge{m: m, round: round, shards: shards}
	for _, s := range shards {
		if why := g.refuses(s.Manifest); why != "" {
			return nil, fmt.Errorf("transfer: merge: %s: %s", s.Name, why)
		}
		g.skips = append(g.skips, transferSkips(s.Manifest))
	}
	out := &manifests.Manifest{Header: shards[0].Manifest.Header, Records: slices.Clone(m.Records)}
	out.Skipped = earlierSkips(m, round)
	for _, s := range shards {
		out.Skipped = append(out.Skipped, s.Manifest.Skipped...)
	}
	for _, tier := range rounds(round) {
		if err := g.take(out, tier); err != nil {
			return nil, fmt.Errorf("transfer: merge: %w", err)
		}
	}
	sortSkips(out)
	return out, nil
}

// A merge is the work of Merge.
type merge struct {
	m      *manifests.Manifest
	round  manifests.Tier
	shards []Shard
	skips  []map[string]bool // per shard; see transferSkips
}

// refuses tells why a shard does not belong to the merge, "" if it does.
func (g *merge) refuses(s *manifests.Manifest) string {
	first, name := g.shards[0].Manifest, g.shards[0].Name
	switch {
	case s.Stage != "transfer":
		return fmt.Sprintf("got a manifest of stage %q, want one that transfer wrote", s.Stage)
	case s.Version != first.Version:
		return fmt.Sprintf("got version %q, want %q as %s has", s.Version, first.Version, name)
	case s.Config != first.Config:
		return "was made with other settings than " + name
	case s.Seed != first.Seed:
		return fmt.Sprintf("got seed %d, want %d as %s has", s.Seed, first.Seed, name)
	case s.Parent != first.Parent:
		return "was made from another manifest than " + name
	case !slices.EqualFunc(s.Records, g.m.Records, sameRecord):
		return "its records are not those of the input"
	}
	for i := range s.Records {
		r := &g.m.Records[i]
		if isTarget(r) && slices.Contains(rounds(g.round), r.Tier) {
			continue
		}
		if !slices.EqualFunc(s.Records[i].Masks, r.Masks, func(a, b manifests.Mask) bool { return reflect.DeepEqual(a, b) }) {
			return fmt.Sprintf("is of another round, or of another input: %s (%s) has other masks than in the input", r.ID, r.Tier)
		}
	}
	return ""
}

// sameRecord tells whether two records are one, whatever masks they have.
func sameRecord(a, b manifests.Record) bool {
	return a.ID == b.ID && a.Split == b.Split && a.Tier == b.Tier && a.Image.SHA256 == b.Image.SHA256 && slices.Equal(a.Boxes, b.Boxes)
}

// take gives the targets of a tier their masks.
func (g *merge) take(out *manifests.Manifest, tier manifests.Tier) error {
	var model manifests.Digest // what the masks were made with
	var by int                 // the shard that told it
	targets, missing, first := 0, 0, ""
	for i := range g.m.Records {
		r := &g.m.Records[i]
		if r.Tier != tier || !isTarget(r) {
			continue
		}
		targets++
		k, mask, skipped, err := g.maker(i)
		if err != nil {
			return err
		}
		if k < 0 {
			if missing++; missing == 1 {
				first = r.ID
			}
			continue
		}
		if skipped {
			continue // it keeps what it had
		}
		if len(mask.Used) == 2 {
			if model == "" {
				model, by = mask.Used[1], k
			} else if model != mask.Used[1] {
				return fmt.Errorf("%s and %s learned different models: one could not read all sources (its skipped records name "+
					"them), or another build made it: make them again", g.shards[by].Name, g.shards[k].Name)
			}
		}
		out.Records[i].Masks = withMask(r.Masks, mask)
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d %s images have no mask and no skip in any shard, the first is %s: name the manifests of all "+
			"shards i/n, and their --round", missing, targets, tier, first)
	}
	return nil
}

// maker returns the first shard that says something of a target and what, a mask or that it was
// skipped, and -1 if there is none. Two that say different things are an error.
func (g *merge) maker(i int) (maker int, said manifests.Mask, skipped bool, err error) {
	r := &g.m.Records[i]
	maker = -1
	for k, s := range g.shards {
		skip := g.skips[k][r.ID]
		mask, ok := s.Manifest.Records[i].MaskOf(r.Tier)
		if skip {
			mask = manifests.Mask{}
		}
		if !skip && !ok {
			continue
		}
		if maker >= 0 && (skip != skipped || !reflect.DeepEqual(mask, said)) {
			return 0, said, false, fmt.Errorf("%s: %s and %s disagree: got %s and %s: leave out the one that is out of date",
				r.ID, g.shards[maker].Name, g.shards[k].Name, brief(said, skipped), brief(mask, skip))
		}
		if maker < 0 {
			maker, said, skipped = k, mask, skip
		}
	}
	return maker, said, skipped, nil
}

// brief names what a shard says of a record.
func brief(k manifests.Mask, skipped bool) string {
	if skipped {
		return "a skip"
	}
	return "a mask " + k.SHA256.Short()
}

// skipPrefix begins the detail of all that transfer skips.
const skipPrefix = "transfer: "

// transferSkips returns the records that could not be segmented.
func transferSkips(m *manifests.Manifest) map[string]bool {
	out := map[string]bool{}
	for _, k := range m.Skipped {
		// that is said of sources
		if strings.HasPrefix(k.Detail, skipPrefix) && k.Reason != SkipMask {
			out[k.Record] = true
		}
	}
	return out
}

// earlierSkips returns what m lists as skipped but for what a round ("" for both) finds anew: what
// transfer said of its targets, and with both of its sources.
func earlierSkips(m *manifests.Manifest, round manifests.Tier) []manifests.Skip {
	targets := map[string]bool{}
	for i := range m.Records {
		if r := &m.Records[i]; r.Tier == round && isTarget(r) {
			targets[r.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(m.Skipped), func(k manifests.Skip) bool {
		return strings.HasPrefix(k.Detail, skipPrefix) && (round == "" || targets[k.Record])
	})
}

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
