package campaign

import (
	"os"
	"path/filepath"
	"slices"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A SaveRequest is a mask that a person drew.
type SaveRequest struct {
	Mask  *raster.Mask
	Base  int    // the head that they began with; 0 for none
	Save  string // the client's own name of this save
	Empty bool   // a mask without figure is meant
	// the tier whose mask they began with, where there was no head; "" for none
	From  manifests.Tier
	Tools map[string]int // strokes by tool
	Auto  bool           // the page saves by itself; see Line.told
}

// Save keeps a mask as the next revision of the person's line. If the line's head is not the base,
// the mask is kept aside, once, and the error is a *ConflictError that names both. A save of the
// same pixels that the person made before under the same name is answered again; the name of
// another save is an error. When Save returns without error, or with a *ConflictError that has
// Kept, the mask is on the disk.
func (c *Campaign) Save(p Person, key string, s SaveRequest) (Line, error) {
	if len(s.Save) > 100 {
		return Line{}, badf("the name of a save has %d characters, want at most 100", len(s.Save))
	}
	return c.change(p, key, func(it *Item, l *Line) error {
		if im := it.Record.Image; s.Mask.Width != im.Width || s.Mask.Height != im.Height {
			return badf("mask: got %d x %d pixels, want the picture's %d x %d", s.Mask.Width, s.Mask.Height, im.Width, im.Height)
		}
		for i := range l.Revisions {
			if r := &l.Revisions[i]; s.Save != "" && r.Save == s.Save {
				if r.By != p.Name || r.Mask != manifests.Sum(raster.EncodeMaskPNG(s.Mask)) {
					return badf("save %q was used before, by another person or for other pixels: give this one a name of its own", s.Save)
				}
				if r.Aside {
					return &ConflictError{l.copy(), r.N}
				}
				return nil
			}
		}
		may := it.mayEdit // a save that names another base is kept aside
		if s.Base == l.Head {
			may = it.mayDraw
		}
		if err := may(p, l); err != nil {
			return err
		}
		e, err := c.saved(p, it, l, &s)
		if err != nil {
			return err
		}
		for _, r := range l.Revisions {
			if e.Kind == eventlog.Aside && r.Aside && r.By == p.Name && r.Mask == e.Mask {
				return &ConflictError{l.copy(), r.N}
			}
		}
		if err := it.add(e); err != nil {
			return err
		}
		if e.Kind == eventlog.Aside {
			return &ConflictError{l.copy(), e.Revision}
		}
		return nil
	})
}

// saved stores the mask of a request and describes its revision.
func (c *Campaign) saved(p Person, it *Item, l *Line, s *SaveRequest) (e eventlog.Event, err error) {
	_, figure, void := s.Mask.Areas()
	if figure == 0 && !s.Empty {
		return e, ErrEmpty
	}
	if s.Base < 0 || s.Base > len(l.Revisions) {
		return e, badf("base: got revision %d, want 0 to %d", s.Base, len(l.Revisions))
	}
	e = c.stamp(p, eventlog.Saved, l.Name)
	if s.Base != l.Head {
		e.Kind = eventlog.Aside
	}
	e.Revision, e.Base, e.Image, e.Figure, e.Void = len(l.Revisions)+1, s.Base, it.Record.Image.SHA256, figure, void
	e.Save, e.Tools, e.Auto = s.Save, s.Tools, s.Auto
	if r := l.Revision(s.Base); r != nil {
		e.Used = []manifests.Digest{r.Mask}
	} else if e.Began = StartEmpty; s.From != "" {
		k, ok := it.Record.MaskOf(s.From)
		if !ok || !it.shown(l.Name, s.From) {
			return e, badf("from: got tier %s, want one that is shown here, or none", s.From)
		}
		e.Began, e.Used = string(s.From), []manifests.Digest{k.SHA256}
	}
	e.Mask, e.Path, err = c.putMask(it, s.Mask)
	return e, err
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
	return d, p, manifests.SyncDir(filepath.Dir(name))
}

// mayEdit tells whether a person may add a revision. Nobody draws on what was submitted without
// having said so first: see Move.
func (it *Item) mayEdit(p Person, l *Line) error {
	if err := it.closed(l); err != nil {
		return err
	}
	switch {
	case l.State == SetAside:
		return &ForbiddenError{"the picture is set aside: take it up to draw on it"}
	case l.State == Accepted:
		return &ForbiddenError{"the mask is accepted: a reviewer can reopen it"}
	case l.State == Submitted && l.Author == p.Name:
		return &ForbiddenError{"you submitted this mask: withdraw it to draw on it"}
	case l.State == Submitted && p.Role == Reviewer:
		return &ForbiddenError{l.Author + " submitted this mask: choose Correct to draw on it"}
	case (l.State == Submitted || l.State == Rejected) && l.Author != p.Name && p.Role != Reviewer:
		return &ForbiddenError{"the mask is with its author, " + l.Author + ", and the reviewers"}
	}
	return nil
}

// mayDraw is mayEdit for who looks at the head: the draft of another is shown, and saved on, only
// once it is taken over, so that a stray click changes nothing.
func (it *Item) mayDraw(p Person, l *Line) error {
	err := it.mayEdit(p, l)
	if err == nil && l.Head > 0 && l.Author != p.Name && !(p.Role == Reviewer && l.Owner != "") {
		err = &ForbiddenError{"this is a draft of " + l.Author + ": take it over to draw on it"}
	}
	return err
}

// work names the person who may not review a line's head: who submitted it or drew it blind, or,
// where nobody did, who drew it; "" for a proposal that was saved as it was.
func (l *Line) work() string {
	r := l.Revision(l.Head)
	if l.Owner != "" || r == nil || slices.Contains(r.Used, r.Mask) {
		return l.Owner
	}
	return l.Author
}

// copy returns the line for others to read.
func (l *Line) copy() Line {
	out := *l
	out.Work = l.work()
	out.Revisions = l.told()
	return out
}
