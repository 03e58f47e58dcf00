package campaign

import (
	"cmp"
	"slices"
	"strings"

	"hdseg/annotate/eventlog"
	"hdseg/ingest/load"
	"hdseg/ingest/raster"
	"hdseg/manifests"
)

// An Entry is an item in the queue, as one person sees it.
type Entry struct {
	Key      string           `json:"key"`
	ID       string           `json:"id"`
	Split    manifests.Split  `json:"split"`
	Tier     manifests.Tier   `json:"tier"`
	Synset   string           `json:"synset"`
	Width    int              `json:"width"`
	Height   int              `json:"height"`
	State    State            `json:"state"` // of the person's line
	Head     int              `json:"head"`
	Author   string           `json:"author"`
	Reason   string           `json:"reason"`
	Quality  float64          `json:"quality"` // predicted IoU of the proposal, 0 for none
	Doubt    string           `json:"doubt"`   // the proposal's status
	Blind    bool             `json:"blind"`
	Ready    bool             `json:"ready"` // both blind annotators have submitted
	Comments int              `json:"comments"`
	Image    manifests.Digest `json:"image"` // the picture's file
	Shown    manifests.Digest `json:"shown"` // the mask of the thumbnail
}

// Queue returns what a person may work on: doubtful proposals first, then the worst predicted quality, then those
// without prediction, each in the order of ids.
func (c *Campaign) Queue(p Person) []Entry {
	out := []Entry{}
	for _, it := range c.items {
		it.mu.Lock()
		if e, ok := it.entry(p); ok {
			out = append(out, e)
		}
		it.mu.Unlock()
	}
	rank := func(e *Entry) float64 {
		switch {
		case e.Doubt != "":
			return -1
		case e.Quality == 0:
			return 2
		}
		return e.Quality
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(rank(&a), rank(&b)) })
	return out
}

func (it *Item) entry(p Person) (Entry, bool) {
	name, err := it.lineOf(p)
	if err != nil {
		return Entry{}, false
	}
	r, l := it.Record, it.line(name)
	e := Entry{Key: it.Key, ID: r.ID, Split: r.Split, Tier: r.Tier, Synset: r.Synset, Width: r.Image.Width, Height: r.Image.Height,
		Image: r.Image.SHA256, State: l.State, Head: l.Head, Author: l.Author, Reason: l.Reason, Blind: it.Blind != nil, Ready: it.bothDone()}
	if k, ok := it.Proposal(p); ok {
		e.Quality, e.Doubt, e.Shown = k.Quality, k.Status, k.SHA256
	}
	if h := l.Revision(l.Head); h != nil {
		e.Shown = h.Mask
	}
	for _, k := range it.remarks {
		if k.Resolved == "" && it.shows(p, k.Line) {
			e.Comments++
		}
	}
	return e, true
}

// Proposal returns the mask that a person begins with: of the record's own tier, else any. Blind annotators begin with
// nothing that people drew.
func (it *Item) Proposal(p Person) (manifests.Mask, bool) {
	r := it.Record
	hide := it.Blind != nil && p.Role != Reviewer
	if k, ok := r.MaskOf(r.Tier); ok && !(hide && k.Tier == manifests.Manual) {
		return k, true
	}
	for _, k := range slices.Backward(r.Masks) {
		if !(hide && k.Tier == manifests.Manual) {
			return k, true
		}
	}
	return manifests.Mask{}, false
}

// A Detail is an item as one person sees it.
type Detail struct {
	Entry
	Line     Line             `json:"line"`     // the person's own
	Others   []Line           `json:"others"`   // of blind annotators, when a reviewer adjudicates
	Tiers    []manifests.Tier `json:"tiers"`    // whose masks can be shown
	Proposal manifests.Tier   `json:"proposal"` // the tier to begin with; "" for none
	Remarks  []Remark         `json:"remarks"`
	Events   []eventlog.Event `json:"events"`
	Boxes    []manifests.Box  `json:"boxes"`
}

// Detail returns an item as a person sees it.
func (c *Campaign) Detail(p Person, key string) (*Detail, error) {
	it, err := c.Item(key)
	if err != nil {
		return nil, err
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	name, err := it.lineOf(p)
	if err != nil {
		return nil, err
	}
	d := &Detail{Line: it.line(name).copy(), Others: []Line{}, Tiers: []manifests.Tier{}, Remarks: []Remark{}, Events: []eventlog.Event{}, Boxes: it.Record.Boxes}
	d.Entry, _ = it.entry(p)
	if name == Main && it.bothDone() {
		for _, b := range it.Blind {
			d.Others = append(d.Others, it.line(b).copy())
		}
	}
	for _, k := range it.Record.Masks {
		if !slices.Contains(d.Tiers, k.Tier) && (name == Main || k.Tier != manifests.Manual) {
			d.Tiers = append(d.Tiers, k.Tier)
		}
	}
	if k, ok := it.Proposal(p); ok {
		d.Proposal = k.Tier
	}
	for _, k := range it.remarks {
		if it.shows(p, k.Line) {
			d.Remarks = append(d.Remarks, k)
		}
	}
	for _, e := range it.events {
		if it.shows(p, e.Line) {
			e.Path, e.Save = "", ""
			d.Events = append(d.Events, e)
		}
	}
	return d, nil
}

// shows tells whether a person may see a line: their own, and, for reviewers, those of blind annotators once both
// have submitted.
func (it *Item) shows(p Person, line string) bool {
	own, err := it.lineOf(p)
	return err == nil && (line == own || own == Main && it.bothDone())
}

// MaskAt returns a revision of a line that the person may see.
func (c *Campaign) MaskAt(p Person, key, line string, revision int) (*raster.Mask, error) {
	it, err := c.Item(key)
	if err != nil {
		return nil, err
	}
	it.mu.Lock()
	var k manifests.Mask
	if l := it.lines[line]; l != nil && it.shows(p, line) {
		if r := l.Revision(revision); r != nil {
			k = manifests.Mask{Tier: manifests.Manual, Path: r.Path, SHA256: r.Mask}
		}
	}
	it.mu.Unlock()
	if k.Path == "" {
		return nil, ErrNotFound
	}
	return load.Mask(c.Store, it.Record, k)
}

// TierMask returns the newest mask of a tier of the manifest.
func (c *Campaign) TierMask(p Person, key string, tier manifests.Tier) (*raster.Mask, error) {
	it, err := c.Item(key)
	if err != nil {
		return nil, err
	}
	name, err := it.lineOf(p)
	if err != nil {
		return nil, err
	}
	k, ok := it.Record.MaskOf(tier)
	if !ok || name != Main && strings.HasPrefix(string(tier), string(manifests.Manual)) {
		return nil, ErrNotFound
	}
	return load.Mask(c.Store, it.Record, k)
}

// ShownMask returns the mask of an item's thumbnail; nil if there is none.
func (c *Campaign) ShownMask(p Person, key string) (*raster.Mask, error) {
	it, err := c.Item(key)
	if err != nil {
		return nil, err
	}
	it.mu.Lock()
	name, err := it.lineOf(p)
	if err != nil {
		it.mu.Unlock()
		return nil, err
	}
	head := it.line(name).Head
	it.mu.Unlock()
	if head > 0 {
		return c.MaskAt(p, key, name, head)
	}
	if k, ok := it.Proposal(p); ok {
		return load.Mask(c.Store, it.Record, k)
	}
	return nil, nil
}
