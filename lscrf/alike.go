package lscrf

import (
	"slices"
	"strings"

	"hdseg/manifests"
)

// Alike names for every image that shows the same picture as another one, or nearly, the group of all that do. An image
// that is not in it is a group of its own. Whatever deals images to parts, of which one must say nothing of the other, deals groups.
type Alike map[string]string

// AlikeOf returns the groups of a manifest's training images: those with equal bytes or pixels, and those that ingest noted as
// duplicates or near duplicates of one another, be it by way of a third or of a test image. A group is named for the
// first of its ids.
func AlikeOf(records []manifests.Record) Alike {
	u := union{}
	name := func(r *manifests.Record) string { return string(r.Split) + "/" + r.ID }
	for i := range records {
		r := &records[i]
		u.join(name(r), "bytes "+string(r.Image.SHA256))
		if r.Image.Pixels != "" {
			u.join(name(r), "pixels "+string(r.Image.Pixels))
		}
		for _, note := range r.Image.Notes {
			if kind, of, _ := strings.Cut(note, ":"); kind == "duplicate_of" || kind == "near_duplicate_of" { // written by ingest
				u.join(name(r), of)
			}
		}
	}
	members := map[string][]string{}
	for i := range records {
		if r := &records[i]; r.Split == manifests.Train {
			root := u.root(name(r))
			members[root] = append(members[root], r.ID)
		}
	}
	a := Alike{}
	for _, ids := range members {
		if len(ids) > 1 {
			first := slices.Min(ids)
			for _, id := range ids {
				a[id] = first
			}
		}
	}
	return a
}

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

// A union joins names to sets; it keeps a parent for all but the roots.
type union map[string]string

func (u union) root(name string) string {
	for {
		up, ok := u[name]
		if !ok {
			return name
		}
		if next, ok := u[up]; ok {
			u[name] = next // halve the path
		}
		name = up
	}
}

func (u union) join(a, b string) {
	if a, b = u.root(a), u.root(b); a != b {
		u[a] = b
	}
}
