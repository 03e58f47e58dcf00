// Package study asks what the results table does not: how accuracy grows with the number of images of each tier, how
// many images of one tier replace an image of another, which weights the tiers should have, what a tier adds beside
// the others, and what a threshold on predicted quality does. Its models are linear LS-CRF on the cached features, solved
// from sums of exact statistics, so that a study takes seconds; curves, exchange rates and what a tier adds may be of trees.
//
// Curves, the exchange rate and what a tier adds are measured on the test split, from which nothing is chosen. Weights and
// thresholds, which one may want to choose, are measured on manual training images that were held out.
package study

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// Options choose how much is drawn.
type Options struct {
	Model   string    // of curves and leaving out: lscrf.Linear or lscrf.Trees, which take a training each; default linear
	Draws   int       // random orders of the images per learning curve, 1..1000; default 5
	First   int       // images of a curve's first point, which then double, 1..; default 8
	Folds   int       // parts of the manual images in cross-validation, 3..; default 5
	Weights []float64 // of which the tiers' weights may be combined, beside all unweighted mixes, each 0..1000; default 0, 1/4, 1
	Keep    []float64 // fractions of a tier's masks that are kept, those of the highest predicted quality, each in (0, 1); default 3/4, 1/2, 1/4
	Samples int       // bootstrap samples, 1..lscrf.MaxSamples; default 1000
	Seed    uint64    // of orders, parts and samples
	Workers int       // the result does not depend on it; 1..; default 1
}

// Defaults returns the default options.
func Defaults() Options {
	return Options{Model: lscrf.Linear, Draws: 5, First: 8, Folds: 5, Weights: []float64{0, 1. / 4, 1}, Keep: []float64{0.75, 0.5, 0.25}, Samples: 1000, Workers: 1}
}

// maxDraws bounds the orders, whose models are all kept: what a mean of so many is off by is a thirtieth of what one draw is.
const maxDraws = 1000

// maxWeights and maxKeep bound what is tried: with three tiers 1000 combinations of weights, each trained for every pair of folds.
const (
	maxWeights = 10
	maxKeep    = 100
)

// Validate returns all faults of o.
func (o Options) Validate() error {
	var errs []error
	least := func(name string, got, want int) {
		if got < want {
			errs = append(errs, fmt.Errorf("%s: got %d, want %d or more", name, got, want))
		}
	}
	within := func(name string, got, most int) {
		if got < 1 || got > most {
			errs = append(errs, fmt.Errorf("%s: got %d, want 1..%d", name, got, most))
		}
	}
	if o.Model != lscrf.Linear && o.Model != lscrf.Trees {
		errs = append(errs, fmt.Errorf("model: got %q, want %s or %s", o.Model, lscrf.Linear, lscrf.Trees))
	}
	within("draws", o.Draws, maxDraws)
	least("first", o.First, 1)
	least("folds", o.Folds, 3)
	within("samples", o.Samples, lscrf.MaxSamples)
	least("workers", o.Workers, 1)
	if n := len(o.Weights); n > maxWeights {
		errs = append(errs, fmt.Errorf("weights: got %d, want %d or fewer: every combination over the tiers is tried", n, maxWeights))
	}
	if n := len(o.Keep); n > maxKeep {
		errs = append(errs, fmt.Errorf("keep: got %d fractions, want %d or fewer", n, maxKeep))
	}
	for _, w := range o.Weights {
		if !(w >= 0 && w <= 1000) {
			errs = append(errs, fmt.Errorf("weights: got %v, want 0..1000", w))
		}
	}
	for _, k := range o.Keep {
		if !(k > 0 && k < 1) {
			errs = append(errs, fmt.Errorf("keep: got %v, want more than 0 and less than 1", k))
		}
	}
	return errors.Join(errs...)
}

// An Input is what a study looks at.
type Input struct {
	Train   lscrf.Source           // training images with the labels of their tiers
	Test    []lscrf.Scored         // none: curves, exchange rates and leaving out are left out
	Manual  []lscrf.Scored         // the training images with manual masks, with their pixels
	About   lscrf.Model            // Labels and Setup of the models
	Options lscrf.TrainOptions     // of the models; of linear ones, tree features, context, sampling and choices are not used
	Quality map[string]TierQuality // predicted quality of masks by image
	Alike   lscrf.Alike            // training images that no fold may part
	Keep    lscrf.Checkpoints      // of trees, for many goroutines; nil keeps none
	Without []Relabeled            // per fold of Deal, labels for which no manual image of the fold was a source; none: those of Train
}

// TierQuality is the predicted IoU of an image's masks, 0..1; a tier that is missing has none.
type TierQuality map[manifests.Tier]float64

// A Result is what a study found. Accuracies are pooled per-class accuracies in percent, differences are in points, and
// intervals are of the 95% paired bootstrap over images.
type Result struct {
	Model    string         `json:"model"`        // of Curves, Exchange and Leave; all others are linear
	Terms    string         `json:"terms"`        // of the same: pairwise, or unary for linear models where features are too many for pairs
	Linear   string         `json:"linear_terms"` // of the linear models of Weights and Quality
	Images   map[string]int `json:"images"`       // training images with a mask of each tier
	Oracle   metric.Value   `json:"oracle"`       // the most that any labeling of the test split's superpixels reaches
	Curves   []Curve        `json:"curves"`
	Exchange []Exchange     `json:"exchange"`
	Leave    []Left         `json:"leave_one_out"`
	Weights  *Weighted      `json:"weights"`  // nil with a single tier or fewer manual images than folds
	Quality  []Threshold    `json:"quality"`  // none where no mask has a predicted quality
	Masks    []MaskAccuracy `json:"masks"`    // of tiers against manual masks of the same images
	Left     []string       `json:"left_out"` // parts that are missing, and why
	Draws    int            `json:"draws"`    // per curve

	Times map[string]float64 `json:"part_seconds"` // by the clock, of each part
}

// Run makes a study. progress names the part and how far it is.
func Run(ctx context.Context, in *Input, o Options, progress func(part string, done, total int)) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s, err := newState(ctx, in, o)
	if err != nil {
		return nil, err
	}
	terms := s.terms
	if o.Model == lscrf.Trees {
		terms = lscrf.Pairwise
	}
	r := &Result{Model: o.Model, Terms: terms, Linear: s.terms, Times: map[string]float64{}, Images: map[string]int{}, Curves: []Curve{}, Exchange: []Exchange{}, Leave: []Left{}, Quality: []Threshold{}, Masks: []MaskAccuracy{}, Left: []string{}, Draws: o.Draws}
	for _, t := range s.tiers {
		r.Images[string(t)] = len(s.of(t))
	}
	timed := func(part string, run func() error) error {
		start := time.Now()
		defer func() { r.Times[part] = time.Since(start).Seconds() }()
		return run()
	}
	if len(in.Test) > 0 {
		r.Oracle = lscrf.Oracle(in.Test, 2).Best.PerClass.Scale(100)
		err = timed("curves", func() (err error) {
			var left []string
			r.Curves, left, err = s.curves(ctx, progress)
			r.Left = append(r.Left, left...)
			return err
		})
		if err != nil {
			return nil, err
		}
		r.Exchange = exchange(r.Curves, s.often, rand.New(rand.NewPCG(o.Seed, 1<<33)))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err = timed("leave one out", func() (err error) {
			var left []string
			r.Leave, left, err = s.leaveOneOut(ctx, progress)
			r.Left = append(r.Left, left...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(in.Test) == 0 {
		r.Left = append(r.Left, "curves, exchange rates and what a tier adds are left out: there are no test images")
	}
	switch {
	case len(s.tiers) < 2:
		r.Left = append(r.Left, "weights and thresholds are left out: the training images have masks of fewer than two tiers")
	case len(in.Manual) < o.Folds:
		r.Left = append(r.Left, fmt.Sprintf("weights and thresholds are left out: %d training images have a manual mask, want %d or more, one for each fold", len(in.Manual), o.Folds))
	default:
		err = timed("weights", func() (err error) {
			r.Weights, err = s.weights(ctx, progress)
			return err
		})
		if err != nil {
			return nil, err
		}
		err = timed("quality", func() (err error) {
			r.Quality, err = s.quality(ctx, progress)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// A state is a study at work.
type state struct {
	*Input
	o      Options
	often  metric.Resampling // until the study's context ends
	terms  string
	tiers  []manifests.Tier // manual first if there is any
	graphs []*lscrf.Graph   // of training, in the source's order
	test   *judge
	manual *judge
}

func newState(ctx context.Context, in *Input, o Options) (*state, error) {
	s := &state{Input: in, o: o, often: lscrf.Resampling(ctx, o.Samples), terms: lscrf.Pairwise, test: newJudge(in.Test), manual: newJudge(in.Manual)}
	if in.About.Setup.Feature.Set != feature.Draft {
		s.terms = lscrf.Unary
	}
	err := manifests.Each(ctx, o.Workers, in.Train.Len(),
		func(_ context.Context, i int) (*lscrf.Graph, error) { return in.Train.Graph(i) },
		func(_ int, g *lscrf.Graph, err error) error {
			if err == nil {
				s.graphs = append(s.graphs, g)
				for t := range g.Labels {
					if !slices.Contains(s.tiers, t) {
						s.tiers = append(s.tiers, t)
					}
				}
			}
			return err
		})
	slices.SortFunc(s.tiers, compareTiers)
	return s, err
}

// compareTiers orders manual, bbox, label, and others by name: the order in which an image's labels are preferred.
func compareTiers(a, b manifests.Tier) int {
	rank := func(t manifests.Tier) int {
		return slices.Index([]manifests.Tier{manifests.Manual, manifests.BBox, manifests.Label}, t)
	}
	i, j := rank(a), rank(b)
	switch {
	case i >= 0 && j >= 0:
		return i - j
	case i >= 0:
		return -1
	case j >= 0:
		return 1
	}
	return slices.Compare([]byte(a), []byte(b))
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

// first returns the training images whose preferred tier, of those they have, is t.
func (s *state) first(t manifests.Tier) []*lscrf.Graph {
	var out []*lscrf.Graph
	for _, g := range s.of(t) {
		if !slices.ContainsFunc(s.tiers[:slices.Index(s.tiers, t)], func(u manifests.Tier) bool { return g.Labels[u] != nil }) {
			out = append(out, g)
		}
	}
	return out
}

// each runs n independent jobs.
func each[T any](ctx context.Context, s *state, part string, n int, progress func(string, int, int), job func(i int) (T, error)) ([]T, error) {
	out := make([]T, 0, n)
	progress(part, 0, n)
	err := manifests.Each(ctx, s.o.Workers, n,
		func(_ context.Context, i int) (T, error) { return job(i) },
		func(i int, v T, err error) error {
			progress(part, i+1, n)
			out = append(out, v)
			return err
		})
	return out, err
}
