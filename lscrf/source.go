package lscrf

import (
	"context"

	"hdseg/lscrf/tools/cache"
	"hdseg/manifests"
)

// A Source gives graphs by number; Graph may be called from several goroutines.
type Source interface {
	Len() int
	Graph(i int) (*Graph, error)
}

// EachGraph gives visit the graphs of a source in their order; so many workers read them.
func EachGraph(ctx context.Context, src Source, workers int, visit func(g *Graph)) error {
	return manifests.Each(ctx, workers, src.Len(),
		func(_ context.Context, i int) (*Graph, error) { return src.Graph(i) },
		func(_ int, g *Graph, err error) error {
			if err == nil {
				visit(g)
			}
			return err
		})
}

// Memory is the Source of graphs that are in memory.
type Memory []*Graph

// Len returns the number of graphs.
func (m Memory) Len() int { return len(m) }

// Graph returns graph i.
func (m Memory) Graph(i int) (*Graph, error) { return m[i], nil }

// cached is the Source of a whole feature cache.
type cached struct{ *cache.Cache }

// FromCache returns the graphs of one split of a feature cache, whose slices lie in its file.
func FromCache(c *cache.Cache, split manifests.Split) Source {
	s := &subset{Source: cached{c}}
	for i := range c.Len() {
		if c.Split(i) == split {
			s.which = append(s.which, i)
		}
	}
	return s
}

func (c cached) Graph(i int) (*Graph, error) {
	im, err := c.Get(i)
	if err != nil {
		return nil, err
	}
	g := &Graph{ID: im.ID, N: im.N, Dim: im.Dim, Features: im.Features, Edges: im.Edges, Sizes: im.Sizes,
		Labels: map[manifests.Tier][]uint8{}}
	for _, l := range im.Labels {
		if l.Tier == cache.Persons {
			g.persons = l.Y
			continue
		}
		g.Labels[l.Tier] = l.Y
	}
	return g, nil
}

// subset is the Source of some graphs of another one.
type subset struct {
	Source
	which []int
}

func (s *subset) Len() int { return len(s.which) }

func (s *subset) Graph(i int) (*Graph, error) { return s.Source.Graph(s.which[i]) }

// LeaveOut returns the graphs of src without those of the groups that some images are in.
func LeaveOut(src Source, ids []string, groups Groups) (Source, error) {
	out := map[string]bool{}
	for _, id := range ids {
		out[groups.Of(id)] = true
	}
	s := &subset{Source: src}
	for i := range src.Len() {
		g, err := src.Graph(i)
		if err != nil {
			return nil, err
		}
		if !out[groups.Of(g.ID)] {
			s.which = append(s.which, i)
		}
	}
	return s, nil
}
