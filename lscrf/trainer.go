package lscrf

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A Trainer fits the models of a results table to one training set.
type Trainer struct {
	Source  Source
	Options TrainOptions
	Alike   Alike  // which images of Source are parted by no fold
	Seed    uint64 // of the paper's sampling
	Workers int
	// Checkpoints keep the trees of the models that are trained, and the iterative fits that are done; nil keeps none.
	Checkpoints Checkpoints
	// Loss sees the training loss after every tree, or iteration, before progress does, of the parts of a model. nil sees none.
	Loss func(part Part, loss float64)
	// About is what all its models have in common: Class, Labels, Setup, Manifest.
	About Model

	dim   int                      // features per superpixel of the source
	tiers [][]manifests.Tier       // of every image
	stats *Statistics              // of all images, made for the first model that can use them
	fits  map[[3]string]softmaxFit // by mix, balance and terms

	prefix  string        // of the names of parts, "choose-" of a model to choose settings with
	parts   []string      // of the model that is trained
	earlier time.Duration // of its training, in runs that left checkpoints
}

// A Trained is a model and what its training took.
type Trained struct {
	*Model
	Seconds    float64              // for statistics, of one core; else by the clock
	Node, Edge *regress.Report      // of Linear models
	Lambda     [2]*regress.CV       // of Linear models that chose it: node, edge
	Iterations []regress.Iterations // of the iterative kinds
	Choice     *Choice              // of models that chose settings of their energy
}

// Has tells whether every tier of the mix has an image: without one, the mix would be another one under its name.
func (t *Trainer) Has(ctx context.Context, m Mix) (bool, error) {
	if err := t.scan(ctx); err != nil {
		return false, err
	}
	for _, tier := range m.Unweighted() {
		if !slices.ContainsFunc(t.tiers, func(has []manifests.Tier) bool { return slices.Contains(has, tier) }) {
			return false, nil
		}
	}
	return true, nil
}

// scan finds the tiers of every image, once.
func (t *Trainer) scan(ctx context.Context) error {
	if t.tiers != nil {
		return nil
	}
	return manifests.Each(ctx, t.Workers, t.Source.Len(),
		func(_ context.Context, i int) (*Graph, error) { return t.Source.Graph(i) },
		func(_ int, g *Graph, err error) error {
			if err == nil {
				t.dim = g.Dim
				t.tiers = append(t.tiers, tiersOf(g))
			}
			return err
		})
}

// Train fits one model. The result does not depend on the number of workers. Too few images of a mix for
// the settings are a *FewError.
func (t *Trainer) Train(ctx context.Context, s Spec, progress func(done, total int)) (*Trained, error) {
	if !supports(s.Model, s.Terms) {
		return nil, fmt.Errorf("train: there is no %s model with %s terms", s.Model, s.Terms)
	}
	if ok, err := t.Has(ctx, s.Tiers); err != nil {
		return nil, err
	} else if !ok {
		return nil, few("train: no image has a mask of the tiers %s", s.Tiers)
	}
	about := t.About
	about.become(s, t.Options)
	o := about.Options
	about.Dim = t.dim
	got := &Trained{Model: &about}
	if o.TreeFeatures.On() && o.TreeFeatures.AutoContext && !about.Setup.Feature.HasPlaces() {
		return nil, fmt.Errorf("train: treeFeatures.autoContext needs to know where superpixels are, which the feature set %s does not tell: want %s, %s or %s", about.Setup.Feature.Set, feature.Draft, feature.Full, feature.Saliency)
	}
	if s.Model == Linear && s.Terms == Pairwise && about.Setup.Feature.Set != feature.Draft && !o.TreeFeatures.On() {
		return nil, fmt.Errorf("train: %d features are too many for linear pairs, whose statistics would be %d wide: want unary terms, another model, or tree features that keep few", about.Dim, 2*about.Dim+1)
	}
	start := time.Now()
	if t.earlier = 0; t.prefix == "" {
		t.parts = o.partNames(s)
	}
	if o.chooses(s) {
		chosen, choice, err := t.choose(ctx, s, o, progress)
		if err != nil {
			return nil, err
		}
		o, about.Options, got.Choice = chosen, chosen, choice
	}
	if o.sums(s) {
		return got, t.fromStatistics(ctx, got, progress)
	}
	d, err := gather(ctx, t.Source, s.Tiers, len(about.Labels), t.Workers)
	if err != nil {
		return nil, err
	}
	d.alike = t.Alike
	about.Images = len(d.Images)
	if o.Sampling == SamplePaper {
		d.sample(o.kind(), t.Seed)
	}
	d.weigh(s.Model != Pseudolikelihood)
	if o.TreeFeatures.On() {
		about.TreeFeatures, err = t.fitting(progress).addTreeFeatures(ctx, d, &o)
	} else {
		d.widen(o.Context)
	}
	if err == nil {
		err = t.fit(ctx, got, d, progress)
	}
	if about.Terms == Pairwise && o.EdgeShrink > 0 {
		about.Pairs = d.frequencies(&o)
	}
	got.Seconds += (time.Since(start) + t.earlier).Seconds()
	return got, err
}

func (t *Trainer) fitting(progress func(done, total int)) *fitting {
	return &fitting{t.Checkpoints, t.tell, t.prefix, t.Workers, progress, &t.earlier}
}

// tell reports the loss of a part.
func (t *Trainer) tell(name string, loss float64) {
	if t.Loss != nil {
		t.Loss(Part{name, 1 + slices.Index(t.parts, name), len(t.parts)}, loss)
	}
}

// partNames names the parts of a model in the order of their training, those first that settings are chosen with.
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
	if o.chooses(s) && !o.sums(s) {
		for _, name := range out {
			first = append(first, choosing+name)
		}
	}
	return append(first, out...)
}

// sums tells whether sums of statistics are all that a model needs.
func (o *TrainOptions) sums(s Spec) bool {
	return s.Model == Linear && !o.TreeFeatures.On() && o.Context == 0 && o.Sampling == SampleAll
}

// become states in m what is to be trained.
func (m *Model) become(s Spec, o TrainOptions) {
	o.Balance = s.Balance
	m.Kind, m.Terms, m.Tiers, m.Options, m.Version = s.Model, s.Terms, s.Tiers, o, manifests.Version
}

// fit trains the regressors of a model on the final features.
func (t *Trainer) fit(ctx context.Context, m *Trained, d *dataset, progress func(done, total int)) (err error) {
	o := &m.Options
	pairs := m.Terms == Pairwise
	it := o.Iterative
	it.Workers = t.Workers
	it.Progress = func(i int, loss float64) bool {
		name := "node"
		if m.Kind == Pseudolikelihood {
			name = "regressors"
		} else if len(m.Iterations) > 0 {
			name = "edge"
		}
		t.tell(t.prefix+name, loss)
		progress(i, it.Iterations)
		return ctx.Err() == nil
	}
	switch m.Kind {
	case Linear:
		return fitLinear(m, d)
	case Trees:
		if m.Model.Node, err = t.fitting(progress).nodeTrees(ctx, d, o); err == nil && pairs {
			m.Model.Edge, err = t.fitting(progress).edgeTrees(ctx, d, o)
		}
		return err
	case Logistic, Piecewise:
		start := time.Now()
		spent, err := t.softmax(ctx, m, d, it)
		m.Seconds += (spent - time.Since(start)).Seconds() // what was made for an earlier model counts
		return err
	case Pseudolikelihood:
		start := time.Now()
		got, spent := t.once(ctx, "regressors", m, d, func() fitted {
			l, rep := regress.Pseudolikelihood(&d.Data, o.kind(), o.Options, it)
			return fitted{[]*regress.Linear{l.Unary, l.Pair}, rep}
		})
		m.Model.Node, m.Model.Edge, m.Iterations = linear(got.Fits[0]), linear(got.Fits[1]), []regress.Iterations{got.Report}
		m.Seconds += (spent - time.Since(start)).Seconds()
	}
	return ctx.Err()
}
