package campaign

import (
	"slices"

	"hdseg/annotate/eventlog"
)

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
