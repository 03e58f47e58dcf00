package lscrf

import (
	"fmt"
	"slices"
	"strings"

	"hdseg/manifests"
)

// The terms of a model's energy.
const (
	Unary    = "unary"    // every superpixel for itself
	Pairwise = "pairwise" // a table of potentials on every edge
)

// The kinds of models.
const (
	Linear = "linear" // LS-CRF with linear least squares
	Trees  = "trees"  // LS-CRF with boosted oblivious trees
	// the same energy from logistic regression over labels or label pairs
	Logistic  = "logistic"
	Piecewise = "piecewise" // log-linear CRF, unary and pair scores trained apart
	// log-linear CRF, trained by the conditionals of single labels
	Pseudolikelihood = "pseudolikelihood"
)

// Kinds returns all kinds of models, the paper's two first.
func Kinds() []string { return []string{Linear, Trees, Logistic, Piecewise, Pseudolikelihood} }

// A Spec is one model to train.
type Spec struct {
	Tiers   Mix    `json:"tiers"`
	Model   string `json:"model"`
	Terms   string `json:"terms"`
	Balance string `json:"balance"`
}

// Name returns a name for files: "paper/manual+bbox-trees-pairwise".
func (s Spec) Name() string { return s.Balance + "/" + s.Tiers.Plus() + "-" + s.Model + "-" + s.Terms }

// Exists tells whether there are models of this kind with these terms: without pairs, piecewise
// training and pseudolikelihood would be logistic regression.
func (s Spec) Exists() bool {
	if s.Model == Piecewise || s.Model == Pseudolikelihood {
		return s.Terms == Pairwise
	}
	return slices.Contains(Kinds(), s.Model) && (s.Terms == Unary || s.Terms == Pairwise)
}

// A Mix is a set of tiers to train on together. Its order is the order of preference: an image with
// masks of several tiers of the mix counts once, with the first.
type Mix []manifests.Tier

// ParseMix reads "manual,bbox".
func ParseMix(s string) (Mix, error) {
	var mix Mix
	for f := range strings.SplitSeq(s, ",") {
		name, _, weighted := strings.Cut(strings.TrimSpace(f), "@")
		if weighted {
			return nil, fmt.Errorf("tiers %q: tiers have no weights any more, which changed no result: want %s alone", s, name)
		}
		t, err := manifests.ParseTier(name)
		if err != nil {
			return nil, fmt.Errorf("tiers %q: %s is none of manual, bbox, label and external:NAME", s, name)
		}
		switch {
		case t == manifests.None:
			return nil, fmt.Errorf("tiers %q: %s is the tier of images without masks: want manual, bbox, label or external:NAME", s, t)
		case slices.Contains(mix, t):
			return nil, fmt.Errorf("tiers %q: %s is repeated: name it once", s, t)
		}
		mix = append(mix, t)
	}
	return mix, nil
}

// String returns "manual + bbox".
func (m Mix) String() string { return m.join(" + ") }

// Key returns "manual,bbox", which ParseMix reads.
func (m Mix) Key() string { return m.join(",") }

// Plus returns "manual+bbox", for file names and CSV.
func (m Mix) Plus() string { return m.join("+") }

func (m Mix) join(sep string) string {
	s := make([]string, len(m))
	for i, t := range m {
		s[i] = string(t)
	}
	return strings.Join(s, sep)
}

// pick returns the tier of the mix that an image with labels of these tiers counts for; false if
// it has none of them.
func (m Mix) pick(labels map[manifests.Tier][]uint8) (manifests.Tier, bool) {
	for _, t := range m {
		if _, ok := labels[t]; ok {
			return t, true
		}
	}
	return "", false
}
