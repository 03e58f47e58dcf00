package campaign

import (
	"cmp"
	"fmt"

	"hdseg/annotate/agree"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

// An Agreement is how far blind annotators agree.
type Agreement struct {
	Start  string        `json:"blind_start"` // what they began with: StartEmpty or StartProposal
	Rows   []agree.Row   `json:"rows"`        // per pair of annotators
	Images []agree.Image `json:"images"`
}

// Agreement compares the two masks of every blind image that both annotators have submitted, in the
// order of the manifest.
func (c *Campaign) Agreement() (Agreement, error) {
	a := Agreement{Start: c.BlindStart, Images: []agree.Image{}}
	for _, it := range c.items {
		var heads []manifests.Mask
		it.mu.Lock()
		if it.bothDone() {
			for _, name := range it.Blind {
				l := it.line(name)
				heads = append(heads, l.Revision(l.Head).mask(it.Record))
			}
		}
		it.mu.Unlock()
		if heads == nil {
			continue
		}
		x, err := load.Mask(c.Store, it.Record, heads[0])
		y, other := load.Mask(c.Store, it.Record, heads[1])
		if err := cmp.Or(err, other); err != nil {
			return a, fmt.Errorf("agreement: %s: %w", it.Record.ID, err)
		}
		a.Images = append(a.Images, agree.Image{ID: it.Record.ID, Key: it.Key, A: it.Blind[0], B: it.Blind[1], Scores: agree.Compare(x, y)})
	}
	a.Rows = agree.Rows(a.Images)
	return a, nil
}
