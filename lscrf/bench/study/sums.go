package study

import (
	"fmt"
	"slices"
	"sync"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// sums are the statistics of some training images; edge is nil for unary models.
type sums struct {
	node, edge *regress.Stats
	mu         sync.Mutex // reading statistics settles them, so one goroutine at a time adds them to its own
}

func (s *state) newSums() *sums {
	dim, labels := s.About.Setup.Dim(), len(s.About.Labels)
	if len(s.graphs) > 0 {
		dim = s.graphs[0].Dim
	}
	out := &sums{node: regress.NewNodeStats(dim, labels)}
	switch {
	case s.terms == lscrf.Unary:
	case s.Options.Orientation == lscrf.OrientForward:
		out.edge = regress.NewForwardStats(dim, labels)
	default:
		out.edge = regress.NewEdgeStats(dim, labels)
	}
	return out
}

// add counts images under one of their tiers.
func (a *sums) add(t manifests.Tier, graphs ...*lscrf.Graph) error {
	return a.weigh(t, graphs, func(*lscrf.Graph) float64 { return 1 })
}

// weigh counts every superpixel and edge of an image as so many.
func (a *sums) weigh(t manifests.Tier, graphs []*lscrf.Graph, weight func(*lscrf.Graph) float64) error {
	for _, g := range graphs {
		var nodes, edges []float32 // none: 1
		if w := float32(weight(g)); w != 1 {
			nodes, edges = slices.Repeat([]float32{w}, g.N), slices.Repeat([]float32{w}, len(g.Edges))
		}
		err := a.node.AddImage(g.Features, g.Edges, g.Labels[t], nodes)
		if err == nil && a.edge != nil {
			err = a.edge.AddImage(g.Features, g.Edges, g.Labels[t], edges)
		}
		if err != nil {
			return fmt.Errorf("study: %s: %w", g.ID, err)
		}
	}
	return nil
}

// plus adds weight times b, which keeps its value and may be added by several goroutines; 0 adds nothing.
func (a *sums) plus(b *sums, weight float64) {
	if weight == 0 {
		return
	}
	merge := func(to, from *regress.Stats) {
		if to == nil {
			return
		}
		if weight != 1 {
			from = from.Clone()
			from.Scale(weight)
		}
		to.Merge(from)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	merge(a.node, b.node)
	merge(a.edge, b.edge)
}

// solve returns the linear model of the sums.
func (s *state) solve(a *sums) *lscrf.Model {
	m := s.About
	m.Kind, m.Terms, m.Options, m.Dim = lscrf.Linear, s.terms, s.Options, a.node.Dim()
	m.Options.Context, m.Options.TreeFeatures, m.Options.Choose = 0, lscrf.TreeFeatureOptions{}, lscrf.ChooseOptions{}
	fit := func(st *regress.Stats) *lscrf.Regressor {
		l, _ := regress.Solve(st, m.Options.Options)
		return &lscrf.Regressor{Linear: l, Outputs: l.Outputs}
	}
	m.Node = fit(a.node)
	if a.edge != nil {
		m.Edge = fit(a.edge)
	}
	return &m
}

// A judge compares labelings with true pixels: of every superpixel it knows how many have each label.
type judge struct {
	images []lscrf.Scored
	pixels [][][2]int64 // per image and superpixel: ground, figure
}

func newJudge(images []lscrf.Scored) *judge {
	j := &judge{images: images, pixels: make([][][2]int64, len(images))}
	for i, im := range images {
		j.pixels[i] = make([][2]int64, im.N)
		for px, sp := range im.Map.Labels {
			if l := im.Truth[px]; l < 2 {
				j.pixels[i][sp][l]++
			}
		}
	}
	return j
}

// score lets a model predict some images and returns the confusion of their pixels.
func (j *judge) score(m *lscrf.Model, which []int) ([]*metric.Confusion, error) {
	var solver mrf.Solver
	out := make([]*metric.Confusion, len(which))
	for k, i := range which {
		p, err := m.Predict(j.images[i].Graph, &solver)
		if err != nil {
			return nil, err
		}
		c := metric.NewConfusion(2)
		for sp, n := range j.pixels[i] {
			y := int(p.Labels[sp])
			c.N[y] += n[0]
			c.N[3+y] += n[1]
		}
		out[k] = c
	}
	return out, nil
}

// all returns the numbers of all images.
func (j *judge) all() []int {
	out := make([]int, len(j.images))
	for i := range out {
		out[i] = i
	}
	return out
}

// accuracy is the pooled per-class accuracy in percent.
func accuracy(c []*metric.Confusion) metric.Value {
	return metric.PerClassAccuracy(metric.Pool(2, c)).Scale(100)
}
