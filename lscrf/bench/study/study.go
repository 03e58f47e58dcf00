// Package study asks what the results table does not: how accuracy grows with the number of images
// of each tier, how many images of one tier replace an image of another, and what a tier adds
// beside the others. All is measured on the test split, from which nothing is chosen.
package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/internal/faults"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// Options choose how much is drawn.
type Options struct {
	Model   string // lscrf.Linear or lscrf.Trees; default linear
	Draws   int    // random orders of the images per learning curve, 1..1000; default 5
	Samples int    // bootstrap samples, 1..bench.MaxSamples; default 1000
	Seed    uint64 // of orders and samples
	Workers int    // the result does not depend on it; 1..; default 1
}

// Defaults returns the default options.
func Defaults() Options { return Options{Model: lscrf.Linear, Draws: 5, Samples: 1000, Workers: 1} }

// maxDraws bounds the orders, whose results are all kept: the mean of so many is off by a thirtieth
// of what one draw is.
const maxDraws = 1000

// first is the number of images of a curve's first point; the next ones double it.
const first = 8

// Validate returns all faults of o.
func (o Options) Validate() error {
	var f faults.List
	within := func(name string, got, most int) {
		f.Want(got >= 1 && got <= most, name, got, fmt.Sprintf("1..%d", most))
	}
	f.Want(o.Model == lscrf.Linear || o.Model == lscrf.Trees, "model", o.Model, lscrf.Linear+" or "+lscrf.Trees)
	within("draws", o.Draws, maxDraws)
	within("samples", o.Samples, bench.MaxSamples)
	within("workers", o.Workers, 1<<20)
	return f.Err()
}

// A Result is what a study found. Accuracies are pooled per-class accuracies in percent,
// differences are in points, and intervals are of the 95% paired bootstrap over images.
type Result struct {
	Model string `json:"model"`
	// pairwise, or unary for linear models where features are too many for pairs
	Terms  string         `json:"terms"`
	Images map[string]int `json:"images"` // training images with a mask of each tier
	// the most that any labeling of the test split's superpixels reaches
	Oracle   metric.Value   `json:"oracle"`
	Curves   []Curve        `json:"curves"`
	Exchange []Exchange     `json:"exchange"`
	Leave    []Left         `json:"leave_one_out"`
	Masks    []MaskAccuracy `json:"masks"`    // of tiers against manual masks of the same images
	Left     []string       `json:"left_out"` // what is missing, and why
	Draws    int            `json:"draws"`    // per curve

	Times map[string]float64 `json:"part_seconds"` // by the clock, of each part
}

// Run makes a study of the images of a trainer, each with the labels of its tiers: models like its
// are trained on some of them, linear ones without tree features and choices, and measured on test.
// Without any test image there are no results but the number of images. phase is told when a part
// of the study begins; what it returns, how many of its models are done.
func Run(ctx context.Context, t *lscrf.Trainer, test []bench.Scored, o Options,
	phase func(part string) func(done, total int)) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s, err := newState(ctx, t, test, o, phase)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Model: o.Model, Terms: s.terms, Draws: o.Draws, Times: map[string]float64{}, Images: map[string]int{},
		Curves: []Curve{}, Exchange: []Exchange{}, Leave: []Left{}, Masks: []MaskAccuracy{}, Left: []string{},
	}
	for _, t := range s.tiers {
		r.Images[string(t)] = len(s.of(t))
	}
	if len(test) == 0 {
		r.Left = append(r.Left, "curves, exchange rates and what a tier adds are left out: there are no test images")
		return r, nil
	}
	r.Oracle = bench.Oracle(test, 2).Best.PerClass.Scale(100)
	start := time.Now()
	var left []string
	if r.Curves, left, err = s.curves(ctx); err != nil {
		return nil, err
	}
	r.Left = append(r.Left, left...)
	r.Times["curves"] = time.Since(start).Seconds()
	r.Exchange = exchange(r.Curves, s.often, rand.New(rand.NewPCG(o.Seed, 1<<33)))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start = time.Now()
	if r.Leave, left, err = s.leaveOneOut(ctx); err != nil {
		return nil, err
	}
	r.Left = append(r.Left, left...)
	r.Times["leave one out"] = time.Since(start).Seconds()
	return r, ctx.Err()
}

// A state is a study at work.
type state struct {
	*lscrf.Trainer
	o      Options
	often  metric.Resampling // until the study's context ends
	phase  func(part string) func(done, total int)
	terms  string
	tiers  []manifests.Tier // manual first if there is any
	graphs []*lscrf.Graph   // of training, in the source's order
	test   *judge
}

func newState(ctx context.Context, t *lscrf.Trainer, test []bench.Scored, o Options,
	phase func(part string) func(done, total int)) (*state, error) {
	s := &state{Trainer: t, o: o, often: bench.Resampling(ctx, o.Samples), phase: phase, terms: lscrf.Pairwise,
		test: newJudge(test)}
	if o.Model == lscrf.Linear && t.About.Setup.Feature.Set != feature.Draft {
		s.terms = lscrf.Unary
	}
	err := lscrf.EachGraph(ctx, t.Source, o.Workers, func(g *lscrf.Graph) {
		s.graphs = append(s.graphs, g)
		for t := range g.Labels {
			if !slices.Contains(s.tiers, t) {
				s.tiers = append(s.tiers, t)
			}
		}
	})
	slices.SortFunc(s.tiers, compareTiers)
	return s, err
}

// compareTiers orders manual, bbox, label, and others by name: the order in which an image's labels
// are preferred.
func compareTiers(a, b manifests.Tier) int {
	first := []manifests.Tier{manifests.Label, manifests.BBox, manifests.Manual}
	return cmp.Or(slices.Index(first, b)-slices.Index(first, a), cmp.Compare(a, b))
}

// of returns the training images that have labels of a tier.
func (s *state) of(t manifests.Tier) []*lscrf.Graph {
	var out []*lscrf.Graph
	for _, g := range s.graphs {
		if g.Labels[t] != nil {
			out = append(out, g)
		}
	}
	return out
}

// A measured is what a model makes of the test images, or why it could not be trained.
type measured struct {
	images int // trained on
	counts []*metric.Confusion
	few    *lscrf.FewError
}

// each measures models of n samples.
func (s *state) each(ctx context.Context, part string, n int, sampleOf func(i int) *sample) ([]measured, error) {
	out := make([]measured, 0, n)
	show := s.phase(part)
	show(0, n)
	err := manifests.Each(ctx, s.o.Workers, n,
		func(ctx context.Context, i int) (m measured, err error) {
			from := sampleOf(i)
			m.images = len(from.graphs)
			if m.counts, err = s.measure(ctx, from); errors.As(err, &m.few) {
				err = nil
			}
			return m, err
		},
		func(i int, m measured, err error) error {
			show(i+1, n)
			out = append(out, m)
			return err
		})
	return out, err
}
