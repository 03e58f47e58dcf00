package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

// A Left is the accuracy on the test split of training on all tiers but one; Without "" is all tiers.
type Left struct {
	Without    manifests.Tier `json:"without"`
	Images     int            `json:"images"`
	Accuracy   metric.Value   `json:"accuracy"`
	Comparison                // with all tiers minus without: what the tier adds
}

// leaveOneOut trains on all tiers, and on all but each. An image counts once, with its first tier of those left. Too few images for
// the settings leave a row out, and missing says why.
func (s *state) leaveOneOut(ctx context.Context, progress func(string, int, int)) (out []Left, missing []string, err error) {
	type one struct {
		images int
		c      []*metric.Confusion
		few    *lscrf.FewError
	}
	n := len(s.tiers) + 1
	if n < 3 {
		return []Left{}, nil, nil
	}
	got, err := each(ctx, s, "leave one out", n, progress, func(i int) (o one, err error) {
		learn := s.newLearner()
		for _, g := range s.graphs {
			for t, tier := range s.tiers {
				if t == i-1 || g.Labels[tier] == nil {
					continue
				}
				if err := learn.add(tier, g); err != nil {
					return o, err
				}
				o.images++
				break
			}
		}
		m, err := learn.model(ctx)
		if errors.As(err, &o.few) {
			return o, nil
		}
		if err == nil {
			o.c, err = s.test.score(m, s.test.all())
		}
		return o, err
	})
	if err != nil {
		return nil, nil, err
	}
	if few := got[0].few; few != nil {
		return []Left{}, []string{fmt.Sprintf("leave one out: all of it is left out: %v", few)}, nil
	}
	out = []Left{{Images: got[0].images, Accuracy: accuracy(got[0].c)}}
	for i, o := range got[1:] {
		if o.few != nil {
			missing = append(missing, fmt.Sprintf("leave one out: without %s is left out: %v", s.tiers[i], o.few))
			continue
		}
		out = append(out, Left{s.tiers[i], o.images, accuracy(o.c), s.compare(got[0].c, o.c)})
	}
	return out, missing, nil
}

// A Threshold is the accuracy on held-out manual images of training on manual images and those of a tier whose
// masks have at least some predicted quality, or on all of them, weighed by it.
type Threshold struct {
	Tier       manifests.Tier `json:"tier"`
	Keep       float64        `json:"keep"`  // fraction that was asked for; 1 is all
	Power      float64        `json:"power"` // of the predicted quality, the weight of an image; 0: all count alike
	Least      float64        `json:"least"` // quality kept
	Images     int            `json:"images"`
	Accuracy   metric.Value   `json:"accuracy"`
	Comparison                // minus all images of the tier, which count alike
}

// powers of the predicted quality are tried as weights of images.
var powers = []float64{1, 2, 4}

// quality measures thresholds and weights by cross-validation on the manual images.
func (s *state) quality(ctx context.Context, progress func(string, int, int)) ([]Threshold, error) {
	out := []Threshold{}
	n, err := s.newNest(ctx, progress)
	if err != nil {
		return nil, err
	}
	for _, t := range s.tiers {
		if t == manifests.Manual {
			continue
		}
		rated := slices.DeleteFunc(s.first(t), func(g *lscrf.Graph) bool { return s.Quality[g.ID][t] == 0 })
		if len(rated) == 0 {
			continue
		}
		slices.SortStableFunc(rated, func(a, b *lscrf.Graph) int { return cmp.Compare(s.Quality[b.ID][t], s.Quality[a.ID][t]) })
		tries := []Threshold{{Keep: 1}}
		for _, keep := range s.o.Keep {
			tries = append(tries, Threshold{Keep: keep})
		}
		for _, p := range powers {
			tries = append(tries, Threshold{Keep: 1, Power: p})
		}
		var all []*metric.Confusion
		for i, try := range tries {
			part := rated[:max(1, int(try.Keep*float64(len(rated))))]
			c, err := n.with(ctx, t, part, try.Power, progress)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				all = c
			}
			try.Tier, try.Images, try.Least = t, len(part), s.Quality[part[len(part)-1].ID][t]
			try.Accuracy, try.Comparison = accuracy(c), s.compare(c, all)
			out = append(out, try)
		}
	}
	return out, nil
}

// with measures manual images with some of a tier, which are weighed by a power of their quality.
func (n *nest) with(ctx context.Context, t manifests.Tier, part []*lscrf.Graph, power float64, progress func(string, int, int)) ([]*metric.Confusion, error) {
	weight := func(g *lscrf.Graph) float64 { return math.Pow(n.Quality[g.ID][t], power) }
	got, err := each(ctx, n.state, "quality", n.o.Folds, progress, func(f int) ([]*metric.Confusion, error) {
		sum := n.newSums()
		if err := sum.weigh(t, n.apart(part, t, f), weight); err != nil {
			return nil, err
		}
		for i, c := range n.cells {
			if i != f {
				sum.plus(c, 1)
			}
		}
		return n.manual.score(n.solve(sum), n.folds[f])
	})
	return slices.Concat(got...), err
}

// A MaskAccuracy compares a tier's masks with the manual masks of the same training images.
type MaskAccuracy struct {
	Tier     manifests.Tier `json:"tier"`
	Images   int            `json:"images"`
	IoUMean  metric.Value   `json:"iou_mean"`
	IoU      metric.Value   `json:"iou_pooled"`
	PerClass metric.Value   `json:"per_class_pooled"` // %
}

// CompareMasks reads the masks of all records that have a manual one and another.
func CompareMasks(ctx context.Context, m *manifests.Manifest, store *manifests.Store) ([]MaskAccuracy, error) {
	counts := map[manifests.Tier][]*metric.Confusion{}
	var tiers []manifests.Tier
	for i := range m.Records {
		r := &m.Records[i]
		manual, ok := r.MaskOf(manifests.Manual)
		if !ok || r.Split != manifests.Train {
			continue
		}
		for _, t := range r.Tiers() {
			mask, ok := r.MaskOf(t)
			if !ok || t == manifests.Manual {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			truth, err := load.Mask(store, r, manual)
			if err != nil {
				return nil, err
			}
			px, err := load.Mask(store, r, mask)
			if err != nil {
				return nil, err
			}
			c := metric.NewConfusion(2)
			c.Add(truth.Pix, px.Pix)
			if counts[t] == nil {
				tiers = append(tiers, t)
			}
			counts[t] = append(counts[t], c)
		}
	}
	slices.SortFunc(tiers, compareTiers)
	out := []MaskAccuracy{}
	for _, t := range tiers {
		pool := metric.Pool(2, counts[t])
		mean, _ := metric.Mean(metric.PerImage(counts[t], metric.FigureIoU))
		out = append(out, MaskAccuracy{t, len(counts[t]), mean, metric.FigureIoU(pool), metric.PerClassAccuracy(pool).Scale(100)})
	}
	return out, nil
}
