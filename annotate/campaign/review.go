package campaign

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"hdseg/annotate/eventlog"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

const maxText = 2000 // characters of a comment or a reason

func badf(format string, args ...any) error { return &BadRequestError{fmt.Sprintf(format, args...)} }

// Move brings the person's line of an item to another state. To Edited it withdraws what the person
// submitted, opens what another submitted for a reviewer's corrections, reopens what was accepted,
// takes over the draft of another, or takes up what was set aside. base is the head that they
// looked at: if it is not the head any more, nobody has seen what would be submitted or accepted,
// and the error is a *ConflictError.
func (c *Campaign) Move(p Person, key string, to State, base int, reason string) (Line, error) {
	return c.change(p, key, func(it *Item, l *Line) error { return c.move(p, it, l, to, base, reason) })
}

func (c *Campaign) move(p Person, it *Item, l *Line, to State, base int, reason string) error {
	if base != l.Head {
		return &ConflictError{Line: l.copy()}
	}
	if err := it.mayMove(p, l, to); err != nil {
		return err
	}
	if to == Accepted && !it.selfReview {
		if err := c.mayAcceptAlone(p, it, l); err != nil {
			return err
		}
	}
	reason, err := text(reason)
	if err != nil {
		return err
	}
	if (reason == "") == (to == Rejected || to == SetAside) {
		return badf("what is rejected or set aside has a reason, and nothing else: got %q for %s", reason, to)
	}
	e := c.stamp(p, eventlog.Moved, l.Name)
	e.From, e.To, e.Reason = string(l.State), string(to), reason
	switch {
	case to == Rejected && l.Owner != l.Author: // a reviewer painted on it meanwhile
		e.Author = l.Owner
	case to == Edited && (l.State == Edited || l.State == Rejected): // taken over
		e.Author = p.Name
	}
	return it.add(e)
}

// mayMove is the table of who may bring a line from one state to another.
func (it *Item) mayMove(p Person, l *Line, to State) error {
	if err := it.closed(l); err != nil {
		return err
	}
	type step struct{ from, to State }
	mine, reviewed := p.Role == Reviewer || l.Author == p.Name, false
	switch (step{l.State, to}) {
	case step{Edited, Submitted}, step{Submitted, Edited}: // withdrawn, or corrected by a reviewer
		if !mine {
			does := map[State]string{Submitted: "submit", Edited: "withdraw"}[to]
			return &ForbiddenError{"the mask is " + l.Author + "'s to " + does}
		}
		return nil
	case step{Edited, Edited}, step{Rejected, Edited}: // taken over
		switch {
		case it.mayDraw(p, l) == nil:
			return badf("from %s to %s: you may draw on it already", l.State, to)
		case l.State == Rejected && p.Role != Reviewer:
			return &ForbiddenError{"the mask is with its author, " + l.Author + ", and the reviewers"}
		}
		return nil
	case step{Proposed, SetAside}, step{Edited, SetAside}, step{Rejected, SetAside}:
		return it.mayDraw(p, l)
	case step{SetAside, Edited}: // taken up again, by whom it may be
		return nil
	case step{Submitted, Accepted}, step{Edited, Accepted}, step{Submitted, Rejected}, step{Accepted, Edited}:
		reviewed = true
	case step{Edited, Rejected}: // a reviewer painted on what was submitted, or reopened it
		reviewed = l.Owner != ""
	}
	switch {
	case !reviewed && l.Head == 0:
		return badf("from %s to %s: there is no saved mask yet", l.State, to)
	case !reviewed:
		return badf("from %s to %s: there is no such step", l.State, to)
	case p.Role != Reviewer:
		return &ForbiddenError{"that is for a reviewer"}
	case to == Rejected && it.Blind != nil:
		return &ForbiddenError{"a mask that was drawn blind does not go back: correct it, or choose the other one"}
	case to == Accepted && l.work() == p.Name && !it.selfReview:
		return &ForbiddenError{"this is your own work: another reviewer accepts it"}
	}
	return nil
}

// aloneShare is the share of a mask that a reviewer may correct and accept without another
// reviewer.
const aloneShare = 0.1

// mayAcceptAlone refuses a reviewer who changed more of the owner's mask than aloneShare of its
// figure: that is a mask of their own, which nobody else has seen.
func (c *Campaign) mayAcceptAlone(p Person, it *Item, l *Line) error {
	var theirs *Revision // the owner's last
	for i := range l.Revisions {
		if r := &l.Revisions[i]; r.By == l.Owner && !r.Aside {
			theirs = r
		}
	}
	head := l.Revision(l.Head)
	if theirs == nil || head == nil || head.By != p.Name || p.Name == l.Owner {
		return nil
	}
	was, err := load.Mask(c.Store, it.Record, theirs.mask(it.Record))
	if err != nil {
		return err
	}
	now, err := load.Mask(c.Store, it.Record, head.mask(it.Record))
	if err != nil {
		return err
	}
	changed := 0
	for i, v := range was.Pix {
		if now.Pix[i] != v {
			changed++
		}
	}
	if share := float64(changed) / float64(max(theirs.Figure, 1)); share > aloneShare {
		return &ForbiddenError{fmt.Sprintf("you changed %.0f%% of %s's mask: another reviewer accepts it", 100*share, l.Owner)}
	}
	return nil
}

// Adjudicate makes the head of a blind annotator's line the next revision of the main line.
func (c *Campaign) Adjudicate(p Person, key, choose string, base int) (Line, error) {
	if p.Role != Reviewer {
		return Line{}, &ForbiddenError{"that is for a reviewer"}
	}
	return c.change(p, key, func(it *Item, l *Line) error {
		from := it.lines[choose]
		switch {
		case l.Name != Main:
			return &ForbiddenError{"you drew one of the two masks: another reviewer chooses"}
		case !it.bothDone():
			return badf("both blind annotators must have submitted")
		case from == nil || choose == Main:
			return ErrNotFound
		case base != l.Head:
			return &ConflictError{Line: l.copy()}
		case l.State == Accepted:
			return it.mayEdit(p, l)
		}
		r := from.Revision(from.Head)
		e := c.stamp(p, eventlog.Saved, Main)
		e.Revision, e.Base, e.Author, e.Image = len(l.Revisions)+1, base, r.By, it.Record.Image.SHA256
		e.Mask, e.Path, e.Figure, e.Void, e.Used = r.Mask, r.Path, r.Figure, r.Void, []manifests.Digest{r.Mask}
		return it.add(e)
	})
}

// Comment pins a remark to a pixel.
func (c *Campaign) Comment(p Person, key string, x, y int, words string) error {
	words, err := text(words)
	if err != nil {
		return err
	}
	return c.with(p, key, func(it *Item, l *Line) error {
		if im := it.Record.Image; words == "" || x < 0 || y < 0 || x >= im.Width || y >= im.Height {
			return badf("comment: got %q at (%d, %d), want text at a pixel of %d x %d", words, x, y, im.Width, im.Height)
		}
		e := c.stamp(p, eventlog.Comment, l.Name)
		e.Comment, e.X, e.Y, e.Text = len(it.remarks)+1, x, y, words
		return it.add(e)
	})
}

// Resolve settles a remark. Who made it, the author of the mask as it is now, and reviewers may.
func (c *Campaign) Resolve(p Person, key string, comment int) error {
	return c.with(p, key, func(it *Item, l *Line) error {
		if comment < 1 || comment > len(it.remarks) || !it.shows(p, it.remarks[comment-1].Line) {
			return ErrNotFound
		}
		if it.remarks[comment-1].Resolved != "" {
			return nil
		}
		if r := it.remarks[comment-1]; !it.maySettle(p, r) {
			return &ForbiddenError{"the comment is for " + r.By + ", the mask's author or a reviewer to settle"}
		}
		e := c.stamp(p, eventlog.Resolved, l.Name)
		e.Comment = comment
		return it.add(e)
	})
}

func (it *Item) maySettle(p Person, r Remark) bool {
	return p.Role == Reviewer || r.By == p.Name || it.line(r.Line).Author == p.Name
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
