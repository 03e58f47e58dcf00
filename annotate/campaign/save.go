package campaign

import (
	"os"
	"path/filepath"

	"hdseg/annotate/eventlog"
	"hdseg/ingest/raster"
	"hdseg/manifests"
)

// A SaveRequest is a mask that a person drew.
type SaveRequest struct {
	Mask  *raster.Mask
	Base  int            // the head that they began with; 0 for none
	Save  string         // the client's own name of this save
	Empty bool           // a mask without figure is meant
	From  manifests.Tier // the tier whose mask they began with, where there was no head; "" for none
	Tools map[string]int // strokes by tool
}

// Save keeps a mask as the next revision of the person's line. If the line's head is not the base, the mask is kept
// aside and the error is a *ConflictError that names both. A save that was made before under the same name is
// answered again. When Save returns without error, or with a *ConflictError that has Kept, the mask is on the disk.
func (c *Campaign) Save(p Person, key string, s SaveRequest) (Line, error) {
	it, err := c.Item(key)
	if err != nil {
		return Line{}, err
	}
	if im := it.Record.Image; s.Mask.Width != im.Width || s.Mask.Height != im.Height {
		return Line{}, badf("mask: got %d x %d pixels, want the picture's %d x %d", s.Mask.Width, s.Mask.Height, im.Width, im.Height)
	}
	if len(s.Save) > 100 {
		return Line{}, badf("the name of a save has %d characters, want at most 100", len(s.Save))
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	name, err := it.lineOf(p)
	if err != nil {
		return Line{}, err
	}
	l := it.line(name)
	for i := range l.Revisions {
		if r := &l.Revisions[i]; s.Save != "" && r.Save == s.Save {
			if r.Aside {
				return Line{}, &ConflictError{l.copy(), r.N}
			}
			return l.copy(), nil
		}
	}
	if err := l.mayEdit(p); err != nil {
		return Line{}, err
	}
	_, figure, void := s.Mask.Areas()
	if figure == 0 && !s.Empty {
		return Line{}, ErrEmpty
	}
	e := c.stamp(p, eventlog.Saved, name)
	if s.Base != l.Head {
		e.Kind = eventlog.Aside
	}
	if s.Base < 0 || s.Base > len(l.Revisions) {
		return Line{}, badf("base: got revision %d, want 0 to %d", s.Base, len(l.Revisions))
	}
	if e.Mask, e.Path, err = c.putMask(it, s.Mask); err != nil {
		return Line{}, err
	}
	e.Revision, e.Base, e.Image, e.Figure, e.Void = len(l.Revisions)+1, s.Base, it.Record.Image.SHA256, figure, void
	e.Save, e.Tools = s.Save, s.Tools
	if r := l.Revision(s.Base); r != nil {
		e.Used = []manifests.Digest{r.Mask}
	} else if k, ok := it.Record.MaskOf(s.From); ok {
		e.Used = []manifests.Digest{k.SHA256}
	}
	if err := it.add(e); err != nil {
		return Line{}, err
	}
	if e.Kind == eventlog.Aside {
		return Line{}, &ConflictError{l.copy(), e.Revision}
	}
	return l.copy(), nil
}

// putMask stores a mask and returns when it is on the disk.
func (c *Campaign) putMask(it *Item, m *raster.Mask) (manifests.Digest, string, error) {
	p, d, err := c.Store.Put("masks/manual", it.Key, "png", raster.EncodeMaskPNG(m))
	if err != nil {
		return "", "", err
	}
	name, err := c.Store.Path(p)
	if err != nil {
		return "", "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return "", "", err
	}
	return d, p, eventlog.SyncDir(filepath.Dir(name))
}

// mayEdit tells whether a person may add a revision.
func (l *Line) mayEdit(p Person) error {
	switch {
	case l.State == Accepted:
		return &ForbiddenError{"the mask is accepted: a reviewer can reopen it"}
	case p.Role == Reviewer:
		return nil
	case (l.State == Submitted || l.State == Rejected) && l.Author != p.Name:
		return &ForbiddenError{"the mask is with its author, " + l.Author + ", and the reviewers"}
	}
	return nil
}

// copy returns the line for others to read.
func (l *Line) copy() Line {
	out := *l
	out.Revisions = append([]Revision{}, l.Revisions...)
	return out
}
