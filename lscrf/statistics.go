package lscrf

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// Statistics are the sufficient statistics of a training set, from which linear models of every mix
// of tiers are solved. Images are kept apart by the tiers that they have, so that a mix is a sum.
type Statistics struct {
	strata  []*stratum // sorted by has, tier
	pairs   bool       // edges too
	persons bool       // nodes of persons apart from other ground, see Model.Cells
}

// A stratum sums up the images that have the same tiers, with the labels of one of them.
type stratum struct {
	has    []manifests.Tier
	tier   manifests.Tier
	images int
	stats  map[string]*regress.Stats // by terms
	spent  map[string]time.Duration  // CPU of one core to make them
}

// Collect makes one pass over a source, over nodes, and if asked over edges, with persons apart.
// Sums are exact (see package regress), so the result does not depend on workers.
func Collect(ctx context.Context, src Source, labels int, pairs, persons bool, workers int,
	progress func(done, total int)) (*Statistics, error) {
	workers = max(1, min(workers, src.Len()))
	all := make([]*Statistics, workers)
	free := make(chan int, workers)
	for i := range all {
		all[i] = &Statistics{pairs: pairs, persons: persons}
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
			return struct{}{}, all[w].add(g, labels)
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
func (s *Statistics) add(g *Graph, labels int) error {
	has := slices.Sorted(maps.Keys(g.Labels))
	for _, t := range has {
		to := s.stratum(&stratum{has: has, tier: t}, g.Dim, labels)
		to.images++
		for terms, stats := range to.stats {
			start := time.Now()
			y := g.Labels[t]
			if terms == Unary && s.persons {
				y = withPersons(y, g.persons)
			}
			if err := stats.AddImage(g.Features, g.Edges, y); err != nil {
				return fmt.Errorf("%s: %w", g.ID, err)
			}
			to.spent[terms] += time.Since(start)
		}
	}
	return nil
}

// stratum finds or makes the stratum with the tiers of key.
func (s *Statistics) stratum(key *stratum, dim, labels int) *stratum {
	i, ok := slices.BinarySearchFunc(s.strata, key, (*stratum).compare)
	if !ok {
		key.stats, key.spent = map[string]*regress.Stats{}, map[string]time.Duration{}
		for _, terms := range s.terms() {
			if terms == Unary && s.persons {
				key.stats[terms] = regress.NewNodeStats(dim, person+1)
			} else {
				key.stats[terms] = newStats(terms, dim, labels)
			}
		}
		s.strata = slices.Insert(s.strata, i, key)
	}
	return s.strata[i]
}

// newStats returns empty statistics of nodes or edges.
func newStats(terms string, dim, labels int) *regress.Stats {
	if terms == Unary {
		return regress.NewNodeStats(dim, labels)
	}
	return regress.NewEdgeStats(dim, labels)
}

// terms returns the kinds of statistics of every stratum.
func (s *Statistics) terms() []string {
	if s.pairs {
		return []string{Unary, Pairwise}
	}
	return []string{Unary}
}

func (g *stratum) compare(o *stratum) int {
	return cmp.Or(slices.Compare(g.has, o.has), cmp.Compare(g.tier, o.tier))
}

// merge adds the statistics of o, which may be changed.
func (s *Statistics) merge(o *Statistics) {
	for _, from := range o.strata {
		i, ok := slices.BinarySearchFunc(s.strata, from, (*stratum).compare)
		if !ok {
			s.strata = slices.Insert(s.strata, i, from)
			continue
		}
		to := s.strata[i]
		to.images += from.images
		for terms, stats := range from.stats {
			to.stats[terms].Merge(stats)
			to.spent[terms] += from.spent[terms]
		}
	}
}

// sum adds up one kind of statistics over the images of a mix; nil if it has none.
func (s *Statistics) sum(m Mix, terms string) (sum *regress.Stats, images int, spent time.Duration) {
	for _, g := range s.strata {
		have := map[manifests.Tier][]uint8{}
		for _, t := range g.has {
			have[t] = nil
		}
		if t, ok := m.pick(have); !ok || t != g.tier {
			continue
		}
		if sum == nil {
			sum = g.stats[terms].Clone()
		} else {
			sum.Merge(g.stats[terms])
		}
		images += g.images
		spent += g.spent[terms]
	}
	return sum, images, spent
}

// fromStatistics fits a linear model, after one pass over all images that serves every mix.
func (t *Trainer) fromStatistics(ctx context.Context, m *Trained, progress func(done, total int)) (err error) {
	if t.stats == nil || m.Terms == Pairwise && !t.stats.pairs {
		pairs := m.Terms == Pairwise || t.About.Setup.Feature.Set == feature.Draft
		if t.stats, err = Collect(ctx, t.Source, len(t.About.Labels), pairs, t.About.seesCells(), t.Workers, progress); err != nil {
			return err
		}
	}
	t.stats.fit(m)
	return nil
}

// fit solves a linear model for the images of its mix.
func (s *Statistics) fit(m *Trained) {
	start := time.Now()
	node, images, spent := s.sum(m.Tiers, Unary)
	m.Images = images
	if m.seesCells() {
		m.solveCells(node)
		node = node.Fold(len(m.Labels))
	}
	m.solve(Unary, node, nil)
	if m.Terms == Pairwise {
		edge, _, more := s.sum(m.Tiers, Pairwise)
		spent += more
		m.solve(Pairwise, edge, nil)
	}
	m.Seconds = (spent + time.Since(start)).Seconds()
}

// fitLinear makes the statistics of a dataset and solves.
func fitLinear(m *Trained, d *dataset) error {
	for _, terms := range []string{Unary, Pairwise} {
		if terms == Pairwise && m.Terms == Unary {
			break
		}
		sum, err := d.sum(terms)
		if err != nil {
			return err
		}
		m.solve(terms, sum, &d.Data)
	}
	return nil
}

// sum makes the statistics of a dataset.
func (d *dataset) sum(terms string) (*regress.Stats, error) {
	sum := newStats(terms, d.Dim, d.Labels)
	for i, im := range d.Images {
		if err := sum.AddImage(im.X, im.Edges, im.Y); err != nil {
			return nil, fmt.Errorf("%s: %w", d.ids[i], err)
		}
	}
	return sum, nil
}

// solve fits the node or edge regressor; d holds the images, where there are any.
func (t *Trained) solve(terms string, sum *regress.Stats, d *regress.Data) {
	l, rep := regress.Solve(sum, d, t.Options.Options)
	if terms == Unary {
		t.Model.Node, t.Node = linear(l), &rep
		return
	}
	t.Model.Edge, t.Edge = linear(l), &rep
	if t.Options.EdgeShrink > 0 {
		t.Pairs = frequencies(sum.Rows(), rep.Factors)
	}
}

// sumPersons makes the statistics of nodes with persons apart.
func (d *dataset) sumPersons() (*regress.Stats, error) {
	sum := regress.NewNodeStats(d.Dim, person+1)
	for i, im := range d.Images {
		if err := sum.AddImage(im.X, im.Edges, withPersons(im.Y, d.persons[i])); err != nil {
			return nil, fmt.Errorf("%s: %w", d.ids[i], err)
		}
	}
	return sum, nil
}

// solveCells fits Cells to the superpixels that node sums up, persons apart: means of cells serve
// as cells.
func (m *Model) solveCells(node *regress.Stats) {
	n := m.Setup.Feature.Dense.Channels
	m.Cells = regress.SolveColumns(node, m.Dim-n, n, cellPenalty, cellWeights[:])
}

// frequencies returns the frequencies of outputs from their rows times their factors, with half a
// row more of each (Krichevsky and Trofimov), so that none is 0.
func frequencies(rows []int64, factors []float64) []float64 {
	total := float64(len(rows)) / 2
	for p, n := range rows {
		total += float64(float64(n) * factors[p])
	}
	f := make([]float64, len(rows))
	for p, n := range rows {
		f[p] = (float64(float64(n)*factors[p]) + 0.5) / total
	}
	return f
}
