package lscrf

import (
	"fmt"
	"slices"
	"strings"

	"hdseg/manifests"
)

// A Mix is a set of tiers to train on together. Order is the order of preference: an image
// that has masks of several tiers of the mix counts once, with the first.
type Mix []manifests.Tier

// The five mixes of the paper's section 6.5: Table 2's (a), (b), (c), and the box-only and label-only
// runs of its last paragraph.
func PaperMixes() []Mix {
	m, b, l := manifests.Manual, manifests.BBox, manifests.Label
	return []Mix{{m}, {m, b}, {m, b, l}, {b}, {l}}
}

// ParseMix reads "manual,bbox".
func ParseMix(s string) (Mix, error) {
	var mix Mix
	for f := range strings.SplitSeq(s, ",") {
		t, err := manifests.ParseTier(strings.TrimSpace(f))
		if err != nil {
			return nil, err
		}
		if t == manifests.None || slices.Contains(mix, t) {
			return nil, fmt.Errorf("tiers %q: %s is repeated or holds no masks", s, t)
		}
		mix = append(mix, t)
	}
	return mix, nil
}

// String returns "manual + bbox".
func (m Mix) String() string { return m.join(" + ") }

// Key returns "manual,bbox", which ParseMix reads.
func (m Mix) Key() string { return m.join(",") }

func (m Mix) join(sep string) string {
	s := make([]string, len(m))
	for i, t := range m {
		s[i] = string(t)
	}
	return strings.Join(s, sep)
}

// pick returns the tier of the mix that an image with these tiers counts for.
func (m Mix) pick(has []manifests.Tier) (manifests.Tier, bool) {
	for _, t := range m {
		if slices.Contains(has, t) {
			return t, true
		}
	}
	return "", false
}

// Plus returns "manual+bbox", for file names and CSV.
func (m Mix) Plus() string { return m.join("+") }
