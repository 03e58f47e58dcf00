package lscrf

import (
	"context"
	"slices"
)

// fitParts makes the statistics of every part, of which there is one pass, and fits a linear model to the others' sum for each.
func (t *Trainer) fitParts(ctx context.Context, s Spec, o TrainOptions, parts []heldPart, sources []*without, progress func(done, total int)) error {
	each := make([]*Statistics, len(parts))
	all := &Statistics{pairs: true}
	done := 0
	for i, src := range sources {
		if src.Len() == 0 {
			continue
		}
		var err error
		before := done
		if each[i], err = Collect(ctx, src, o, t.Alike, len(t.About.Labels), true, t.Workers, func(n, _ int) {
			done = before + n
			progress(done, t.Source.Len())
		}); err != nil {
			return err
		}
		all.merge(each[i].clone())
	}
	for i, part := range each {
		if part == nil {
			continue
		}
		about := t.About
		about.become(s, o)
		about.Dim = t.dim
		got := &Trained{Model: &about}
		all.without(part).fit(got)
		parts[i].Model = got.Model
	}
	return nil
}

// clone returns a copy that shares no sums.
func (s *Statistics) clone() *Statistics {
	out := &Statistics{pairs: s.pairs}
	for _, g := range s.groups {
		c := *g
		c.parts = map[string]*part{}
		for terms, p := range g.parts {
			c.parts[terms] = &part{p.stats.Clone(), p.spent}
		}
		out.groups = append(out.groups, &c)
	}
	return out
}

// without returns the statistics of the images that are not in o, whose groups must all be in s.
func (s *Statistics) without(o *Statistics) *Statistics {
	out := s.clone()
	for _, g := range o.groups {
		i, _ := slices.BinarySearchFunc(out.groups, g, (*group).compare)
		from := out.groups[i]
		from.images -= g.images
		for terms, p := range g.parts {
			from.parts[terms].stats.Sub(p.stats)
			from.parts[terms].spent -= p.spent
		}
	}
	return out
}
