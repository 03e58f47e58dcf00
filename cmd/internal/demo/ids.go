package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// An idBook holds the names of all pictures of a world, in the order of the sources.
type idBook struct {
	voc      []string // sorted: class and others mixed, then the planted two
	absent   []bool   // of voc: shows other classes only
	tests    []string // sorted, then the planted two
	imageNet []string // by number: boxed and not mixed, then the planted two
	boxed    []bool   // of imageNet
}

// planted is how many records the faults add to each source.
const planted = 2

// newIDBook draws the names. Planted records take names of their own after the sound
// ones, so that those are the same in a world with faults and in one without.
func newIDBook(o Options) idBook {
	r := stream(o.Seed, "ids")
	used := map[string]bool{}
	var b idBook
	b.voc = vocIDs(r, o.Manual+o.Others, used)
	b.tests = vocIDs(r, o.Tests, used)
	b.absent = flags(r, o.Others, o.Manual+o.Others)
	b.boxed = flags(r, o.Boxes, o.Boxes+o.Labels)
	number := r.IntN(20)
	next := func() string {
		number += 1 + r.IntN(40)
		return fmt.Sprintf("%s_%d", species[o.Class].synset, number)
	}
	for range o.Boxes + o.Labels {
		b.imageNet = append(b.imageNet, next())
	}
	if o.Faults {
		b.voc = append(b.voc, vocIDs(r, planted, used)...)
		b.tests = append(b.tests, vocIDs(r, planted, used)...)
		for range planted {
			b.imageNet = append(b.imageNet, next())
		}
		b.absent = append(b.absent, make([]bool, planted)...)
		b.boxed = append(b.boxed, make([]bool, planted)...)
	}
	return b
}

// vocIDs returns n sorted ids YEAR_NUMBER that were not used before.
func vocIDs(r *rand.Rand, n int, used map[string]bool) []string {
	var ids []string
	for len(ids) < n {
		id := fmt.Sprintf("%d_%06d", 2007+r.IntN(5), 1+r.IntN(9999))
		if !used[id] {
			used[id] = true
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, strings.Compare)
	return ids
}

// flags returns n flags of which a random set is true.
func flags(r *rand.Rand, set, n int) []bool {
	f := make([]bool, n)
	for i := range set {
		f[i] = true
	}
	r.Shuffle(n, func(i, j int) { f[i], f[j] = f[j], f[i] })
	return f
}
