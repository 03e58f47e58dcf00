package manifests

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// Validate lists everything that keeps m from being written, as Faults. What lies between records,
// or between a record and its files, is Check's.
func (m *Manifest) Validate() []error {
	var errs []error
	add := func(record string) report {
		return func(field, kind, format string, args ...any) {
			errs = append(errs, fault(record, kind, "%s: %s", field, fmt.Sprintf(format, args...)))
		}
	}
	m.Header.check(add(""))
	for i := range m.Records {
		r := &m.Records[i]
		r.check(add(r.ID))
		if i > 0 {
			r.checkOrder(&m.Records[i-1], add(r.ID))
		}
	}
	for i := range m.Skipped {
		k := &m.Skipped[i]
		k.check(add(k.Record))
		if i > 0 {
			k.checkOrder(&m.Skipped[i-1], add(k.Record))
		}
	}
	return errs
}

// A report takes one fault; field is a dotted path of YAML keys ("masks.0.figure").
type report func(field, kind, format string, args ...any)

func (h *Header) check(rep report) {
	if h.Schema != Schema {
		rep("schema", FaultSchema, "got version %d, want %d", h.Schema, Schema)
	}
	checkName("dataset", h.Dataset, rep)
	checkName("stage", h.Stage, rep)
	checkText("class.name", h.Class.Name, rep)
	checkText("tool", h.Tool, rep)
	checkText("version", h.Version, rep)
	for _, s := range h.Class.Synsets {
		checkName("class.synsets", s, rep)
	}
	checkDigest("config", h.Config, true, rep)
	checkDigest("parent", h.Parent, true, rep)
	if got := Sum([]byte(h.Settings)); h.Settings != "" && (got != h.Config || !utf8.ValidString(h.Settings)) {
		rep("settings", FaultValue, "got text with the sha256 %s, want %s as in config", got.Short(), h.Config.Short())
	}
}

// check reports what is wrong with r by itself.
func (r *Record) check(rep report) {
	checkName("id", r.ID, rep)
	if r.Split != Train && r.Split != Test {
		rep("split", FaultValue, "got %q, want train or test", string(r.Split))
	}
	if _, err := ParseTier(string(r.Tier)); err != nil {
		rep("tier", FaultValue, "%v", err)
	}
	checkText("source", r.Source, rep)
	checkText("synset", r.Synset, rep)
	r.Image.check(rep)
	for i, b := range r.Boxes {
		if b.Empty() || b != b.Clip(r.Image.Width, r.Image.Height) {
			rep(at("boxes", i, ""), FaultBox, "x %d..%d, y %d..%d: want a part of the image, %d x %d pixels",
				b.XMin, b.XMax, b.YMin, b.YMax, r.Image.Width, r.Image.Height)
		}
	}
	for i := range r.Masks {
		r.Masks[i].check(&r.Image, func(field, kind, format string, args ...any) { rep(at("masks", i, field), kind, format, args...) })
		if i > 0 && r.Masks[i-1].Compare(&r.Masks[i]) >= 0 {
			rep(at("masks", i, ""), FaultOrder, "%s revision %d follows %s revision %d: want each once, sorted by tier and revision",
				r.Masks[i].Tier, r.Masks[i].Revision, r.Masks[i-1].Tier, r.Masks[i-1].Revision)
		}
	}
}

// checkOrder reports that r does not come after o, the record before it.
func (r *Record) checkOrder(o *Record, rep report) {
	switch c := o.Compare(r); {
	case c == 0:
		rep("id", FaultDuplicate, "twice in split %s", r.Split)
	case c > 0:
		rep("id", FaultOrder, "not sorted: it follows %s record %q, want train before test, then by id", o.Split, o.ID)
	}
}

// maxSide bounds sizes so that their product is safe to compute with; decoders have lower limits.
const maxSide = 1 << 24

func (m *Image) check(rep report) {
	checkFile("image.path", m.Path, rep)
	checkDigest("image.sha256", m.SHA256, false, rep)
	checkDigest("image.pixels", m.Pixels, true, rep)
	if m.Width < 1 || m.Width > maxSide || m.Height < 1 || m.Height > maxSide {
		rep("image.width", FaultValue, "got %d x %d pixels, want 1..%d each", m.Width, m.Height, maxSide)
	}
	checkName("image.format", m.Format, rep)
	if m.Orientation < 1 || m.Orientation > 8 {
		rep("image.orientation", FaultValue, "got %d, want 1..8", m.Orientation)
	}
	checkText("image.origin", m.Origin, rep)
	for _, s := range m.Notes {
		checkText("image.notes", s, rep)
	}
}

func (m *Mask) check(im *Image, rep report) {
	if t, err := ParseTier(string(m.Tier)); err != nil {
		rep("tier", FaultValue, "%v", err)
	} else if t == None {
		rep("tier", FaultValue, "got none, want the tier that the mask comes from")
	}
	if m.Revision < 0 {
		rep("revision", FaultValue, "got %d, want 0 or more", m.Revision)
	}
	checkFile("path", m.Path, rep)
	checkDigest("sha256", m.SHA256, false, rep)
	if n := im.Width * im.Height; m.Figure < 0 || m.Void < 0 || m.Figure > n-m.Void {
		rep("figure", FaultValue, "figure %d + void %d pixels: want 0 or more each, and at most the %d of the image", m.Figure, m.Void, n)
	}
	if !(m.Quality >= 0 && m.Quality <= 1) {
		rep("quality", FaultValue, "got %g, want 0..1", m.Quality)
	}
	checkText("status", m.Status, rep)
	checkText("persons", m.Persons, rep)
	checkText("wasGeneratedBy", m.WasGeneratedBy, rep)
	checkText("wasAttributedTo", m.WasAttributedTo, rep)
	if m.GeneratedAtTime != "" {
		if _, err := time.Parse(time.RFC3339, m.GeneratedAtTime); err != nil {
			rep("generatedAtTime", FaultValue, "got %q, want RFC 3339, as 2026-01-31T13:45:00Z", m.GeneratedAtTime)
		}
	}
	for _, d := range m.Used {
		checkDigest("used", d, false, rep)
	}
	for _, s := range m.WasDerivedFrom {
		checkName("wasDerivedFrom", s, rep)
	}
}

func (k *Skip) check(rep report) {
	checkText("record", k.Record, rep) // may be any name in an archive
	checkName("reason", k.Reason, rep)
	checkText("detail", k.Detail, rep)
}

func (k *Skip) checkOrder(o *Skip, rep report) {
	if o.Compare(k) > 0 {
		rep("record", FaultOrder, "not sorted: it follows %q", o.Record)
	}
}

func at(list string, i int, field string) string {
	return strings.TrimSuffix(fmt.Sprintf("%s.%d.%s", list, i, field), ".")
}

func checkText(field, s string, rep report) {
	if !utf8.ValidString(s) {
		rep(field, FaultValue, "%q is not UTF-8", s)
	}
}

// validName tells whether s is printable text: names and ids stand in messages and file names.
func validName(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == 0x7f {
			return false
		}
	}
	return utf8.ValidString(s)
}

func checkName(field, s string, rep report) {
	if s == "" {
		rep(field, FaultValue, "empty")
	} else if !validName(s) {
		rep(field, FaultValue, "%q: want UTF-8 without control characters", s)
	}
}

func validDigest(d Digest) bool {
	_, err := ParseDigest(string(d))
	return err == nil
}

func checkDigest(field string, d Digest, optional bool, rep report) {
	if d == "" && optional {
		return
	}
	if _, err := ParseDigest(string(d)); err != nil {
		rep(field, FaultValue, "%v", err)
	}
}

// validPath tells whether p may name a file of a store: UTF-8, clean, relative, inside, with '/'.
func validPath(p string) bool {
	return validName(p) && !strings.Contains(p, `\`) && path.Clean(p) == p && !path.IsAbs(p) && p != "." &&
		filepath.IsLocal(filepath.FromSlash(p))
}

// validFile tells whether p may name an image or a mask: nothing else in the folder of a data set
// is a record's to name or to write.
func validFile(p string) bool {
	return validPath(p) && (strings.HasPrefix(p, "images/") || strings.HasPrefix(p, "masks/"))
}

func checkFile(field, p string, rep report) {
	if validPath(p) && !validFile(p) {
		rep(field, FaultPath, "%q: want a path in images/ or masks/", p)
		return
	}
	checkPath(field, p, rep)
}

func checkPath(field, p string, rep report) {
	if !validPath(p) {
		rep(field, FaultPath, "%q: want a clean relative path with '/' inside the store", p)
	}
}
