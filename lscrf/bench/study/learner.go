package study

import (
	"context"
	"maps"
	"slices"

	"hdseg/lscrf"
	"hdseg/manifests"
)

// A learner takes images and fits models to all that it has.
type learner interface {
	add(t manifests.Tier, graphs ...*lscrf.Graph) error
	model(ctx context.Context) (*lscrf.Model, error)
}

// newLearner returns a learner of the kind of models that curves and leaving out are about.
func (s *state) newLearner() learner {
	if s.o.Model == lscrf.Trees {
		return &rows{state: s, tiers: map[manifests.Tier]bool{}}
	}
	return &adding{s, s.newSums()}
}

// adding is the learner of linear models, for which images are statistics.
type adding struct {
	s *state
	*sums
}

func (a *adding) model(context.Context) (*lscrf.Model, error) { return a.s.solve(a.sums), nil }

// rows is the learner of trees, which need the images themselves and start from nothing for every model.
type rows struct {
	*state
	graphs list
	tiers  map[manifests.Tier]bool
}

func (r *rows) add(t manifests.Tier, graphs ...*lscrf.Graph) error {
	for _, g := range graphs {
		h := *g
		h.Labels = map[manifests.Tier][]uint8{t: g.Labels[t]}
		r.graphs = append(r.graphs, &h)
		r.tiers[t] = true
	}
	return nil
}

func (r *rows) model(ctx context.Context) (*lscrf.Model, error) {
	t := lscrf.Trainer{Source: r.graphs, Options: r.Options, Alike: r.Alike, Seed: r.o.Seed, Workers: 1, About: r.About, Checkpoints: r.Keep}
	spec := lscrf.Spec{Tiers: slices.SortedFunc(maps.Keys(r.tiers), compareTiers), Model: lscrf.Trees, Terms: lscrf.Pairwise, Balance: r.Options.Balance}
	got, err := t.Train(ctx, spec, func(int, int) {})
	if err != nil {
		return nil, err
	}
	return got.Model, nil
}

// A list is the Source of some graphs.
type list []*lscrf.Graph

// Len returns the number of graphs.
func (l list) Len() int { return len(l) }

// Graph returns graph i.
func (l list) Graph(i int) (*lscrf.Graph, error) { return l[i], nil }
