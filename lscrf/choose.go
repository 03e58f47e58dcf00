package lscrf

import (
	"context"
	"fmt"

	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// variants returns o with every value of one of the four settings that ChooseFolds chooses. The
// values were found on a third of 235 CamVid frames with 11 labels; see lscrf/RESULTS.md for what
// they give there.
func (o TrainOptions) variants(setting int) (out []TrainOptions) {
	switch setting {
	case 0:
		for _, o.Potentials = range []string{Association, EdgeSum} {
			out = append(out, o)
		}
	case 1:
		for _, o.EdgeShrink = range []float64{0.5, 0.75, 0.9, 1} {
			out = append(out, o)
		}
	case 2:
		for _, o.UnaryWeight = range []float64{2, 2.5, 3, 4, 6, 16} {
			out = append(out, o)
		}
	case 3:
		for _, o.Clamp = range []float64{1e-9, 1e-3} {
			out = append(out, o)
		}
	}
	return out
}

// A Choice is what training chose, and the accuracy in percent that it had on the training images
// held out: of pixels under balance none, else the mean of the labels' recalls. Superpixels count
// with their sizes and most frequent labels.
type Choice struct {
	Potentials  string       `json:"potentials"`   // train.potentials
	EdgeShrink  float64      `json:"edge_shrink"`  // train.edgeShrink
	UnaryWeight float64      `json:"unary_weight"` // train.unaryWeight
	Clamp       float64      `json:"clamp"`        // least probability before the logarithm
	Accuracy    metric.Value `json:"accuracy"`
}

// String returns the settings in words.
func (c Choice) String() string {
	return fmt.Sprintf("%s, edgeShrink %g, unaryWeight %g, clamp %g", c.Potentials, c.EdgeShrink, c.UnaryWeight, c.Clamp)
}

func choiceOf(o TrainOptions) Choice {
	return Choice{Potentials: o.Potentials, EdgeShrink: o.EdgeShrink, UnaryWeight: o.UnaryWeight, Clamp: o.Clamp}
}

// chooses tells whether a model has anything to choose.
func (o *TrainOptions) chooses(s Spec) bool {
	return o.ChooseFolds > 0 && s.Terms == Pairwise && s.Model != Piecewise && s.Model != Pseudolikelihood
}

// choosing is the prefix of the parts of models that settings are chosen with.
const choosing = "choose-"

// A heldPart is a model and the training images that it was not trained on.
type heldPart struct {
	model  *Model
	graphs []*Graph
}

// choose returns the options of s with the settings that did best on the parts held out. It chooses
// one setting after the other, twice, from its variants. Of equals the first is taken.
func (t *Trainer) choose(ctx context.Context, s Spec, o TrainOptions, progress func(done, total int)) (TrainOptions, *Choice, error) {
	parts, err := t.heldParts(ctx, s, o, progress)
	if err != nil {
		return o, nil, err
	}
	known := map[Choice]metric.Value{}
	score := func(o TrainOptions) (metric.Value, error) {
		c := choiceOf(o)
		if v, ok := known[c]; ok {
			return v, nil
		}
		v, err := accuracyOf(ctx, parts, s, o, t.Workers)
		known[c] = v
		return v, err
	}
	best, err := score(o)
	for i := range 2 * 4 {
		for _, c := range o.variants(i % 4) {
			if err != nil {
				return o, nil, err
			}
			var v metric.Value
			if v, err = score(c); v.OK && (!best.OK || v.V > best.V) {
				best, o = v, c
			}
		}
	}
	c := choiceOf(o)
	c.Accuracy = best
	return o, &c, err
}

// heldParts trains the models to choose with: for linear models one for every part of the images,
// else one for the first part.
func (t *Trainer) heldParts(ctx context.Context, s Spec, o TrainOptions, progress func(done, total int)) ([]heldPart, error) {
	var all []*Graph
	var ids []string
	err := EachGraph(ctx, t.Source, t.Workers, func(g *Graph) {
		if _, ok := s.Tiers.pick(g.Labels); ok {
			all, ids = append(all, g), append(ids, g.ID)
		}
	})
	if err != nil {
		return nil, err
	}
	if n := t.Groups.Count(ids); n < o.ChooseFolds {
		return nil, few("train.chooseFolds: got %d with %d images of the tiers %s (near duplicates are one), want at most one for each "+
			"image, or 0", o.ChooseFolds, n, s.Tiers)
	}
	folds := t.Groups.spread(ids, func(firsts []string) Folds { return SceneFolds(firsts, o.ChooseFolds, t.Seed) })
	n := 1
	if o.Sums(s) {
		n = o.ChooseFolds
	}
	o.ChooseFolds, o.EdgeShrink = 0, 1 // so that the models keep the frequencies of pairs
	var out []heldPart
	for f := range n {
		var held, rest Memory
		for i, g := range all {
			if folds[ids[i]] == f {
				held = append(held, g)
			} else {
				rest = append(rest, g)
			}
		}
		if len(held) == 0 && n > 1 {
			continue
		}
		inner := t.On(rest)
		inner.Options, inner.prefix = o, choosing
		got, err := inner.Train(ctx, s, progress)
		if err != nil {
			return nil, err
		}
		out = append(out, heldPart{got.Model, held})
	}
	return out, nil
}

// accuracyOf returns the accuracy that the parts' models have, with the energy that o gives, on the
// images they were not trained on.
func accuracyOf(ctx context.Context, parts []heldPart, s Spec, o TrainOptions, workers int) (metric.Value, error) {
	var jobs []heldPart // of one graph each
	for _, p := range parts {
		m := *p.model
		m.Options = o
		for _, g := range p.graphs {
			jobs = append(jobs, heldPart{&m, []*Graph{g}})
		}
	}
	sum := metric.NewConfusion(len(parts[0].model.Labels))
	err := manifests.Each(ctx, workers, len(jobs),
		func(_ context.Context, i int) (*metric.Confusion, error) {
			g := jobs[i].graphs[0]
			p, err := jobs[i].model.Predict(g)
			if err != nil {
				return nil, err
			}
			return g.confusion(p.Labels, s.Tiers, sum.Labels), nil
		},
		func(_ int, c *metric.Confusion, err error) error {
			if err == nil {
				sum.Merge(c)
			}
			return err
		})
	score := metric.PerClassAccuracy
	if s.Balance == regress.BalanceNone {
		score = metric.PixelAccuracy
	}
	return score(sum).Scale(100), err
}

// confusion compares a labeling with the labels that a graph has in a mix, every superpixel with
// its size.
func (g *Graph) confusion(y []uint8, m Mix, labels int) *metric.Confusion {
	c := metric.NewConfusion(labels)
	tier, _ := m.pick(g.Labels)
	for s, l := range g.Labels[tier] {
		if l != metric.Void {
			c.N[int(l)*(labels+1)+int(y[s])] += int64(g.Sizes[s])
		}
	}
	return c
}
