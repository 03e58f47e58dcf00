package lscrf

import "hdseg/manifests"

// Groups gives every image that has a near-duplicate the name of their group. An image that is not
// in it is a group of its own. Folds and held-out parts hold whole groups, so that no image is
// measured by a model that has seen its picture.
type Groups map[string]string

// GroupsOf returns the groups of near-duplicates among a manifest's training images; see
// manifests.Alike.
func GroupsOf(records []manifests.Record) Groups { return manifests.Alike(records) }

// Of returns the group of an image.
func (g Groups) Of(id string) string {
	if name, ok := g[id]; ok {
		return name
	}
	return id
}

// numbers returns for every image the index of the first one of its group.
func (g Groups) numbers(ids []string) []int {
	first := map[string]int{}
	out := make([]int, len(ids))
	for i, id := range ids {
		name := g.Of(id)
		if _, ok := first[name]; !ok {
			first[name] = i
		}
		out[i] = first[name]
	}
	return out
}

// Count returns the number of groups among images.
func (g Groups) Count(ids []string) int {
	n := 0
	for i, first := range g.numbers(ids) {
		if first == i {
			n++
		}
	}
	return n
}

// Deal deals images to k folds as DealFolds does, each group as one.
func (g Groups) Deal(ids []string, k int, seed uint64) Folds {
	return g.spread(ids, func(firsts []string) Folds { return DealFolds(firsts, k, seed) })
}

// spread deals the first image of every group and gives the others its fold.
func (g Groups) spread(ids []string, deal func(firsts []string) Folds) Folds {
	var firsts []string
	number := g.numbers(ids)
	for i, id := range ids {
		if number[i] == i {
			firsts = append(firsts, id)
		}
	}
	f := deal(firsts)
	for i, id := range ids {
		f[id] = f[ids[number[i]]]
	}
	return f
}
