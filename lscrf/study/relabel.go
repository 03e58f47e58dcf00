package study

import (
	"hdseg/lscrf"
	"hdseg/manifests"
)

// A Relabeled is what the images of automatic tiers would be labeled with had some manual images not existed: the labels
// of superpixels by image and tier, nil where it would have none. What it does not name keeps its labels.
type Relabeled map[string]map[manifests.Tier][]uint8

// Deal returns the folds that a study deals manual images to.
func Deal(manual []lscrf.Scored, o Options) lscrf.Folds {
	return lscrf.DealFolds(lscrf.IDs(manual), o.Folds, o.Seed)
}

// apart returns graphs with labels of a tier for which no image of a fold was a source, if these are known.
func (s *state) apart(graphs []*lscrf.Graph, t manifests.Tier, fold int) []*lscrf.Graph {
	if len(s.Without) == 0 {
		return graphs
	}
	return s.Without[fold].relabel(graphs, t)
}

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
