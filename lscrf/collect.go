package lscrf

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"hdseg/lscrf/regress"
	"hdseg/manifests"
)

// A Source gives graphs by number; Graph may be called from several goroutines.
type Source interface {
	Len() int
	Graph(i int) (*Graph, error)
}

// Statistics are the sufficient statistics of a training set, kept apart so that every tier
// mix is a sum: one group per (tiers that an image has, tier whose labels were used).
type Statistics struct {
	groups []*group // sorted by has, then tier
}

type group struct {
	has    []manifests.Tier
	tier   manifests.Tier
	images int
	parts  map[string]*part // by Terms
}

type part struct {
	stats *regress.Stats
	spent time.Duration // CPU of one core to make them
}

// Collect makes one pass over a source. Sums are exact (see package regress), so the result
// does not depend on workers. With orientation "both" an edge counts in both directions.
func Collect(ctx context.Context, src Source, orientation string, workers int, progress func(done, total int)) (*Statistics, error) {
	workers = max(1, min(workers, src.Len()))
	all := make([]*Statistics, workers)
	free := make(chan int, workers)
	for i := range all {
		all[i] = &Statistics{}
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
			return struct{}{}, all[w].add(g, orientation)
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
func (s *Statistics) add(g *Graph, orientation string) error {
	has := tiersOf(g)
	for _, t := range has {
		gr := s.group(has, t, g.Dim, orientation)
		gr.images++
		for _, terms := range []string{Unary, Pairwise} {
			p := gr.parts[terms]
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
func (s *Statistics) group(has []manifests.Tier, t manifests.Tier, dim int, orientation string) *group {
	i, ok := slices.BinarySearchFunc(s.groups, group{has: has, tier: t}, func(a *group, b group) int { return a.compare(&b) })
	if !ok {
		edges := regress.NewEdgeStats(dim, labels)
		if orientation == OrientForward {
			edges = regress.NewForwardStats(dim, labels)
		}
		s.groups = slices.Insert(s.groups, i, &group{has: has, tier: t, parts: map[string]*part{
			Unary: {stats: regress.NewNodeStats(dim, labels)}, Pairwise: {stats: edges},
		}})
	}
	return s.groups[i]
}

func (g *group) compare(o *group) int {
	if c := slices.Compare(g.has, o.has); c != 0 {
		return c
	}
	return cmp.Compare(g.tier, o.tier)
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

// in tells whether a mix uses the group.
func (g *group) in(m Mix) bool {
	t, ok := m.pick(g.has)
	return ok && t == g.tier
}

// mixed is the sum of the groups that a mix uses.
type mixed struct {
	stats  *regress.Stats
	images int
	spent  time.Duration
}

// mix adds up one kind of statistics over a mix of tiers.
func (s *Statistics) mix(m Mix, terms string) mixed {
	var out mixed
	for _, g := range s.groups {
		if !g.in(m) {
			continue
		}
		p := g.parts[terms]
		if out.stats == nil {
			out.stats = p.stats.Clone()
		} else {
			out.stats.Merge(p.stats)
		}
		out.images += g.images
		out.spent += p.spent
	}
	return out
}
