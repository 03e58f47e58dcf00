package campaign

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"hdseg/manifests"
)

// drawBlind chooses the images that two annotators draw blind and who they are: the share of
// records with the smallest digests of their ids, dealt in turn to all pairs of annotators.
func drawBlind(m *manifests.Manifest, o Options) (map[string][]string, error) {
	if !(o.Blind >= 0 && o.Blind <= 1) {
		return nil, fmt.Errorf("blind share: got %g, want 0..1", o.Blind)
	}
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
