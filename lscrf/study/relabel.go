package study

import (
	"slices"

	"hdseg/lscrf"
	"hdseg/manifests"
)

// A Relabeled is what the images of automatic tiers would be labeled with had some manual images not existed: the labels
// of superpixels by image and tier, nil where it would have none. What it does not name keeps its labels.
type Relabeled map[string]map[manifests.Tier][]uint8

// Deal returns the folds that a study deals manual images to, those that are alike to the same.
func Deal(manual []lscrf.Scored, alike lscrf.Alike, o Options) lscrf.Folds {
	return alike.Deal(lscrf.IDs(manual), o.Folds, o.Seed)
}

// apart returns graphs with labels of a tier for which no image of a fold was a source, if these are known, but those of
// pictures that the fold holds out.
func (s *state) apart(graphs []*lscrf.Graph, t manifests.Tier, fold int) []*lscrf.Graph {
	held := map[string]bool{}
	for id, f := range Deal(s.Manual, s.Alike, s.o) {
		held[s.Alike.Of(id)] = held[s.Alike.Of(id)] || f == fold
	}
	graphs = slices.DeleteFunc(slices.Clone(graphs), func(g *lscrf.Graph) bool { return held[s.Alike.Of(g.ID)] })
	if len(s.Without) == 0 {
		return graphs
	}
	return s.Without[fold].relabel(graphs, t)
}

// perFold tells whether folds differ in what other tiers they are trained on.
func (s *state) perFold() bool { return len(s.Without) > 0 || len(s.Alike) > 0 }

// relabel returns copies of graphs with the other labels of a tier, without those that have none now.
func (r Relabeled) relabel(graphs []*lscrf.Graph, t manifests.Tier) []*lscrf.Graph {
	var out []*lscrf.Graph
	for _, g := range graphs {
		y, named := r[g.ID][t]
		switch {
		case !named:
			out = append(out, g)
		case y != nil:
			h := *g
			h.Labels = map[manifests.Tier][]uint8{t: y}
			out = append(out, &h)
		}
	}
	return out
}
