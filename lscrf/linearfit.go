package lscrf

import (
	"context"
	"fmt"
	"time"

	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
)

// fromStatistics fits a linear model to the sum of the groups of its mix, after one pass over all
// images that serves every mix.
func (t *Trainer) fromStatistics(ctx context.Context, m *Trained, progress func(done, total int)) (err error) {
	if t.stats == nil || m.Terms == Pairwise && !t.stats.pairs {
		pairs := m.Terms == Pairwise || t.About.Setup.Feature.Set == feature.Draft
		if t.stats, err = Collect(ctx, t.Source, t.Options, t.Alike, len(t.About.Labels), pairs, t.Workers, progress); err != nil {
			return err
		}
	}
	t.stats.fit(m)
	return nil
}

// fit solves a linear model for the sum of the groups of its mix.
func (s *Statistics) fit(m *Trained) {
	start := time.Now()
	node := s.mix(m.Tiers, Unary)
	m.Images = node.images
	spent := node.spent
	m.solve(Unary, node.folds)
	if m.Terms == Pairwise {
		edge := s.mix(m.Tiers, Pairwise)
		spent += edge.spent
		m.solve(Pairwise, edge.folds)
	}
	m.Seconds = (spent + time.Since(start)).Seconds()
}

// fitLinear makes the statistics of a dataset, fold by fold if a penalty is to be chosen, and solves.
func fitLinear(m *Trained, d *dataset) error {
	for _, terms := range []string{Unary, Pairwise} {
		if terms == Pairwise && m.Terms == Unary {
			break
		}
		folds := make([]*regress.Stats, m.Options.parts())
		for i, im := range d.Images {
			f := m.Options.fold(d.alike.Of(d.ids[i]))
			w := im.EdgeWeight
			if terms == Unary {
				w = im.NodeWeight
			}
			if folds[f] == nil {
				folds[f] = newStats(terms, d.Dim, d.Labels, &m.Options)
			}
			if err := folds[f].AddImage(im.X, im.Edges, im.Y, w); err != nil {
				return fmt.Errorf("%s: %w", d.ids[i], err)
			}
		}
		m.solve(terms, folds)
	}
	return nil
}

// solve fits the node or edge regressor to the sum of folds (nil ones are empty), with the penalty that does best across them.
func (t *Trained) solve(terms string, folds []*regress.Stats) {
	o := t.Options.Options
	var some []*regress.Stats
	var sum *regress.Stats
	for _, f := range folds {
		if f == nil {
			continue
		}
		some = append(some, f)
		if sum == nil {
			sum = f.Clone()
		} else {
			sum.Merge(f)
		}
	}
	var cv *regress.CV
	if len(t.Options.Lambdas) > 0 {
		got := regress.CrossValidate(some, t.Options.Lambdas, o)
		cv, o.Lambda = &got, got.Lambda
	}
	l, rep := regress.Solve(sum, o)
	if terms == Unary {
		t.Model.Node, t.Node, t.Lambda[0] = linear(l), &rep, cv
	} else {
		t.Model.Edge, t.Edge, t.Lambda[1] = linear(l), &rep, cv
		if t.Options.EdgeShrink > 0 {
			t.Pairs = frequencies(perRow(sum), rep.Factors)
		}
	}
}

// perRow returns the weights of statistics in units of their mean row.
func perRow(s *regress.Stats) []float64 {
	w := s.Weights()
	total, rows := 0.0, int64(0)
	for p, n := range s.Rows() {
		total += w[p]
		rows += n
	}
	for p := range w {
		w[p] *= float64(rows) / max(total, 1e-300)
	}
	return w
}

// parts returns the number of folds in which statistics are kept.
func (o *TrainOptions) parts() int {
	if len(o.Lambdas) == 0 {
		return 1
	}
	return o.Folds
}

// fold returns the part of a group of images, which depends on its name alone.
func (o *TrainOptions) fold(group string) int { return int(hashID(group) % uint64(o.parts())) }
