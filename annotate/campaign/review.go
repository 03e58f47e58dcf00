package campaign

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
)

const maxText = 2000 // characters of a comment or a reason

func badf(format string, args ...any) error { return &BadRequestError{fmt.Sprintf(format, args...)} }

// Move brings the person's line of an item to another state. base is the head that they looked at: if it is not the
// head any more, nobody has seen what would be submitted or accepted, and the error is a *ConflictError.
func (c *Campaign) Move(p Person, key string, to State, base int, reason string) (Line, error) {
	it, err := c.Item(key)
	if err != nil {
		return Line{}, err
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	name, err := it.lineOf(p)
	if err != nil {
		return Line{}, err
	}
	l := it.line(name)
	if base != l.Head {
		return Line{}, &ConflictError{Line: l.copy()}
	}
	if err := l.mayMove(p, to); err != nil {
		return Line{}, err
	}
	reason, err = text(reason)
	if err != nil {
		return Line{}, err
	}
	if (reason == "") == (to == Rejected) {
		return Line{}, badf("a rejection, and nothing else, has a reason: got %q for %s", reason, to)
	}
	e := c.stamp(p, eventlog.Moved, name)
	e.From, e.To, e.Reason = string(l.State), string(to), reason
	if to == Rejected && l.Owner != l.Author { // a reviewer painted on it meanwhile
		e.Author = l.Owner
	}
	if err := it.add(e); err != nil {
		return Line{}, err
	}
	return l.copy(), nil
}

// mayMove is the table of who may bring a line from one state to another.
func (l *Line) mayMove(p Person, to State) error {
	reviewer := p.Role == Reviewer
	type step struct{ from, to State }
	switch (step{l.State, to}) {
	case step{Edited, Submitted}:
		if reviewer || l.Author == p.Name {
			return nil
		}
		return &ForbiddenError{"the mask is " + l.Author + "'s to submit"}
	case step{Submitted, Accepted}, step{Edited, Accepted}, step{Submitted, Rejected}, step{Accepted, Edited}:
		if reviewer {
			return nil
		}
		return &ForbiddenError{"that is for a reviewer"}
	case step{Edited, Rejected}: // a reviewer painted on what was submitted
		if l.Owner == "" {
			break
		}
		if reviewer {
			return nil
		}
		return &ForbiddenError{"that is for a reviewer"}
	case step{Submitted, Edited}: // withdrawn
		if reviewer || l.Author == p.Name {
			return nil
		}
		return &ForbiddenError{"the mask is " + l.Author + "'s to withdraw"}
	}
	if l.Head == 0 {
		return badf("from %s to %s: there is no saved mask yet", l.State, to)
	}
	return badf("from %s to %s: there is no such step", l.State, to)
}

// Adjudicate makes the head of a blind annotator's line the next revision of the main line.
func (c *Campaign) Adjudicate(p Person, key, choose string, base int) (Line, error) {
	it, err := c.Item(key)
	if err != nil {
		return Line{}, err
	}
	if p.Role != Reviewer {
		return Line{}, &ForbiddenError{"that is for a reviewer"}
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	if !it.bothDone() {
		return Line{}, badf("both blind annotators must have submitted")
	}
	from := it.lines[choose]
	if from == nil || choose == Main {
		return Line{}, ErrNotFound
	}
	l := it.line(Main)
	if base != l.Head {
		return Line{}, &ConflictError{Line: l.copy()}
	}
	if err := l.mayEdit(p); err != nil {
		return Line{}, err
	}
	r := from.Revision(from.Head)
	e := c.stamp(p, eventlog.Saved, Main)
	e.Revision, e.Base, e.Author, e.Image = len(l.Revisions)+1, base, r.By, it.Record.Image.SHA256
	e.Mask, e.Path, e.Figure, e.Void, e.Used = r.Mask, r.Path, r.Figure, r.Void, []manifests.Digest{r.Mask}
	if err := it.add(e); err != nil {
		return Line{}, err
	}
	return l.copy(), nil
}

// Comment pins a remark to a pixel.
func (c *Campaign) Comment(p Person, key string, x, y int, words string) error {
	it, err := c.Item(key)
	if err != nil {
		return err
	}
	words, err = text(words)
	if err != nil {
		return err
	}
	if im := it.Record.Image; words == "" || x < 0 || y < 0 || x >= im.Width || y >= im.Height {
		return badf("comment: got %q at (%d, %d), want text at a pixel of %d x %d", words, x, y, im.Width, im.Height)
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	name, err := it.lineOf(p)
	if err != nil {
		return err
	}
	e := c.stamp(p, eventlog.Comment, name)
	e.Comment, e.X, e.Y, e.Text = len(it.remarks)+1, x, y, words
	return it.add(e)
}

// Resolve settles a remark.
func (c *Campaign) Resolve(p Person, key string, comment int) error {
	it, err := c.Item(key)
	if err != nil {
		return err
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	name, err := it.lineOf(p)
	if err != nil {
		return err
	}
	if comment < 1 || comment > len(it.remarks) || !it.shows(p, it.remarks[comment-1].Line) {
		return ErrNotFound
	}
	if it.remarks[comment-1].Resolved != "" {
		return nil
	}
	e := c.stamp(p, eventlog.Resolved, name)
	e.Comment = comment
	return it.add(e)
}

func text(s string) (string, error) {
	s = strings.TrimSpace(s)
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxText {
		return "", badf("text: want at most %d characters of UTF-8", maxText)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return "", badf("text: want no control characters")
	}
	return s, nil
}
