package campaign

import (
	"slices"

	"hdseg/annotate/eventlog"
	"hdseg/manifests/load"
)

// A Refused is a picture that was not accepted, and why.
type Refused struct {
	Key string `json:"key"`
	ID  string `json:"id"`
	Why string `json:"why"`
}

// AcceptSeen accepts what a reviewer has seen: of each picture the newest revision, which they had
// open, or, where there is none, the proposal. The others are refused, each with the reason, as are
// those that the reviewer may not accept by Move.
func (c *Campaign) AcceptSeen(p Person, keys []string) (accepted int, refused []Refused, err error) {
	if p.Role != Reviewer {
		return 0, nil, &ForbiddenError{"that is for a reviewer"}
	}
	for _, key := range keys {
		it, err := c.Item(key)
		if err != nil {
			return accepted, refused, err
		}
		if err := c.acceptSeen(p, it); err != nil {
			refused = append(refused, Refused{key, it.Record.ID, why(err)})
			continue
		}
		accepted++
	}
	return accepted, refused, nil
}

func why(err error) string {
	if e, ok := err.(*ForbiddenError); ok {
		return e.Why
	}
	return err.Error()
}

func (c *Campaign) acceptSeen(p Person, it *Item) error {
	return c.with(p, it.Key, func(it *Item, l *Line) error {
		if !it.hasSeen(p, l) {
			return &ForbiddenError{"you have not seen its newest mask: open it first"}
		}
		if l.Head > 0 {
			return c.move(p, it, l, Accepted, l.Head, "")
		}
		if err := it.mayEdit(p, l); err != nil {
			return err
		}
		k, ok := it.proposal(l.Name)
		if !ok {
			return &ForbiddenError{"it has no mask"}
		}
		m, err := load.Mask(c.Store, it.Record, k)
		if err != nil {
			return err
		}
		e, err := c.saved(p, it, l, &SaveRequest{Mask: m, From: k.Tier})
		if err == nil {
			err = it.add(e)
		}
		if err != nil {
			return err
		}
		return c.move(p, it, l, Accepted, l.Head, "")
	})
}

// Serving is who assigns pictures by a flag of annotate serve.
var Serving = Person{"annotate serve", Reviewer}

// Assign gives pictures to a person, or, to "", takes them back. That is for reviewers. "Next"
// deals them to that person alone, and nobody is kept from opening one. What two people draw blind
// is theirs. Nothing is assigned where one picture cannot be.
func (c *Campaign) Assign(p Person, keys []string, to string) error {
	if p.Role != Reviewer {
		return &ForbiddenError{"that is for a reviewer"}
	}
	if to != "" && !slices.ContainsFunc(c.people, func(o Person) bool { return o.Name == to }) {
		return badf("assign: got %q, want the name of somebody who works here", to)
	}
	for _, key := range keys {
		it, err := c.Item(key)
		if err != nil {
			return err
		}
		if it.Blind != nil {
			return badf("%s is drawn blind by %s and %s: it cannot be assigned", it.Record.ID, it.Blind[0], it.Blind[1])
		}
	}
	for _, key := range keys {
		err := c.with(p, key, func(it *Item, _ *Line) error {
			if it.assigned == to {
				return nil
			}
			e := c.stamp(p, eventlog.Assigned, Main)
			e.Assigned = to
			return it.add(e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// AssignNext assigns pictures that are nobody's, in the order of the queue, until so many that are
// still to be drawn are a person's. It returns how many are.
func (c *Campaign) AssignNext(to Person, n int) (int, error) {
	var keys []string
	has := 0
	for _, e := range c.Queue(to) {
		switch {
		case e.Blind || e.State != Proposed && e.State != Edited && e.State != Rejected:
		case e.Assignee == to.Name:
			has++
		case e.Assignee == "" && (e.Author == "" || e.Author == to.Name):
			keys = append(keys, e.Key)
		}
	}
	keys = keys[:max(0, min(n-has, len(keys)))]
	return has + len(keys), c.Assign(Serving, keys, to.Name)
}
