package campaign

import (
	"cmp"
	"hdseg/manifests"
	"slices"
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
	Assignee string           `json:"assignee"` // whose it is to draw; "" for nobody's
	Reason   string           `json:"reason"`
	Quality  float64          `json:"quality"` // predicted IoU of the proposal, 0 for none
	Doubt    string           `json:"doubt"`   // the proposal's status
	Blind    bool             `json:"blind"`
	Seen     bool             `json:"seen"`  // the person looked at the mask as it is now
	Ready    bool             `json:"ready"` // both blind annotators have submitted
	Comments int              `json:"comments"`
	Image    manifests.Digest `json:"image"` // the picture's file
	Shown    manifests.Digest `json:"shown"` // the mask of the thumbnail
	// of a model's mask with the true one; none without a model and a true mask
	IoU *float64 `json:"iou,omitempty"`
	// how far the mask of the model that learns and the proposal disagree, 0 to 1; see Learned
	Differs *float64 `json:"differs,omitempty"`
}

// Queue returns what a person may work on: the worst pictures of a model that is looked at, then
// doubtful proposals, then the lowest predicted IoU, then those without prediction, each in the
// order of ids.
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
		case e.IoU != nil:
			return *e.IoU - 3
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
		Image: r.Image.SHA256, State: l.State, Head: l.Head, Author: l.Author, Assignee: it.assigned, Reason: l.Reason,
		Blind: it.Blind != nil, Ready: it.bothDone(),
		Seen: it.hasSeen(p, l),
		IoU:  it.iou}
	if k, ok := it.proposal(name); ok {
		e.Quality, e.Doubt, e.Shown = k.Quality, k.Status, k.SHA256
	}
	if h := l.Revision(l.Head); h != nil {
		e.Shown = h.Mask
	}
	if k := it.guess(name); k != nil && l.State != Accepted {
		if v, ok := k.Differs[r.ID]; ok {
			e.Differs = &v
		}
	}
	if it.model != nil {
		e.Shown = it.model.Digest
	}
	for _, k := range it.remarks {
		if k.Resolved == "" && it.shows(p, k.Line) {
			e.Comments++
		}
	}
	return e, true
}

// proposal returns the mask that a line begins with: of the record's own tier, else any that is
// shown.
func (it *Item) proposal(line string) (manifests.Mask, bool) {
	r := it.Record
	if k, ok := r.MaskOf(r.Tier); ok && it.shown(line, k.Tier) {
		return k, true
	}
	for _, k := range slices.Backward(r.Masks) {
		if it.shown(line, k.Tier) {
			return k, true
		}
	}
	return manifests.Mask{}, false
}
