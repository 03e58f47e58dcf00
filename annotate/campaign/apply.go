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

// Apply returns the campaign's manifest with the accepted masks as the newest revisions of the
// manual tier, each after the revisions that led to it, with who drew it, when and from what. What
// the manifest has already is not added again. Boxes that people drew replace the record's; see
// boxed. done counts the records whose mask is accepted or whose boxes were drawn. Parent and
// Config are for the caller to set.
func (c *Campaign) Apply() (out *manifests.Manifest, done int) {
	out = &manifests.Manifest{Header: c.Manifest.Header, Records: slices.Clone(c.Manifest.Records)}
	out.Stage = "annotate"
	for i := range out.Records {
		r := &out.Records[i]
		it := c.byKey[Key(r.ID)]
		if it == nil { // its log cannot be used
			continue
		}
		it.mu.Lock()
		l, boxes, now := it.line(Main).copy(), it.boxes, it.boxed()
		it.mu.Unlock()
		if boxes != nil {
			r.Boxes, r.Tier = now.Boxes, now.Tier
		}
		if l.State == Accepted {
			r.Masks = history(r, &l)
		}
		if boxes != nil || l.State == Accepted {
			done++
		}
	}
	return out, done
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
