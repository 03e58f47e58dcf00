package manifests

import (
	"cmp"
	"maps"
	"slices"
)

// A Change is one difference between two manifests.
type Change struct {
	Split Split      `json:"split"`
	ID    string     `json:"id"`
	Tier  Tier       `json:"tier"` // of the record, or of the mask that changed
	Kind  ChangeKind `json:"kind"`
}

// A ChangeKind says what differs.
type ChangeKind string

// The kinds of change.
const (
	RecordAdded   ChangeKind = "record_added"
	RecordRemoved ChangeKind = "record_removed"
	RecordChanged ChangeKind = "record_changed" // source, synset, tier, boxes, image's facts
	ImageChanged  ChangeKind = "image_changed"  // other bytes, size or orientation
	MaskAdded     ChangeKind = "mask_added"
	MaskRemoved   ChangeKind = "mask_removed"
	MaskChanged   ChangeKind = "mask_changed"   // other bytes
	MaskDescribed ChangeKind = "mask_described" // another path, quality, status, provenance
)

// Diff lists what b has otherwise than a, by record and then kind. Records are the same by split
// and id, masks by tier and revision; one that moved to the other split is removed there and added
// here, and the masks of added and removed records are not listed. Both manifests must be sorted.
// The cost is linear.
func Diff(a, b *Manifest) []Change {
	var out []Change
	join(a.Records, b.Records, (*Record).Compare, func(x, y *Record) {
		switch {
		case y == nil:
			out = append(out, change(x, RecordRemoved))
		case x == nil:
			out = append(out, change(y, RecordAdded))
		default:
			out = diffRecord(out, x, y)
		}
	})
	return out
}

// join calls each for the items of two sorted lists: with both where they compare equal, else with
// nil in place of the other.
func join[T any](a, b []T, compare func(x, y *T) int, each func(x, y *T)) {
	for len(a) > 0 || len(b) > 0 {
		c := len(b) - len(a) // of which one is 0, if at all
		if len(a) > 0 && len(b) > 0 {
			c = compare(&a[0], &b[0])
		}
		switch {
		case c < 0:
			each(&a[0], nil)
			a = a[1:]
		case c > 0:
			each(nil, &b[0])
			b = b[1:]
		default:
			each(&a[0], &b[0])
			a, b = a[1:], b[1:]
		}
	}
}

func change(r *Record, kind ChangeKind) Change { return Change{r.Split, r.ID, r.Tier, kind} }

func diffRecord(out []Change, a, b *Record) []Change {
	x, y := a.Image, b.Image
	if a.Source != b.Source || a.Synset != b.Synset || a.Tier != b.Tier || !slices.Equal(a.Boxes, b.Boxes) ||
		x.Path != y.Path || x.Pixels != y.Pixels || x.Format != y.Format || x.Origin != y.Origin || !slices.Equal(x.Notes, y.Notes) {
		out = append(out, change(b, RecordChanged))
	}
	if x.SHA256 != y.SHA256 || x.Width != y.Width || x.Height != y.Height || x.Orientation != y.Orientation {
		out = append(out, change(b, ImageChanged))
	}
	mask := func(k *Mask, kind ChangeKind) { out = append(out, Change{b.Split, b.ID, k.Tier, kind}) }
	join(a.Masks, b.Masks, (*Mask).Compare, func(k, l *Mask) {
		switch {
		case l == nil:
			mask(k, MaskRemoved)
		case k == nil:
			mask(l, MaskAdded)
		case k.SHA256 != l.SHA256:
			mask(l, MaskChanged)
		case !k.describedAs(l):
			mask(l, MaskDescribed)
		}
	})
	return out
}

// describedAs tells whether everything but the bytes of the masks is equal.
func (m *Mask) describedAs(o *Mask) bool {
	return m.Path == o.Path && m.Figure == o.Figure && m.Void == o.Void && m.Quality == o.Quality && m.Status == o.Status &&
		m.Persons == o.Persons &&
		m.WasGeneratedBy == o.WasGeneratedBy && m.GeneratedAtTime == o.GeneratedAtTime && m.WasAttributedTo == o.WasAttributedTo &&
		slices.Equal(m.Used, o.Used) && slices.Equal(m.WasDerivedFrom, o.WasDerivedFrom)
}

// A ChangeCount is the number of changes of one kind in one split and tier.
type ChangeCount struct {
	Split Split      `json:"split"`
	Tier  Tier       `json:"tier"`
	Kind  ChangeKind `json:"kind"`
	N     int        `json:"n"`
}

// CountChanges sums changes up: train before test, then by tier and kind.
func CountChanges(changes []Change) []ChangeCount {
	n := map[ChangeCount]int{}
	for _, c := range changes {
		n[ChangeCount{c.Split, c.Tier, c.Kind, 0}]++
	}
	out := slices.SortedFunc(maps.Keys(n), func(a, b ChangeCount) int {
		return cmp.Or(-cmp.Compare(a.Split, b.Split), cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Kind, b.Kind))
	})
	for i, c := range out {
		out[i].N = n[c]
	}
	return out
}
