package lscrf

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A Trainer fits the models of a results table to one training set.
type Trainer struct {
	Source  Source
	Options TrainOptions
	Groups  Groups // near-duplicates in Source
	Seed    uint64 // of the parts that ChooseFolds cuts
	Workers int
	// Kept keeps finished models, except linear ones, which statistics give in seconds; nil: none.
	Kept Keeper
	// Loss sees the training loss of a part of a model after every tree, or iteration, before
	// progress does. nil sees none.
	Loss func(part Part, loss float64)
	// About is what all its models have in common: Class, Labels, Setup, Manifest.
	About Model

	dim   int                      // features per superpixel of the source
	tiers map[manifests.Tier]bool  // that any image has; nil before scan
	stats *Statistics              // of all images, made for the first model that can use them
	fits  map[[3]string]softmaxFit // by mix, balance and part

	prefix string   // of the names of parts, "choose-" of a model to choose settings with
	parts  []string // of the model that is trained
}

// A Part is a part of a model whose training is reported: the Index-th from 1 of Of.
type Part struct {
	Name      string
	Index, Of int
}

// A Trained is a model and what its training took.
type Trained struct {
	*Model
	Seconds    float64         // for statistics, of one core; else by the clock
	Node, Edge *regress.Report // of Linear models
	Choice     *Choice         // of models that chose settings of their energy
}

// On returns a trainer with the same options on other images.
func (t *Trainer) On(src Source) *Trainer {
	o := *t
	o.Source, o.tiers, o.stats, o.fits = src, nil, nil, nil
	return &o
}

// Has tells whether every tier of the mix has an image: without one, the mix would be another one
// under its name.
func (t *Trainer) Has(ctx context.Context, m Mix) (bool, error) {
	if err := t.scan(ctx); err != nil {
		return false, err
	}
	return !slices.ContainsFunc(m, func(tier manifests.Tier) bool { return !t.tiers[tier] }), nil
}

// scan finds the tiers of the images, once.
func (t *Trainer) scan(ctx context.Context) error {
	if t.tiers != nil {
		return nil
	}
	t.tiers = map[manifests.Tier]bool{}
	return EachGraph(ctx, t.Source, t.Workers, func(g *Graph) {
		t.dim = g.Dim
		for tier := range g.Labels {
			t.tiers[tier] = true
		}
	})
}

// Train fits one model. The result does not depend on the number of workers. Too few images of a
// mix for the settings are a *FewError.
func (t *Trainer) Train(ctx context.Context, s Spec, progress func(done, total int)) (*Trained, error) {
	if !s.Exists() {
		return nil, fmt.Errorf("train: there is no %s model with %s terms", s.Model, s.Terms)
	}
	if ok, err := t.Has(ctx, s.Tiers); err != nil {
		return nil, err
	} else if !ok {
		return nil, few("train: no image has a mask of the tiers %s", s.Tiers)
	}
	about := t.About
	about.become(s, t.Options)
	about.Dim = t.dim
	if err := s.Trainable(t.Options, about.Setup.Feature); err != nil {
		return nil, err
	}
	if t.prefix == "" {
		t.parts = about.Options.partNames(s)
	}
	got := &Trained{Model: &about}
	if about.Options.Sums(s) {
		if err := t.decide(ctx, s, got, progress); err != nil {
			return nil, err
		}
		return got, t.fromStatistics(ctx, got, progress)
	}
	d, err := gather(ctx, t.Source, s.Tiers, len(about.Labels), t.Workers)
	if err != nil {
		return nil, err
	}
	d.groups = t.Groups
	about.Images = len(d.Images)
	key := ""
	if t.Kept != nil {
		if key, err = keyOf(d, &about, t.Seed); err != nil {
			return nil, err
		}
		if old := t.load(key); old != nil {
			return old, nil
		}
	}
	start := time.Now()
	if err := t.decide(ctx, s, got, progress); err != nil {
		return nil, err
	}
	if err := t.fit(ctx, got, d, progress); err != nil {
		return nil, err
	}
	got.Seconds += time.Since(start).Seconds()
	if t.Kept != nil {
		err = t.save(key, got)
	}
	return got, err
}

// Trainable returns an error if no training set can serve the settings of a model.
func (s Spec) Trainable(o TrainOptions, set feature.Options) error {
	if o.TreeFeatures.AutoContext && !set.HasPlaces() {
		return fmt.Errorf("train: treeFeatures.autoContext needs to know where superpixels are, which the feature set %s does not tell: "+
			"want %s, %s or %s", set.Set, feature.Draft, feature.Full, feature.Saliency)
	}
	if dim := feature.Dim(set); s.Model == Linear && s.Terms == Pairwise && set.Set != feature.Draft && !o.TreeFeatures.On() {
		return fmt.Errorf("train: the %d features of the set %s are too many for linear models with pairwise terms, whose statistics "+
			"would be %d wide: want --set feature.set=draft, --terms unary, or --model trees", dim, set.Set, 2*dim+1)
	}
	return nil
}

// decide chooses the settings of a model that chooses any.
func (t *Trainer) decide(ctx context.Context, s Spec, m *Trained, progress func(done, total int)) (err error) {
	if m.Options.chooses(s) {
		m.Options, m.Choice, err = t.choose(ctx, s, m.Options, progress)
	}
	return err
}

// tell reports the loss of a part.
func (t *Trainer) tell(name string, loss float64) {
	if t.Loss != nil {
		name = t.prefix + name
		t.Loss(Part{name, 1 + slices.Index(t.parts, name), len(t.parts)}, loss)
	}
}

// partNames names the parts of a model in the order of their training, those first that settings
// are chosen with.
func (o *TrainOptions) partNames(s Spec) []string {
	var out, first []string
	if o.TreeFeatures.On() {
		out = append(out, "features")
	}
	switch {
	case s.Model == Pseudolikelihood:
		out = append(out, "regressors") // of nodes and edges, together
	case s.Model != Linear && s.Terms == Pairwise:
		out = append(out, "node", "edge")
	case s.Model != Linear:
		out = append(out, "node")
	}
	if o.chooses(s) && !o.Sums(s) {
		for _, name := range out {
			first = append(first, choosing+name)
		}
	}
	return append(first, out...)
}

// Sums tells whether sums of statistics are all that a model needs.
func (o *TrainOptions) Sums(s Spec) bool {
	return s.Model == Linear && !o.TreeFeatures.On() && o.Solver != regress.SGD
}

// become states in m what is to be trained.
func (m *Model) become(s Spec, o TrainOptions) {
	o.Balance = s.Balance
	m.Kind, m.Terms, m.Tiers, m.Options, m.Version = s.Model, s.Terms, s.Tiers, o, manifests.Version
}

// fit trains a model on the images of its mix.
func (t *Trainer) fit(ctx context.Context, m *Trained, d *dataset, progress func(done, total int)) (err error) {
	o := &m.Options
	trees := &treeFit{t.Workers, t.tell, progress}
	if m.seesCells() {
		node, err := d.sumPersons()
		if err != nil {
			return err
		}
		m.solveCells(node)
	}
	if o.TreeFeatures.On() {
		if m.TreeFeatures, err = trees.features(ctx, d, o); err != nil {
			return err
		}
	}
	switch m.Kind {
	case Linear:
		return fitLinear(m, d)
	case Trees:
		if m.Model.Node, err = trees.nodes(ctx, d, o); err == nil && m.Terms == Pairwise {
			m.Model.Edge, err = trees.edges(ctx, d, o)
		}
	case Logistic, Piecewise:
		err = t.softmax(ctx, m, d, progress)
	case Pseudolikelihood:
		l, _ := regress.Pseudolikelihood(&d.Data, o.Options, t.iterations(ctx, "regressors", o, progress))
		m.Model.Node, m.Model.Edge = linear(l.Unary), linear(l.Pair)
		err = ctx.Err()
	}
	if err == nil && m.Terms == Pairwise && o.EdgeShrink > 0 {
		learned := d.learned(regress.Edges, o.MinRows)
		m.Pairs = frequencies(d.Rows(regress.Edges), d.factors(regress.Edges, o.Balance, learned))
	}
	return err
}

// iterations steers an iterative fit of a part, which stops when ctx ends.
func (t *Trainer) iterations(ctx context.Context, part string, o *TrainOptions, progress func(done, total int)) regress.IterOptions {
	it := o.Iterative
	it.Workers = t.Workers
	it.Progress = func(i int, loss float64) bool {
		t.tell(part, loss)
		progress(i, it.Iterations)
		return ctx.Err() == nil
	}
	return it
}

// A softmaxFit is a logistic regression, over labels or over label pairs. Logistic models and
// piecewise training are both made of them and differ in their energy alone, so a trainer makes
// each once.
type softmaxFit struct {
	*regress.Linear
	spent time.Duration
}

// softmax gives m the regressors of its terms. What was made for an earlier model counts in
// Seconds.
func (t *Trainer) softmax(ctx context.Context, m *Trained, d *dataset, progress func(done, total int)) error {
	o := &m.Options
	if t.fits == nil {
		t.fits = map[[3]string]softmaxFit{}
	}
	once := func(part string,
		fit func(*regress.Data, regress.Options, regress.IterOptions) (*regress.Linear, regress.Iterations)) *Regressor {
		key := [3]string{m.Tiers.Key(), o.Balance, part}
		f, ok := t.fits[key]
		if ok {
			m.Seconds += f.spent.Seconds()
			return linear(f.Linear)
		}
		start := time.Now()
		f.Linear, _ = fit(&d.Data, o.Options, t.iterations(ctx, part, o, progress))
		f.spent = time.Since(start)
		if ctx.Err() == nil { // else it was stopped
			t.fits[key] = f
		}
		return linear(f.Linear)
	}
	m.Model.Node = once("node", regress.Logistic)
	if m.Terms == Pairwise && ctx.Err() == nil {
		m.Model.Edge = once("edge", regress.PairLogistic)
	}
	return ctx.Err()
}

// Notes says what a user should know of a fit: features that depend on each other, and labels and
// pairs that are too rare to learn.
func (t *Trained) Notes() []string {
	return append(t.notes("superpixels", t.Node, t.Model.Node), t.notes("edges", t.Edge, t.Model.Edge)...)
}

// notes are those of one regressor; report is nil for trees and the iterative kinds, and r for
// unary models.
func (t *Trained) notes(rows string, report *regress.Report, r *Regressor) (out []string) {
	if r == nil {
		return nil
	}
	rare := r.Rare
	if report != nil {
		rare = report.Rare
		if report.Ridge > 0 {
			out = append(out, fmt.Sprintf("the features of %s are linearly dependent: a ridge of %.2g was added to the penalty %.2g", rows,
				report.Ridge, report.Lambda))
		}
	}
	if len(rare) == 0 {
		return out
	}
	var names []string
	n := len(t.Labels)
	for _, o := range rare {
		name := t.Labels[o%n]
		if r.Outputs == n*n {
			name = t.Labels[o/n] + "-" + name
		}
		names = append(names, name)
	}
	return append(out, fmt.Sprintf("too few rows of %s to learn %s: each is predicted by a constant", rows, strings.Join(names, ", ")))
}
