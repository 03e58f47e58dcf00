package campaign

import (
	"errors"
	"slices"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A Detail is an item as one person sees it.
type Detail struct {
	Entry
	Version  int              `json:"version"`  // grows with every event of the item
	Line     Line             `json:"line"`     // the person's own
	Others   []Line           `json:"others"`   // of blind annotators, when a reviewer adjudicates
	Tiers    []manifests.Tier `json:"tiers"`    // whose masks can be shown
	Proposal manifests.Tier   `json:"proposal"` // the tier to begin with; "" for none
	Remarks  []Remark         `json:"remarks"`
	Events   []eventlog.Event `json:"events"`
	Boxes    []manifests.Box  `json:"boxes"`
	Masks    []manifests.Mask `json:"masks,omitempty"` // of a record that is only looked at
	// why this person may not draw on it; "" where they may
	ReadOnly string  `json:"readOnly"`
	Moves    []State `json:"moves"` // where this person may bring it
}

// Detail returns an item as a person sees it.
func (c *Campaign) Detail(p Person, key string) (d *Detail, err error) {
	err = c.with(p, key, func(it *Item, l *Line) error {
		d = &Detail{Version: it.changed, Line: l.copy(), Others: []Line{}, Tiers: []manifests.Tier{}, Remarks: []Remark{},
			Events: []eventlog.Event{}, Boxes: it.boxed().Boxes, Moves: []State{}}
		d.Entry, _ = it.entry(p)
		if l.Name == Main && it.bothDone() {
			for _, b := range it.Blind {
				d.Others = append(d.Others, it.line(b).copy())
			}
		}
		for _, k := range it.Record.Masks {
			if !slices.Contains(d.Tiers, k.Tier) && it.shown(l.Name, k.Tier) {
				d.Tiers = append(d.Tiers, k.Tier)
			}
		}
		if it.viewed {
			d.Masks = it.Record.Masks
		}
		if it.modeled(l.Name) != nil {
			d.Tiers = append(d.Tiers, ModelTier)
		}
		if k, ok := it.proposal(l.Name); ok {
			d.Proposal = k.Tier
		}
		for _, k := range it.remarks {
			if it.shows(p, k.Line) {
				k.Yours = it.maySettle(p, k)
				d.Remarks = append(d.Remarks, k)
			}
		}
		type revision struct {
			line string
			n    int
		}
		told := map[revision]bool{}
		for name, l := range it.lines {
			for _, r := range l.told() {
				told[revision{name, r.N}] = true
			}
		}
		for _, e := range it.events {
			if e.Kind != eventlog.Worked && it.shows(p, e.Line) && (e.Revision == 0 || told[revision{e.Line, e.Revision}]) {
				e.Path, e.Save = "", ""
				d.Events = append(d.Events, e)
			}
		}
		if forbidden := new(ForbiddenError); errors.As(it.mayDraw(p, l), &forbidden) {
			d.ReadOnly = forbidden.Why
		}
		for _, to := range []State{Edited, Submitted, Accepted, Rejected, SetAside} {
			if it.mayMove(p, l, to) == nil {
				d.Moves = append(d.Moves, to)
			}
		}
		return nil
	})
	return d, err
}

// shows tells whether a person may see a line: their own, and, for reviewers, those of blind
// annotators once both have submitted.
func (it *Item) shows(p Person, line string) bool {
	own, err := it.lineOf(p)
	return err == nil && (line == own || own == Main && it.bothDone())
}

// A maker makes or reads a mask.
type maker func() (*raster.Mask, error)

// stored reads a mask of an item.
func (c *Campaign) stored(it *Item, k manifests.Mask) maker {
	return func() (*raster.Mask, error) { return load.Mask(c.Store, it.Record, k) }
}

// MaskAt returns a revision of a line that the person may see.
func (c *Campaign) MaskAt(p Person, key, line string, revision int) (*raster.Mask, error) {
	return c.mask(p, key, func(it *Item, _ *Line) maker {
		if of := it.lines[line]; of != nil && it.shows(p, line) && of.Revision(revision) != nil {
			return c.stored(it, of.Revision(revision).mask(it.Record))
		}
		return nil
	})
}

// TierMask returns the newest mask of a tier of the manifest, or that of a model.
func (c *Campaign) TierMask(p Person, key string, tier manifests.Tier) (*raster.Mask, error) {
	return c.mask(p, key, func(it *Item, l *Line) maker {
		if tier == ModelTier {
			return it.modeled(l.Name)
		}
		if k, ok := it.Record.MaskOf(tier); ok && it.shown(l.Name, tier) {
			return c.stored(it, k)
		}
		return nil
	})
}

// ShownMask returns the mask of an item's thumbnail; nil if there is none. Where a model's error is
// shown, it is the model's.
func (c *Campaign) ShownMask(p Person, key string) (*raster.Mask, error) {
	return c.mask(p, key, func(it *Item, l *Line) maker {
		if it.model != nil {
			return it.modeled(l.Name)
		}
		if r := l.Revision(l.Head); r != nil {
			return c.stored(it, r.mask(it.Record))
		}
		if k, ok := it.proposal(l.Name); ok {
			return c.stored(it, k)
		}
		return func() (*raster.Mask, error) { return nil, nil }
	})
}

// mask makes the mask that pick chooses; ErrNotFound if it chooses none.
func (c *Campaign) mask(p Person, key string, pick func(*Item, *Line) maker) (*raster.Mask, error) {
	var make maker
	err := c.with(p, key, func(it *Item, l *Line) error {
		if make = pick(it, l); make == nil {
			return ErrNotFound
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return make()
}
