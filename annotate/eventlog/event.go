// Package eventlog keeps what happened to one image as an append-only file of JSON lines: every
// line names the digest of the line before it, and is on the disk before Append returns.
package eventlog

import "hdseg/manifests"

// The kinds of event.
const (
	Saved    = "saved"    // a revision became the line's head
	Aside    = "aside"    // a revision was kept, but another one had become the head meanwhile
	Moved    = "moved"    // the state changed
	Comment  = "comment"  // a remark pinned to a point
	Resolved = "resolved" // the remark is settled
	Assigned = "assigned" // the picture was given to somebody, or taken back
	Worked   = "worked"   // somebody looked at the picture or drew; see Seconds
	Boxed    = "boxed"    // the boxes of the objects were drawn anew
)

// An Event is one line of a log. Which fields are set depends on Kind.
type Event struct {
	Seq int `json:"seq"` // 1 for the first
	// of the line before, without its line break; "" for the first
	Prev manifests.Digest `json:"prev,omitempty"`
	At   string           `json:"at"` // RFC 3339, UTC, to the millisecond
	By   string           `json:"by"` // the person who acted
	Kind string           `json:"kind"`
	// whose version of the mask: main, or the name of a blind annotator
	Line string `json:"line"`
	Tool string `json:"tool"` // hdseg@version

	// Saved, Aside.
	Revision int `json:"revision,omitempty"` // of the line, 1..
	// the head that the person began with; 0 for none
	Base int `json:"base,omitempty"`
	// who drew it, where that is not By; of a rejection: whom it goes back to
	Author string             `json:"author,omitempty"`
	Image  manifests.Digest   `json:"image,omitempty"` // the picture's file
	Mask   manifests.Digest   `json:"mask,omitempty"`
	Path   string             `json:"path,omitempty"` // of the mask in the store
	Figure int                `json:"figure,omitempty"`
	Void   int                `json:"void,omitempty"`
	Used   []manifests.Digest `json:"used,omitempty"` // masks that it began with
	// where there was no base: empty, or the tier whose mask it began with
	Began string `json:"began,omitempty"`
	// the client's name of this save: a repeated request is answered, not repeated
	Save string `json:"save,omitempty"`
	// strokes by tool since the base; of Worked, clicks too
	Tools map[string]int `json:"tools,omitempty"`
	Auto  bool           `json:"auto,omitempty"` // the page saved by itself, nobody asked for it

	// Moved.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Reason string `json:"reason,omitempty"` // of a rejection

	// Comment, Resolved.
	Comment int    `json:"comment,omitempty"` // its number in the log, 1..
	X       int    `json:"x,omitempty"`       // pixels of the upright picture
	Y       int    `json:"y,omitempty"`
	Text    string `json:"text,omitempty"`

	// Worked, beside Base, which was on the screen, and Tools.
	Seconds map[string]float64 `json:"seconds,omitempty"` // active time by tool

	// Assigned.
	Assigned string `json:"assigned,omitempty"` // to whom; none: nobody's any more

	// Boxed.
	Boxes []manifests.Box `json:"boxes,omitempty"` // all of the picture; none if it has none
}
