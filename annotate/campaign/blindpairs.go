package campaign

import (
	"fmt"

	"hdseg/annotate/agree"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A Pair is an image that two people drew blind.
type Pair struct {
	ID   string
	A, B string // the annotators, in the order of their names
	Mask func() (a, b *raster.Mask, err error)
}

// Pairs returns the blind images that both annotators have submitted, in the order of the manifest.
func (c *Campaign) Pairs() []Pair {
	var out []Pair
	for _, it := range c.items {
		it.mu.Lock()
		if it.bothDone() {
			heads := [2]manifests.Mask{}
			for i, name := range it.Blind {
				r := it.line(name).Revision(it.line(name).Head)
				heads[i] = manifests.Mask{Tier: manifests.Manual, Path: r.Path, SHA256: r.Mask}
			}
			out = append(out, Pair{ID: it.Record.ID, A: it.Blind[0], B: it.Blind[1], Mask: func() (a, b *raster.Mask, err error) {
				if a, err = load.Mask(c.Store, it.Record, heads[0]); err == nil {
					b, err = load.Mask(c.Store, it.Record, heads[1])
				}
				return a, b, err
			}})
		}
		it.mu.Unlock()
	}
	return out
}

// An Agreement is how far blind annotators agree.
type Agreement struct {
	Start  string        `json:"blind_start"` // what they began with: StartEmpty or StartProposal
	Rows   []agree.Row   `json:"rows"`        // per pair of annotators
	Images []agree.Image `json:"images"`
}

// Agreement compares the two masks of every blind image that both annotators have submitted.
func (c *Campaign) Agreement() (Agreement, error) {
	a := Agreement{Start: c.BlindStart, Images: []agree.Image{}}
	for _, p := range c.Pairs() {
		x, y, err := p.Mask()
		if err != nil {
			return a, fmt.Errorf("agreement: %s: %w", p.ID, err)
		}
		a.Images = append(a.Images, agree.Image{ID: p.ID, Key: Key(p.ID), A: p.A, B: p.B, Scores: agree.Compare(x, y)})
	}
	a.Rows = agree.Rows(a.Images)
	return a, nil
}
