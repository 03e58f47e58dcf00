package manifests

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Tier says what kind of annotation a mask came from.
type Tier string

// The tiers of the paper (HDSeg suffixes .gt, .bb and .no). A tier of another tool's
// masks is "external:NAME".
const (
	Manual Tier = "manual" // drawn by people
	BBox   Tier = "bbox"   // segmentation transfer inside given boxes
	Label  Tier = "label"  // segmentation transfer from the image's label alone
	None   Tier = "none"   // no mask and nothing to make one from
)

// ParseTier accepts manual, bbox, label, none and external:NAME, where NAME is made of
// letters, digits, '.', '_' and '-'.
func ParseTier(s string) (Tier, error) {
	switch t := Tier(s); t {
	case Manual, BBox, Label, None:
		return t, nil
	}
	name, ok := strings.CutPrefix(s, "external:")
	valid := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c)
	}
	if !ok || name == "" || strings.ContainsFunc(name, func(c rune) bool { return !valid(c) }) {
		return "", fmt.Errorf("tier %q: want manual, bbox, label, none or external:NAME", s)
	}
	return Tier(s), nil
}

// A Split says what a record may be used for.
type Split string

// Test records are measured on and never enter a source pool, a vocabulary, tree
// features or colour models.
const (
	Train Split = "train"
	Test  Split = "test"
)

// A Record is one image with what is known about it. (Split, ID) is unique in a
// manifest; ID alone is unique after the split stage.
type Record struct {
	ID     string `json:"id"`               // the source's own name: n02374451_87, 2007_000063
	Source string `json:"source,omitempty"` // imagenet, voc2012, folder, ...
	Synset string `json:"synset,omitempty"` // WordNet id, "" where the source has none
	Split  Split  `json:"split"`
	Tier   Tier   `json:"tier"` // of the source's annotation
	Image  Image  `json:"image"`
	Boxes  []Box  `json:"boxes,omitempty"`
	Masks  []Mask `json:"masks,omitempty"` // at most one per (Tier, Revision), sorted by both
}

// An Image is the stored picture of a record.
type Image struct {
	Path        string   `json:"path"`             // POSIX, relative to the store
	SHA256      Digest   `json:"sha256"`           // of the file's bytes
	Pixels      Digest   `json:"pixels,omitempty"` // of the upright RGB bytes
	Width       int      `json:"width"`            // upright, in pixels
	Height      int      `json:"height"`           // in pixels
	Format      string   `json:"format"`           // jpeg, png, gif, bmp, webp
	Orientation int      `json:"orientation"`      // EXIF tag that decoding applies, 1..8
	Origin      string   `json:"origin,omitempty"` // archive!member or file, no folders
	Notes       []string `json:"notes,omitempty"`  // what ingest found unusual
}

// A Box is half-open, in upright pixels: XMin <= x < XMax, YMin <= y < YMax.
type Box struct {
	XMin int `json:"xMin"` // left edge, in pixels from 0
	YMin int `json:"yMin"` // upper edge
	XMax int `json:"xMax"` // one past the last column
	YMax int `json:"yMax"` // one past the last row
}

// Empty tells whether the box holds no pixel.
func (b Box) Empty() bool { return b.XMax <= b.XMin || b.YMax <= b.YMin }

// Clip returns the part of b inside a width x height picture, possibly empty.
func (b Box) Clip(width, height int) Box {
	return Box{max(b.XMin, 0), max(b.YMin, 0), min(b.XMax, width), min(b.YMax, height)}
}

// A Mask is one stored labeling of a record's image: an 8-bit PNG of the image's size
// with values 0 ground, 1 figure, 255 void.
type Mask struct {
	Tier     Tier    `json:"tier"`
	Revision int     `json:"revision"`          // 0 for the first
	Path     string  `json:"path"`              // in the folder of the data set
	SHA256   Digest  `json:"sha256"`            // digest of the file
	Figure   int     `json:"figure"`            // pixels of value 1
	Void     int     `json:"void"`              // pixels of value 255
	Quality  float64 `json:"quality,omitempty"` // the predicted IoU, 0..1; 0 where nothing predicts it
	// "" when sound; else empty, full, no_prior, no_free or no_contrast. See transfer/cut
	Status string `json:"status,omitempty"`
	// where the ground shows a person, as COCO's compressed run lengths (format.RLE); "" where the
	// source names no persons
	Persons string `json:"persons,omitempty"`
	Provenance
}

// Provenance answers where a mask came from, in the words of W3C PROV.
type Provenance struct {
	// ingest/voc2012, transfer/bbox, annotate
	WasGeneratedBy  string   `json:"wasGeneratedBy,omitempty"`
	GeneratedAtTime string   `json:"generatedAtTime,omitempty"` // RFC 3339, of people's work only
	Used            []Digest `json:"used,omitempty"`            // image, box file, pool
	WasDerivedFrom  []string `json:"wasDerivedFrom,omitempty"`  // records that voted, best first
	WasAttributedTo string   `json:"wasAttributedTo,omitempty"` // a person, or hdseg@version
}

// TransferActivity begins the activity of every mask that was voted for by other records:
// transfer/bbox, transfer/label.
const TransferActivity = "transfer/"

// AnnotateActivity is that of the masks that people drew here, and, with /import behind it,
// elsewhere.
const AnnotateActivity = "annotate"

// Transferred tells whether a mask was made from those of other records.
func (p Provenance) Transferred() bool { return strings.HasPrefix(p.WasGeneratedBy, TransferActivity) }

// MaskOf returns the newest mask of a tier.
func (r *Record) MaskOf(t Tier) (Mask, bool) {
	for _, m := range slices.Backward(r.Masks) {
		if m.Tier == t {
			return m, true
		}
	}
	return Mask{}, false
}

// Persons returns what the first of its masks says of persons that names any, "" for none: later
// revisions change the figure alone.
func (r *Record) Persons() string {
	for _, m := range r.Masks {
		if m.Persons != "" {
			return m.Persons
		}
	}
	return ""
}

// Tiers returns the tiers that a record counts for: its own and those of its masks, sorted.
func (r *Record) Tiers() []Tier { return r.appendTiers(nil) }

func (r *Record) appendTiers(ts []Tier) []Tier {
	ts = append(ts[:0], r.Tier)
	for _, m := range r.Masks {
		ts = append(ts, m.Tier)
	}
	slices.Sort(ts)
	ts = slices.Compact(ts)
	if len(ts) > 1 {
		ts = slices.DeleteFunc(ts, func(t Tier) bool { return t == None })
	}
	return ts
}

// Compare orders the masks of a record: by tier, then by revision.
func (m *Mask) Compare(o *Mask) int {
	return cmp.Or(strings.Compare(string(m.Tier), string(o.Tier)), cmp.Compare(m.Revision, o.Revision))
}

// Compare orders records as manifests keep them: train before test, then by ID.
func (r *Record) Compare(o *Record) int {
	if r.Split != o.Split {
		return -strings.Compare(string(r.Split), string(o.Split))
	}
	return strings.Compare(r.ID, o.ID)
}
