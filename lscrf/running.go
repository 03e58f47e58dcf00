package lscrf

import (
	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A Running is a linear pairwise model of ground and figure whose training set changes: graphs come
// and go, and Model solves it anew, without Cells. Sums are exact, so its models are those of
// training on the graphs that are in, bit for bit where no arrays are seen, whatever was in before.
// It is not safe for concurrent use.
type Running struct {
	about      Model
	node, edge *regress.Stats
	images     int
}

// NewRunning returns a model that knows no graph. about states class, labels, setup and dim.
func NewRunning(about Model, o TrainOptions) *Running {
	about.become(Spec{Tiers: Mix{manifests.Manual}, Model: Linear, Terms: Pairwise, Balance: o.Balance}, o)
	r := &Running{about: about}
	r.node, r.edge = r.empty()
	return r
}

func (r *Running) empty() (node, edge *regress.Stats) {
	return newStats(Unary, r.about.Dim, len(r.about.Labels)), newStats(Pairwise, r.about.Dim, len(r.about.Labels))
}

// Images returns the number of graphs that are in.
func (r *Running) Images() int { return r.images }

// Add takes a graph in, with a label per superpixel; 255 leaves one out.
func (r *Running) Add(g *Graph, labels []uint8) error {
	return r.change(g, labels, 1, (*regress.Stats).Merge)
}

// Remove takes a graph out that is in with the same labels.
func (r *Running) Remove(g *Graph, labels []uint8) error {
	return r.change(g, labels, -1, (*regress.Stats).Subtract)
}

func (r *Running) change(g *Graph, labels []uint8, by int, apply func(sum, one *regress.Stats)) error {
	node, edge := r.empty()
	for _, s := range []*regress.Stats{node, edge} {
		if err := s.AddImage(g.Features, g.Edges, labels); err != nil {
			return err
		}
	}
	apply(r.node, node)
	apply(r.edge, edge)
	r.images += by
	return nil
}

// Model solves for the graphs that are in; there must be one. Add and Remove do not change what it
// returned.
func (r *Running) Model() *Model {
	about := r.about
	t := &Trained{Model: &about}
	about.Images = r.images
	t.solve(Unary, r.node.Clone(), nil)
	t.solve(Pairwise, r.edge.Clone(), nil)
	return t.Model
}
