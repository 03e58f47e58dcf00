package campaign

import "hdseg/manifests/load"

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
