package study

import (
	"context"
	"fmt"
	"math/rand/v2"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// A Left is the accuracy on the test split of training on all tiers but one; Without "" is all
// tiers.
type Left struct {
	Without    manifests.Tier `json:"without"` // tier that is left out
	Images     int            `json:"images"`
	Accuracy   metric.Value   `json:"accuracy"`
	Comparison                // all tiers minus all but this one: what the tier adds
}

// A Comparison is a difference of accuracy in points with its paired interval.
type Comparison struct {
	Difference metric.Value    `json:"difference"`
	CI         [2]metric.Value `json:"ci"`
}

// compare returns a minus b over the same images; a single one has no interval.
func (s *state) compare(a, b []*metric.Confusion) Comparison {
	c := Comparison{Difference: accuracy(a).Sub(accuracy(b))}
	if len(a) < 2 { // a single image tells nothing of others
		return c
	}
	c.CI = metric.BootstrapDifference(a, b, s.often, rand.New(rand.NewPCG(s.o.Seed, 1<<32)), metric.PerClassAccuracy).Ends(100)
	return c
}

// leaveOneOut trains on all tiers, and on all but each. An image counts once, with its first tier
// of those left. A row with too few images for the settings is left out, and missing says why.
func (s *state) leaveOneOut(ctx context.Context) (out []Left, missing []string, err error) {
	if len(s.tiers) < 2 {
		return []Left{}, nil, nil
	}
	got, err := s.each(ctx, "training models without one tier", len(s.tiers)+1, func(i int) *sample {
		from := new(sample)
		for _, g := range s.graphs {
			for t, tier := range s.tiers {
				if t != i-1 && g.Labels[tier] != nil {
					from.add(tier, g)
					break
				}
			}
		}
		return from
	})
	if err != nil {
		return nil, nil, err
	}
	all := got[0]
	if all.few != nil {
		return []Left{}, []string{fmt.Sprintf("leave one out: all of it is left out: %v", all.few)}, nil
	}
	out = []Left{{Images: all.images, Accuracy: accuracy(all.counts)}}
	for i, m := range got[1:] {
		if m.few != nil {
			missing = append(missing, fmt.Sprintf("leave one out: without %s is left out: %v", s.tiers[i], m.few))
			continue
		}
		out = append(out, Left{s.tiers[i], m.images, accuracy(m.counts), s.compare(all.counts, m.counts)})
	}
	return out, missing, nil
}
