package demo

import "fmt"

// An idBook holds the names of all pictures of a world, in the order of the sources.
type idBook struct {
	voc      []string // class and others mixed, then the planted two
	absent   []bool   // of voc: shows other classes only
	tests    []string // then the planted two
	imageNet []string // boxed and not mixed, then the planted two
	boxed    []bool   // of imageNet
}

// planted is how many records the faults add to each source.
const planted = 2

// newIDBook makes the names. Planted records come after the sound ones, so that those are the same
// in a world with faults and in one without.
func newIDBook(o Options) idBook {
	more := 0
	if o.Faults {
		more = planted
	}
	name := func(format string, from, n int) (ids []string) {
		for i := range n + more {
			ids = append(ids, fmt.Sprintf(format, from+17*i))
		}
		return ids
	}
	return idBook{
		voc: name("2008_%06d", 11, o.Manual+o.Others), absent: append(spread(o.Others, o.Manual+o.Others), make([]bool, more)...),
		tests:    name("2010_%06d", 5, o.Tests),
		imageNet: name(species[o.Class].synset+"_%d", 8, o.Boxes+o.Labels),
		boxed:    append(spread(o.Boxes, o.Boxes+o.Labels), make([]bool, more)...),
	}
}

// spread returns n flags of which so many are true, evenly spread.
func spread(set, n int) []bool {
	f := make([]bool, n)
	for i := range f {
		f[i] = (i+1)*set/n > i*set/n
	}
	return f
}
