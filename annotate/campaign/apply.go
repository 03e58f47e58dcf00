package campaign

import (
	"slices"

	"hdseg/manifests"
)

// Statuses of masks that are in a manifest as the history of the one that was accepted.
const (
	StatusDraft = "draft" // a later revision was accepted
	StatusAside = "aside" // another revision was the head already
)

// Apply returns m with the accepted masks as the newest revisions of the manual tier, each after
// the revisions that led to it, with who drew it, when and from what. What m has already is not
// added again. Boxes that people drew replace the record's; see boxed. Work on a record that m does
// not have, or whose picture is another one, is listed as a skip. done counts the records whose
// mask is accepted or whose boxes were drawn. m is not changed; Parent and Config are for the
// caller to set.
func (c *Campaign) Apply(m *manifests.Manifest) (out *manifests.Manifest, done int, skips []manifests.Skip) {
	out = &manifests.Manifest{Header: m.Header, Records: slices.Clone(m.Records)}
	out.Stage = "annotate"
	at := map[string]int{}
	for i := range out.Records {
		at[out.Records[i].ID] = i
	}
	for _, it := range c.items {
		it.mu.Lock()
		l, boxes, now := it.line(Main).copy(), it.boxes, it.boxed()
		it.mu.Unlock()
		if l.State != Accepted && boxes == nil {
			continue
		}
		i, ok := at[it.Record.ID]
		if !ok {
			skips = append(skips, manifests.Skip{Record: it.Record.ID, Reason: "no_record", Detail: "accepted, but not in this manifest"})
			continue
		}
		r := &out.Records[i]
		if r.Image.SHA256 != it.Record.Image.SHA256 {
			skips = append(skips, manifests.Skip{Record: r.ID, Reason: "image_changed", Detail: "drawn on another picture"})
			continue
		}
		if boxes != nil {
			r.Boxes, r.Tier = now.Boxes, now.Tier
		}
		if l.State == Accepted {
			r.Masks = history(r, &l)
		}
		done++
	}
	out.Skipped = append(slices.Clone(m.Skipped), skips...)
	return out, done, skips
}

// history returns the record's masks with those of the line, the head last.
func history(r *manifests.Record, l *Line) []manifests.Mask {
	masks := slices.Clone(r.Masks)
	next := 0
	if k, ok := r.MaskOf(manifests.Manual); ok {
		next = k.Revision + 1
	}
	order := slices.Clone(l.Revisions)
	slices.SortStableFunc(order, func(a, b Revision) int { return last(a.N == l.Head) - last(b.N == l.Head) })
	for _, v := range order {
		k := v.mask(r)
		switch {
		case v.N == l.Head:
		case v.Aside:
			k.Status = StatusAside
		default:
			k.Status = StatusDraft
		}
		if newest, ok := r.MaskOf(manifests.Manual); v.N == l.Head && ok && same(&newest, &k) && next == newest.Revision+1 {
			break // nothing was added before it, and it is the newest
		}
		if v.N != l.Head && slices.ContainsFunc(masks, func(o manifests.Mask) bool { return same(&o, &k) }) {
			continue
		}
		k.Revision = next
		next++
		masks = append(masks, k)
	}
	slices.SortFunc(masks, func(a, b manifests.Mask) int { return a.Compare(&b) })
	return masks
}

func last(head bool) int {
	if head {
		return 1
	}
	return 0
}

// same tells whether two masks are one person's one save.
func same(a, b *manifests.Mask) bool {
	return a.Tier == b.Tier && a.SHA256 == b.SHA256 && a.WasAttributedTo == b.WasAttributedTo && a.GeneratedAtTime == b.GeneratedAtTime
}

// mask describes a revision as a manifest does.
func (v *Revision) mask(r *manifests.Record) manifests.Mask {
	k := manifests.Mask{Tier: manifests.Manual, Path: v.Path, SHA256: v.Mask, Figure: v.Figure, Void: v.Void}
	k.WasGeneratedBy, k.GeneratedAtTime, k.WasAttributedTo = "annotate", v.At, v.By
	k.Used = append([]manifests.Digest{r.Image.SHA256}, v.Used...)
	if len(v.Used) > 0 {
		k.WasDerivedFrom = []string{r.ID} // an earlier mask of the same record was corrected
	}
	return k
}
