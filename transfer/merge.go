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
// that all its n shards made, in any order; read is called once for each, so that one is held at a
// time. Every mask is taken from the shard that has it; one shard given twice is no harm. Masks are
// not read. An error are shards that are not of m, of that round or of one version, seed and
// configuration; two that say different things of one record; and a record of which none says
// anything.
func Merge(m *manifests.Manifest, round manifests.Tier, n int, read func(i int) (Shard, error)) (*manifests.Manifest, error) {
	if n == 0 {
		return nil, fmt.Errorf("transfer: merge: got no shards, want one or more")
	}
	g := merge{m: m, round: round, by: make([]int, len(m.Records)), skipped: make([]bool, len(m.Records)),
		models: map[manifests.Tier]learned{}}
	g.out, g.at = &manifests.Manifest{Records: slices.Clone(m.Records)}, map[[2]string]int{}
	for i := range m.Records {
		g.at[[2]string{string(m.Records[i].Split), m.Records[i].ID}] = i
	}
	for i := range n {
		s, err := read(i)
		if err != nil {
			return nil, err
		}
		if err := g.add(s); err != nil {
			return nil, fmt.Errorf("transfer: merge: %w", err)
		}
	}
	if err := g.whole(); err != nil {
		return nil, fmt.Errorf("transfer: merge: %w", err)
	}
	g.out.Skipped = append(g.out.Skipped, earlierSkips(m, round)...)
	sortSkips(g.out)
	return g.out, nil
}

// A merge is the work of Merge.
type merge struct {
	m, out *manifests.Manifest
	round  manifests.Tier
	at     map[[2]string]int // the records by split and id
	names  []string          // of the shards so far
	// of each record the number, from 1, of the shard that told of it; 0 for none
	by      []int
	skipped []bool // what it told: it could not be used
	models  map[manifests.Tier]learned
}

// A learned is the digest of the models that masks were made with, and the shard that told it.
type learned struct {
	model manifests.Digest
	by    string
}

// add takes the masks and skips of a shard.
func (g *merge) add(s Shard) error {
	if len(g.names) == 0 {
		g.out.Header = s.Manifest.Header
		g.out.Skipped = nil // those of the shards follow
	}
	if why := g.refuses(s.Manifest); why != "" {
		return fmt.Errorf("%s: %s", s.Name, why)
	}
	g.names = append(g.names, s.Name)
	skips := transferSkips(s.Manifest)
	for k := range s.Manifest.Records {
		own := &s.Manifest.Records[k]
		i, ok := g.at[[2]string{string(own.Split), own.ID}]
		if !ok || !sameRecord(*own, g.m.Records[i]) {
			return fmt.Errorf("%s: its records are not those of the input", s.Name)
		}
		if err := g.take(s.Name, i, own, skips[own.ID]); err != nil {
			return err
		}
	}
	g.out.Skipped = append(g.out.Skipped, s.Manifest.Skipped...)
	return nil
}

// refuses tells why a shard does not belong to those before it, "" if it does.
func (g *merge) refuses(s *manifests.Manifest) string {
	first := g.out.Header
	switch {
	case s.Stage != "transfer":
		return fmt.Sprintf("got a manifest of stage %q, want one that transfer wrote", s.Stage)
	case s.Version != first.Version:
		return fmt.Sprintf("got version %q, want %q as %s has", s.Version, first.Version, g.names[0])
	case s.Config != first.Config:
		return "was made with other settings than " + g.names[0]
	case s.Seed != first.Seed:
		return fmt.Sprintf("got seed %d, want %d as %s has", s.Seed, first.Seed, g.names[0])
	case s.Parent != first.Parent:
		return "was made from another manifest than " + g.names[0]
	}
	return ""
}

// sameRecord tells whether two records are one, whatever masks they have.
func sameRecord(a, b manifests.Record) bool {
	return a.ID == b.ID && a.Split == b.Split && a.Tier == b.Tier && a.Image.SHA256 == b.Image.SHA256 && slices.Equal(a.Boxes, b.Boxes)
}

// take notes what a shard tells of record i: a mask, that it was skipped, or nothing.
func (g *merge) take(name string, i int, own *manifests.Record, skipped bool) error {
	r, to := &g.m.Records[i], &g.out.Records[i]
	if !isTarget(r) || !slices.Contains(rounds(g.round), r.Tier) {
		if !slices.EqualFunc(own.Masks, r.Masks, func(a, b manifests.Mask) bool { return reflect.DeepEqual(a, b) }) {
			return fmt.Errorf("%s: is of another round, or of another input: %s (%s) has other masks than in the input", name, r.ID, r.Tier)
		}
		return nil
	}
	mask, ok := own.MaskOf(r.Tier)
	switch {
	case !skipped && !ok:
		return nil // it is another's
	case g.by[i] > 0:
		if was, _ := to.MaskOf(r.Tier); skipped != g.skipped[i] || !skipped && !reflect.DeepEqual(mask, was) {
			return fmt.Errorf("%s: %s and %s disagree: got %s and %s: leave out the one that is out of date", r.ID,
				g.names[g.by[i]-1], name, brief(was, g.skipped[i]), brief(mask, skipped))
		}
		return nil
	}
	g.by[i], g.skipped[i] = len(g.names), skipped
	if skipped {
		return nil // it keeps what it had
	}
	if len(mask.Used) == 2 {
		if was, ok := g.models[r.Tier]; !ok {
			g.models[r.Tier] = learned{mask.Used[1], name}
		} else if was.model != mask.Used[1] {
			return fmt.Errorf("%s and %s learned different models: one could not read all sources (its skipped records name them), or "+
				"another build made it: make them again", was.by, name)
		}
	}
	to.Masks = withMask(r.Masks, mask)
	return nil
}

// whole returns an error if no shard told of some target.
func (g *merge) whole() error {
	for _, tier := range rounds(g.round) {
		targets, missing, first := 0, 0, ""
		for i := range g.m.Records {
			r := &g.m.Records[i]
			if r.Tier != tier || !isTarget(r) {
				continue
			}
			if targets++; g.by[i] > 0 {
				continue
			}
			if missing++; missing == 1 {
				first = r.ID
			}
		}
		if missing > 0 {
			return fmt.Errorf("%d of %d %s images have no mask and no skip in any shard, the first is %s: name the manifests of all "+
				"shards i/n, and their --round", missing, targets, tier, first)
		}
	}
	return nil
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

// A Part is a share of Run's work, or all of it if it is zero, for one of several processes or
// machines. The work goes in rounds, as the label tier learns from the masks of the bbox tier:
// every shard of round bbox, Merge, every shard of round label on what was merged, Merge. What a
// round learns is kept in the store; LearnOnly makes only that, so that shards that share the
// folder need not each learn the same. What a shard makes has its own targets alone.
type Part struct {
	Round     manifests.Tier // BBox or Label; "" for both
	Index     int            // of the shard, 0..Count-1
	Count     int            // shards; 0 is 1
	LearnOnly bool
}

func (p Part) validate(m *manifests.Manifest, o Options) error {
	if p.Round != "" && p.Round != manifests.BBox && p.Round != manifests.Label {
		return fmt.Errorf("transfer: round: got %q, want %s or %s", p.Round, manifests.BBox, manifests.Label)
	}
	if n := max(p.Count, 1); p.Index < 0 || p.Index >= n {
		return fmt.Errorf("transfer: shard: got %d of %d, want 0..%d", p.Index, n, n-1)
	}
	both := len(targetsOf(m, manifests.BBox)) > 0 && len(targetsOf(m, manifests.Label)) > 0
	if p.Round == "" && (p.Count > 1 || p.LearnOnly) && o.Staged && both {
		return fmt.Errorf("transfer: shard: the label tier learns from all masks of the bbox tier; name the round, bbox first")
	}
	return nil
}

// rounds returns the tiers of a round, in their order; "" is both.
func rounds(round manifests.Tier) []manifests.Tier {
	if round != "" {
		return []manifests.Tier{round}
	}
	return []manifests.Tier{manifests.BBox, manifests.Label}
}

// share returns every Count-th target.
func (p Part) share(targets []int) []int {
	if p.Count < 2 {
		return targets
	}
	var own []int
	for i := p.Index; i < len(targets); i += p.Count {
		own = append(own, targets[i])
	}
	return own
}

// cut leaves the targets of a part in what it made.
func (p Part) cut(m, out *manifests.Manifest) {
	if p.Count < 2 {
		return
	}
	var records []manifests.Record
	for _, tier := range rounds(p.Round) {
		for _, i := range p.share(targetsOf(m, tier)) {
			records = append(records, out.Records[i])
		}
	}
	out.Records = records
}

// targetsOf returns the indices of the records that get masks of a tier.
func targetsOf(m *manifests.Manifest, tier manifests.Tier) (targets []int) {
	for i := range m.Records {
		if r := &m.Records[i]; r.Tier == tier && isTarget(r) {
			targets = append(targets, i)
		}
	}
	return targets
}
