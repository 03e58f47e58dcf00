package lscrf

import "hdseg/manifests"

// Alike names for every image that shows the same picture as another one, or nearly, the group of all that do. An image
// that is not in it is a group of its own. Whatever deals images to parts, of which one must say nothing of the other, deals groups.
type Alike map[string]string

// AlikeOf returns the groups of a manifest's training images; see manifests.Alike.
func AlikeOf(records []manifests.Record) Alike { return manifests.Alike(records) }

// Of returns the group of an image.
func (a Alike) Of(id string) string {
	if g, ok := a[id]; ok {
		return g
	}
	return id
}

// numbers returns for every image the index of the first one of its group.
func (a Alike) numbers(ids []string) []int {
	first := map[string]int{}
	out := make([]int, len(ids))
	for i, id := range ids {
		g := a.Of(id)
		if _, ok := first[g]; !ok {
			first[g] = i
		}
		out[i] = first[g]
	}
	return out
}

// Count returns the number of groups among images.
func (a Alike) Count(ids []string) int {
	n := 0
	for i, first := range a.numbers(ids) {
		if first == i {
			n++
		}
	}
	return n
}

// Deal deals images to k folds as DealFolds does, each group as one.
func (a Alike) Deal(ids []string, k int, seed uint64) Folds {
	return a.spread(ids, func(firsts []string) Folds { return DealFolds(firsts, k, seed) })
}

// spread deals the first image of every group and gives the others its fold.
func (a Alike) spread(ids []string, deal func(firsts []string) Folds) Folds {
	var firsts []string
	number := a.numbers(ids)
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
