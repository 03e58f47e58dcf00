package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"hdseg/annotate/agree"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

// drawBlind chooses the images that two annotators draw blind and who they are: the share of
// records with the smallest digests of their ids, dealt in turn to all pairs of annotators.
func drawBlind(m *manifests.Manifest, o Options) (map[string][]string, error) {
	out := map[string][]string{}
	n := int(math.Round(o.Blind * float64(len(m.Records))))
	if n == 0 {
		return out, nil
	}
	var pairs [][]string
	var names []string
	for _, p := range o.People {
		if p.Role == Annotator {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	for i := range names {
		for _, b := range names[i+1:] {
			pairs = append(pairs, []string{names[i], b})
		}
	}
	if len(pairs) == 0 {
		return nil, errors.New("blind images: want at least two annotators")
	}
	ids := make([]string, len(m.Records))
	for i := range ids {
		ids[i] = m.Records[i].ID
	}
	slices.SortFunc(ids, func(a, b string) int {
		return strings.Compare(string(manifests.Sum([]byte("blind "+a))), string(manifests.Sum([]byte("blind "+b))))
	})
	for i, id := range ids[:n] {
		out[id] = pairs[i%len(pairs)]
	}
	return out, nil
}

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
