package lscrf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// ChooseOptions list settings of the energy among which the training of a pairwise model of probabilities chooses by
// cross-validation within its training images. An empty list leaves the setting as it is.
type ChooseOptions struct {
	// Folds is the number of parts of the training images, at least 2; films are cut into blocks. 0, the default,
	// chooses nothing. Linear models are fitted to all parts but one in turn, as sums of statistics; the other kinds once, to
	// all but the first.
	Folds int `yaml:"folds"`
	// Potentials, EdgeShrinks, UnaryWeights and Clamps are values of the settings of these names.
	Potentials   []string  `yaml:"potentials"`
	EdgeShrinks  []float64 `yaml:"edgeShrinks"`
	UnaryWeights []float64 `yaml:"unaryWeights"`
	Clamps       []float64 `yaml:"clamps"`
}

// On tells whether anything is chosen.
func (o ChooseOptions) On() bool { return o.Folds > 0 }

// validate returns all faults; t are the options that the chosen ones replace.
func (o ChooseOptions) validate(t TrainOptions) error {
	var errs []error
	if o.Folds != 0 && o.Folds < 2 {
		errs = append(errs, fmt.Errorf("folds: got %d, want 2 or more", o.Folds))
	}
	t.Choose = ChooseOptions{}
	for _, s := range o.steps() {
		for i := range s.values {
			c := t
			s.set(&c, i)
			if c.Validate() != nil && t.Validate() == nil {
				errs = append(errs, fmt.Errorf("%s[%d]: %w", s.name, i, c.Validate()))
			}
		}
	}
	return errors.Join(errs...)
}

// A step is a setting with the values to choose from.
type step struct {
	name   string
	values int
	set    func(o *TrainOptions, i int)
}

func (o ChooseOptions) steps() []step {
	return []step{
		{"potentials", len(o.Potentials), func(t *TrainOptions, i int) { t.Potentials = o.Potentials[i] }},
		{"edgeShrinks", len(o.EdgeShrinks), func(t *TrainOptions, i int) { t.EdgeShrink = o.EdgeShrinks[i] }},
		{"unaryWeights", len(o.UnaryWeights), func(t *TrainOptions, i int) { t.UnaryWeight = o.UnaryWeights[i] }},
		{"clamps", len(o.Clamps), func(t *TrainOptions, i int) { t.Clamp = o.Clamps[i] }},
	}
}

// A Choice is what training chose, and the accuracy in percent that it had on the training images held out: of pixels under
// balance none, else the mean of the labels' recalls. Superpixels count with their sizes and most frequent labels.
type Choice struct {
	Potentials  string       `json:"potentials"`
	EdgeShrink  float64      `json:"edge_shrink"`
	UnaryWeight float64      `json:"unary_weight"`
	Clamp       float64      `json:"clamp"`
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
	return o.Choose.On() && s.Terms == Pairwise && s.Model != Piecewise && s.Model != Pseudolikelihood
}

// choosing stands before the names of the parts of a model to choose with.
const choosing = "choose-"

// A heldPart is a model and the training images that it was not trained on.
type heldPart struct {
	*Model
	graphs []*Graph
}

// choose returns the options of s in which what Choose lists has the values that did best on parts held out: one setting after
// the other, in the order of ChooseOptions, twice, from the values that the options have. Of equals the first is taken.
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
	for range 2 {
		for _, step := range o.Choose.steps() {
			for i := range step.values {
				if err != nil {
					return o, nil, err
				}
				c := o
				step.set(&c, i)
				var v metric.Value
				if v, err = score(c); v.OK && (!best.OK || v.V > best.V) {
					best, o = v, c
				}
			}
		}
	}
	c := choiceOf(o)
	c.Accuracy = best
	return o, &c, err
}

// heldParts trains the models to choose with.
func (t *Trainer) heldParts(ctx context.Context, s Spec, o TrainOptions, progress func(done, total int)) ([]heldPart, error) {
	o.Choose = ChooseOptions{Folds: o.Choose.Folds}
	o.EdgeShrink = 1 // so that the models keep the frequencies of pairs
	parts := make([]heldPart, o.Choose.Folds)
	sources := make([]*without, len(parts))
	for i := range sources {
		sources[i] = &without{Source: t.Source}
	}
	var ids []string
	var used []int
	for i := range t.Source.Len() {
		if _, w := s.Tiers.pick(t.tiers[i]); w > 0 {
			g, err := t.Source.Graph(i)
			if err != nil {
				return nil, err
			}
			ids, used = append(ids, g.ID), append(used, i)
		}
	}
	if n := t.Alike.Count(ids); n < len(parts) {
		return nil, few("train.choose.folds: got %d with %d images of the tiers %s (near duplicates are one), want at most one for each image, or 0", len(parts), n, s.Tiers)
	}
	folds := t.Alike.spread(ids, func(firsts []string) Folds { return SceneFolds(firsts, len(parts), t.Seed) })
	for i, id := range ids {
		f := folds[id]
		g, err := t.Source.Graph(used[i])
		if err != nil {
			return nil, err
		}
		parts[f].graphs = append(parts[f].graphs, g)
		sources[f].which = append(sources[f].which, used[i])
	}
	if o.sums(s) {
		return parts, t.fitParts(ctx, s, o, parts, sources, progress)
	}
	rest := &without{Source: t.Source}
	for _, src := range sources[1:] {
		rest.which = append(rest.which, src.which...)
	}
	slices.Sort(rest.which)
	o.Choose = ChooseOptions{}
	inner := *t
	inner.Source, inner.Options, inner.tiers, inner.stats, inner.fits, inner.prefix = rest, o, nil, nil, nil, choosing
	got, err := inner.Train(ctx, s, progress)
	t.earlier += inner.earlier
	if err != nil {
		return nil, err
	}
	parts[0].Model = got.Model
	return parts[:1], nil
}

// accuracyOf returns how the parts' models do with the energy of some options.
func accuracyOf(ctx context.Context, parts []heldPart, s Spec, o TrainOptions, workers int) (metric.Value, error) {
	type job struct {
		*Model
		g *Graph
	}
	var jobs []job
	for _, p := range parts {
		if p.Model == nil {
			continue
		}
		m := *p.Model
		m.Options.Potentials, m.Options.EdgeShrink, m.Options.UnaryWeight, m.Options.Clamp = o.Potentials, o.EdgeShrink, o.UnaryWeight, o.Clamp
		for _, g := range p.graphs {
			jobs = append(jobs, job{&m, g})
		}
	}
	solvers := make(chan *mrf.Solver, workers)
	for range workers {
		solvers <- new(mrf.Solver)
	}
	sum := metric.NewConfusion(len(parts[0].Labels))
	err := manifests.Each(ctx, workers, len(jobs),
		func(_ context.Context, i int) (*metric.Confusion, error) {
			solver := <-solvers
			defer func() { solvers <- solver }()
			p, err := jobs[i].Predict(jobs[i].g, solver)
			if err != nil {
				return nil, err
			}
			return jobs[i].g.confusion(p.Labels, s.Tiers, sum.Labels), nil
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

// confusion compares a labeling with the labels that a graph has in a mix, every superpixel with its size.
func (g *Graph) confusion(y []uint8, m Mix, labels int) *metric.Confusion {
	c := metric.NewConfusion(labels)
	tier, _ := m.pick(tiersOf(g))
	for s, l := range g.Labels[tier] {
		if l != metric.Void {
			c.N[int(l)*(labels+1)+int(y[s])] += int64(g.Sizes[s])
		}
	}
	return c
}
