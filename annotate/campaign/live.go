package campaign

import "time"

// claimFor is how long a picture stays with who opened it after the last word of their page, which
// speaks every few seconds: a laptop that was closed gives it back.
const claimFor = 20 * time.Second

// A claim is the item that a person has open.
type claim struct {
	key   string
	until time.Time
}

// Changes is what a page needs to know of what others do.
type Changes struct {
	Now     int               `json:"now"`     // to ask with next time
	Entries []Entry           `json:"entries"` // of the items that changed, as the person sees them
	Open    map[string]string `json:"open"`    // by key: who else has an item open
	// of the model that learns while people work; none where none does
	Learned *Learned `json:"learned,omitempty"`
}

// Changes returns what happened after an earlier answer's Now, nothing for a first question, -1.
// key is the item that the person has open, "" for none: from then on it is theirs, unless another
// has it open already.
func (c *Campaign) Changes(p Person, since int, key string) *Changes {
	out := &Changes{Now: int(c.changes.Load()), Entries: []Entry{}, Open: map[string]string{}, Learned: c.learned.Load()}
	c.claiming.Lock()
	now := c.now()
	for name, k := range c.claims {
		switch {
		case now.After(k.until):
			delete(c.claims, name)
		case name != p.Name:
			out.Open[k.key] = name
		}
	}
	delete(c.claims, p.Name)
	if c.byKey[key] != nil && out.Open[key] == "" {
		c.claims[p.Name] = claim{key, now.Add(claimFor)}
	}
	c.claiming.Unlock()
	if since < 0 || since == out.Now {
		return out
	}
	for _, it := range c.items {
		it.mu.Lock()
		if it.changed > since {
			if e, ok := it.entry(p); ok {
				out.Entries = append(out.Entries, e)
			}
		}
		it.mu.Unlock()
	}
	return out
}

// Leave gives back what a person has open.
func (c *Campaign) Leave(p Person) {
	c.claiming.Lock()
	defer c.claiming.Unlock()
	delete(c.claims, p.Name)
}
