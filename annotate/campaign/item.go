package campaign

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
)

// A State says where a mask is on its way into the data set.
type State string

// The way of a mask. Rejected work returns to its author; accepted work is read-only until a
// reviewer reopens it.
const (
	Proposed  State = "proposed" // nobody has saved anything
	Edited    State = "edited"
	Submitted State = "submitted"
	Accepted  State = "accepted"
	Rejected  State = "rejected"
	SetAside  State = "set aside" // nobody draws it now; the reason says why
)

// Main is the line of revisions that a data set takes its mask from. The other lines of an item are
// those of its blind annotators, by their names.
const Main = "main"

// A Revision is one saved mask.
type Revision struct {
	N      int                `json:"revision"` // 1 for the first of its line
	Base   int                `json:"base"`     // the head that it began with
	Aside  bool               `json:"aside"`    // kept, but another one was the head already
	By     string             `json:"by"`       // who drew it
	At     string             `json:"at"`
	Mask   manifests.Digest   `json:"mask"`
	Path   string             `json:"-"`
	Figure int                `json:"figure"`
	Void   int                `json:"void"`
	Used   []manifests.Digest `json:"-"`
	Save   string             `json:"-"`
	Auto   bool               `json:"-"` // the page saved it by itself
}

// A Line is a sequence of revisions with one state.
type Line struct {
	Name   string `json:"line"`
	State  State  `json:"state"`
	Head   int    `json:"head"`   // the current revision; 0 for none
	Author string `json:"author"` // who drew the head, or whom it was rejected to
	// who submitted it, or drew it blind, whoever corrected it since; "" for none
	Owner string `json:"owner"`
	// who may not accept it: its owner, else its author; "" for an untouched proposal
	Work      string     `json:"work"`
	Reason    string     `json:"reason,omitempty"`
	Revisions []Revision `json:"revisions"`
}

// Revision returns revision n, nil if there is none.
func (l *Line) Revision(n int) *Revision {
	if n < 1 || n > len(l.Revisions) {
		return nil
	}
	return &l.Revisions[n-1]
}

// told returns the revisions that people are told of, and that a manifest gets: what the page saved
// by itself counts only until the same person's next save goes on from it.
func (l *Line) told() []Revision {
	out := []Revision{}
	head := -1 // in out
	for _, r := range l.Revisions {
		if !r.Aside {
			if head >= 0 && out[head].Auto && out[head].By == r.By && out[head].N == r.Base {
				r.Base, r.Used = out[head].Base, out[head].Used
				out = slices.Delete(out, head, head+1)
			}
			head = len(out)
		}
		out = append(out, r)
	}
	return out
}

// A Remark is a comment pinned to a point of the picture.
type Remark struct {
	N        int    `json:"comment"` // 1 for the first
	Line     string `json:"line"`
	By       string `json:"by"`
	At       string `json:"at"`
	X        int    `json:"x"`
	Y        int    `json:"y"`
	Text     string `json:"text"`
	Resolved string `json:"resolved,omitempty"` // by whom
	Yours    bool   `json:"yours"`              // in a Detail: whether the person may settle it
}

// An Item is one record in a campaign.
type Item struct {
	Key    string // its name in addresses and of its log: letters, digits, '.', '_' and '-'
	Record *manifests.Record
	Blind  []string // the two annotators who draw it without seeing one another's; nil for most

	bare       bool // blind annotators are shown no mask of the manifest
	selfReview bool // reviewers may accept what they drew themselves
	viewed     bool // it is only looked at, see Browse
	iou        *float64
	model      *Compared
	learned    *atomic.Pointer[Learned] // nil where it is only looked at

	mu       sync.Mutex
	log      *eventlog.Log
	wrote    func() // after every event
	changed  int    // Campaign.changes at the last event
	lines    map[string]*Line
	remarks  []Remark
	seen     map[string]int   // by person: the revision of the main line that they looked at last
	assigned string           // to whom; "" for nobody
	boxes    *[]manifests.Box // that people drew; nil: the record's
	events   []eventlog.Event
}

// line returns a line, which exists from the first question on.
func (it *Item) line(name string) *Line {
	l := it.lines[name]
	if l == nil {
		l = &Line{Name: name, State: Proposed, Revisions: []Revision{}}
		it.lines[name] = l
	}
	return l
}

// add appends an event to the log and takes it into account.
func (it *Item) add(e eventlog.Event) error {
	if err := it.log.Append(&e); err != nil {
		return err
	}
	it.wrote()
	return it.fold(e)
}

// fold takes an event into account. An error means that the log is not one that this program wrote.
func (it *Item) fold(e eventlog.Event) error {
	l := it.line(e.Line)
	switch e.Kind {
	case eventlog.Saved, eventlog.Aside:
		if e.Revision != len(l.Revisions)+1 {
			return fmt.Errorf("event %d: got revision %d of %s, want %d", e.Seq, e.Revision, e.Line, len(l.Revisions)+1)
		}
		r := Revision{N: e.Revision, Base: e.Base, Aside: e.Kind == eventlog.Aside, By: e.By, At: e.At, Mask: e.Mask, Path: e.Path,
			Figure: e.Figure, Void: e.Void, Used: e.Used, Save: e.Save, Auto: e.Auto}
		if e.Author != "" {
			r.By = e.Author
		}
		l.Revisions = append(l.Revisions, r)
		if !r.Aside {
			l.Head, l.Author, l.State = r.N, r.By, Edited
			if e.Author != "" {
				l.Owner = e.Author
			}
		}
	case eventlog.Moved:
		l.State, l.Reason = State(e.To), e.Reason
		if r := l.Revision(l.Head); r != nil {
			r.Auto = false // somebody said that it counts
		}
		switch {
		case l.State == Submitted:
			l.Owner = l.Author
		case l.State == Edited && l.Head == 0: // taken up again
			l.State = Proposed
		case l.State == Rejected && e.Author != "":
			l.Author = e.Author
		case l.State == Edited && State(e.From) == Submitted && e.By == l.Author: // withdrawn
			l.Owner = ""
		case l.State == Edited && e.Author != "": // taken over
			l.Author = e.Author
		}
	case eventlog.Comment:
		it.remarks = append(it.remarks, Remark{N: e.Comment, Line: e.Line, By: e.By, At: e.At, X: e.X, Y: e.Y, Text: e.Text})
	case eventlog.Resolved:
		if e.Comment < 1 || e.Comment > len(it.remarks) {
			return fmt.Errorf("event %d: resolves comment %d of %d", e.Seq, e.Comment, len(it.remarks))
		}
		it.remarks[e.Comment-1].Resolved = e.By
	case eventlog.Worked:
		it.saw(&e)
	case eventlog.Assigned:
		it.assigned = e.Assigned
	case eventlog.Boxed:
		it.boxes = &e.Boxes
	default:
		return fmt.Errorf("event %d: kind %q: want one that this program knows", e.Seq, e.Kind)
	}
	it.events = append(it.events, e)
	return nil
}

// lineOf names the line that a person works on; an error if the item is not theirs. Who drew an
// image blind does not choose between the two masks either, unless nobody else is there to do it.
func (it *Item) lineOf(p Person) (string, error) {
	blind := slices.Contains(it.Blind, p.Name) && !(p.Role == Reviewer && it.selfReview && it.bothDone())
	switch {
	case blind:
		return p.Name, nil
	case it.Blind == nil || p.Role == Reviewer:
		return Main, nil
	}
	return "", &ForbiddenError{"this image is drawn blind by two others"}
}

// closed tells why a line of a blind image cannot be changed now, whoever asks; nil for other
// images.
func (it *Item) closed(l *Line) error {
	main := it.line(Main)
	switch {
	case it.viewed:
		return &ForbiddenError{"this page only shows the data set"}
	case it.Blind == nil:
	case l.Name != Main && main.Head > 0:
		return &ForbiddenError{"a reviewer has chosen between the two masks: this one is read-only"}
	case l == main && main.Head == 0 && !it.bothDone():
		return &ForbiddenError{"two people draw this image blind: wait until both have submitted"}
	case l == main && main.Head == 0:
		return &ForbiddenError{"two people drew this image blind: choose one of their masks first"}
	}
	return nil
}

// shown tells whether masks of a tier of the manifest are shown to those who work on a line: blind
// annotators see nothing that people drew, and in most campaigns nothing at all.
func (it *Item) shown(line string, tier manifests.Tier) bool {
	return line == Main || !it.bare && tier != manifests.Manual
}

// Bare tells whether two people draw the item blind and are shown no mask of the manifest.
func (it *Item) Bare() bool { return it.Blind != nil && it.bare }

// bothDone tells whether both blind annotators have submitted.
func (it *Item) bothDone() bool {
	for _, name := range it.Blind {
		if it.line(name).State != Submitted {
			return false
		}
	}
	return it.Blind != nil
}

// Open tells whether a person may see the item.
func (it *Item) Open(p Person) bool {
	it.mu.Lock()
	defer it.mu.Unlock()
	_, err := it.lineOf(p)
	return err == nil
}
