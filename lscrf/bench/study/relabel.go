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

// pictures returns the fold of every manual image's picture, by its group.
func (s *state) pictures() map[string]int {
	out := map[string]int{}
	for id, f := range Deal(s.Manual, s.Alike, s.o) {
		out[s.Alike.Of(id)] = f
	}
	return out
}

// split returns for every fold the graphs that show pictures of it, and those that show no manual image's last.
func (s *state) split(graphs []*lscrf.Graph) [][]*lscrf.Graph {
	pictures := s.pictures()
	out := make([][]*lscrf.Graph, s.o.Folds+1)
	for _, g := range graphs {
		f, ok := pictures[s.Alike.Of(g.ID)]
		if !ok {
			f = s.o.Folds
		}
		out[f] = append(out[f], g)
	}
	return out
}

// apart returns graphs with labels of a tier for which no image of a fold was a source, if these are known, but those of
// pictures that the fold holds out.
func (s *state) apart(graphs []*lscrf.Graph, t manifests.Tier, fold int) []*lscrf.Graph {
	if len(s.Without) > 0 {
		graphs = s.Without[fold].relabel(graphs, t)
	}
	parts := s.split(graphs)
	parts[fold] = nil
	return slices.Concat(parts...)
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
