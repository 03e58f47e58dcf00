package lscrf

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A Source gives graphs by number; Graph may be called from several goroutines.
type Source interface {
	Len() int
	Graph(i int) (*Graph, error)
}

// Statistics are the sufficient statistics of a training set, kept apart so that every tier
// mix and cross-validation fold is a sum: one group per (tiers that an image has, tier whose labels
// were used, fold).
type Statistics struct {
	groups []*group // sorted by has, tier, fold
	pairs  bool     // edges too
}

type group struct {
	has    []manifests.Tier
	tier   manifests.Tier
	fold   int
	images int
	parts  map[string]*part // by terms
}

type part struct {
	stats *regress.Stats
	spent time.Duration // CPU of one core to make them
}

// Collect makes one pass over a source, over nodes and, if asked, edges. Images that are alike are in one fold. Sums are exact (see
// package regress), so the result does not depend on workers.
func Collect(ctx context.Context, src Source, o TrainOptions, alike Alike, labels int, pairs bool, workers int, progress func(done, total int)) (*Statistics, error) {
	workers = max(1, min(workers, src.Len()))
	all := make([]*Statistics, workers)
	free := make(chan int, workers)
	for i := range all {
		all[i] = &Statistics{pairs: pairs}
		free <- i
	}
	err := manifests.Each(ctx, workers, src.Len(),
		func(_ context.Context, i int) (struct{}, error) {
			w := <-free
			defer func() { free <- w }()
			g, err := src.Graph(i)
			if err != nil {
				return struct{}{}, err
			}
			return struct{}{}, all[w].add(g, &o, alike, labels)
		},
		func(i int, _ struct{}, err error) error {
			progress(i+1, src.Len())
			return err
		})
	if err != nil {
		return nil, err
	}
	sum := all[0]
	for _, s := range all[1:] {
		sum.merge(s)
	}
	return sum, nil
}

// add counts a graph under each of its tiers.
func (s *Statistics) add(g *Graph, o *TrainOptions, alike Alike, labels int) error {
	has := tiersOf(g)
	for _, t := range has {
		gr := s.group(group{has: has, tier: t, fold: o.fold(alike.Of(g.ID))}, g.Dim, labels, o)
		gr.images++
		for _, p := range gr.parts {
			start := time.Now()
			if err := p.stats.AddImage(g.Features, g.Edges, g.Labels[t], nil); err != nil {
				return fmt.Errorf("%s: %w", g.ID, err)
			}
			p.spent += time.Since(start)
		}
	}
	return nil
}

func tiersOf(g *Graph) []manifests.Tier {
	return slices.Sorted(maps.Keys(g.Labels))
}

// group finds or makes the group of a key.
func (s *Statistics) group(key group, dim, labels int, o *TrainOptions) *group {
	i, ok := slices.BinarySearchFunc(s.groups, &key, (*group).compare)
	if !ok {
		key.parts = map[string]*part{Unary: {stats: newStats(Unary, dim, labels, o)}}
		if s.pairs {
			key.parts[Pairwise] = &part{stats: newStats(Pairwise, dim, labels, o)}
		}
		s.groups = slices.Insert(s.groups, i, &key)
	}
	return s.groups[i]
}

// newStats returns empty statistics of nodes or edges.
func newStats(terms string, dim, labels int, o *TrainOptions) *regress.Stats {
	switch {
	case terms == Unary:
		return regress.NewNodeStats(dim, labels)
	case o.Orientation == OrientForward:
		return regress.NewForwardStats(dim, labels)
	}
	return regress.NewEdgeStats(dim, labels)
}

func (g *group) compare(o *group) int {
	return cmp.Or(slices.Compare(g.has, o.has), cmp.Compare(g.tier, o.tier), cmp.Compare(g.fold, o.fold))
}

// merge adds the statistics of o, which may be changed.
func (s *Statistics) merge(o *Statistics) {
	for _, from := range o.groups {
		i, ok := slices.BinarySearchFunc(s.groups, from, (*group).compare)
		if !ok {
			s.groups = slices.Insert(s.groups, i, from)
			continue
		}
		to := s.groups[i]
		to.images += from.images
		for terms, p := range from.parts {
			to.parts[terms].stats.Merge(p.stats)
			to.parts[terms].spent += p.spent
		}
	}
}

// weight returns what an image of the group counts in a mix, 0 if the mix does not use the group.
func (g *group) weight(m Mix) float64 {
	if t, w := m.pick(g.has); t == g.tier {
		return w
	}
	return 0
}

// mixed is the sum of the groups that a mix uses, by fold; a fold without images is nil.
type mixed struct {
	folds  []*regress.Stats
	images int
	spent  time.Duration
}

// mix adds up one kind of statistics over a mix of tiers.
func (s *Statistics) mix(m Mix, terms string) mixed {
	var out mixed
	for _, g := range s.groups {
		w := g.weight(m)
		if w == 0 {
			continue
		}
		p := g.parts[terms]
		stats := p.stats
		if w != 1 {
			stats = stats.Clone()
			stats.Scale(w)
		}
		for g.fold >= len(out.folds) {
			out.folds = append(out.folds, nil)
		}
		if f := &out.folds[g.fold]; *f == nil {
			*f = stats.Clone()
		} else {
			(*f).Merge(stats)
		}
		out.images += g.images
		out.spent += p.spent
	}
	return out
}
