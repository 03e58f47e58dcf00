package lscrf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hdseg/manifests"
)

// A Mix is a set of tiers to train on together. Order is the order of preference: an image
// that has masks of several tiers of the mix counts once, with the first. An entry may end in "@" and a weight, as
// bbox@0.25: each superpixel and edge of these images then counts as a quarter of one; without, it counts as one.
type Mix []manifests.Tier

// The five mixes of the paper's section 6.5: Table 2's (a), (b), (c), and the box-only and label-only
// runs of its last paragraph.
func PaperMixes() []Mix {
	m, b, l := manifests.Manual, manifests.BBox, manifests.Label
	return []Mix{{m}, {m, b}, {m, b, l}, {b}, {l}}
}

// maxWeight bounds the weights of tiers; more is a mistake, or another unit than that of the other tiers.
const maxWeight = 1000

// ParseMix reads "manual,bbox" or "manual,bbox@0.25".
func ParseMix(s string) (Mix, error) {
	var mix Mix
	for f := range strings.SplitSeq(s, ",") {
		name, weight, weighted := strings.Cut(strings.TrimSpace(f), "@")
		t, err := manifests.ParseTier(name)
		if err != nil {
			return nil, err
		}
		if t == manifests.None || slices.Contains(mix.Unweighted(), t) {
			return nil, fmt.Errorf("tiers %q: %s is repeated or holds no masks", s, t)
		}
		w := 1.0
		if weighted {
			if w, err = strconv.ParseFloat(weight, 64); err != nil || !(w > 0 && w <= maxWeight) {
				return nil, fmt.Errorf("tiers %q: weight %q of %s: want a number above 0, up to %d", s, weight, t, maxWeight)
			}
		}
		mix = append(mix, Weighted(t, w))
	}
	return mix, nil
}

// validate returns an error unless ParseMix could have read the mix, which may have no tiers.
func (m Mix) validate() error {
	if len(m) == 0 {
		return nil
	}
	_, err := ParseMix(m.Key())
	return err
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

// Weighted returns the entry of a mix for a tier whose images count w times, in its one way of writing.
func Weighted(t manifests.Tier, w float64) manifests.Tier {
	if w == 1 {
		return t
	}
	return t + manifests.Tier("@"+strconv.FormatFloat(w, 'g', -1, 64))
}

// weighed splits an entry of a mix.
func weighed(entry manifests.Tier) (manifests.Tier, float64) {
	t, text, ok := strings.Cut(string(entry), "@")
	if !ok {
		return entry, 1
	}
	w, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("lscrf: tier %q of a mix that ParseMix did not read", entry))
	}
	return manifests.Tier(t), w
}

// Unweighted returns the mix of the same tiers, every image of which counts as one.
func (m Mix) Unweighted() Mix {
	out := make(Mix, len(m))
	for i, entry := range m {
		out[i], _ = weighed(entry)
	}
	return out
}

// pick returns the tier of the mix that an image with these tiers counts for, and its weight, 0 if there is none.
func (m Mix) pick(has []manifests.Tier) (manifests.Tier, float64) {
	for _, entry := range m {
		if t, w := weighed(entry); slices.Contains(has, t) {
			return t, w
		}
	}
	return "", 0
}

// Plus returns "manual+bbox", for file names and CSV.
func (m Mix) Plus() string { return m.join("+") }
