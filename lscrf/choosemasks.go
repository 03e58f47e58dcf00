package lscrf

import (
	"maps"

	"hdseg/manifests"
)

// Masks returns the graphs of src with the labels of those masks alone that keep names; a graph may be left without labels, and
// then no mix trains on it. keep may be called from several goroutines.
func Masks(src Source, keep func(id string, t manifests.Tier) bool) Source {
	return &masked{src, keep}
}

type masked struct {
	Source
	keep func(id string, t manifests.Tier) bool
}

// Graph returns graph i.
func (c *masked) Graph(i int) (*Graph, error) {
	g, err := c.Source.Graph(i)
	if err != nil {
		return nil, err
	}
	out := *g
	out.Labels = maps.Clone(g.Labels)
	maps.DeleteFunc(out.Labels, func(t manifests.Tier, _ []uint8) bool { return !c.keep(g.ID, t) })
	return &out, nil
}
