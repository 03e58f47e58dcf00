package boost

import (
	"cmp"
	"slices"
)

// parts draws the features that the next tree may ask about, in order.
func (s *sequenceFit) parts() []part {
	g := s.grower
	var all []part
	features := 0
	for side := range g.views {
		for group := range g.lanes.groups() {
			p := part{side: side, group: group}
			for i, column := range g.lanes.column[group*laneGroup:][:laneGroup] {
				if column >= 0 {
					p.use[i] = true
					features++
				}
			}
			all = append(all, p)
		}
	}
	if s.opt.ColumnSample >= 1 {
		return all
	}
	// Whole groups in random order, and random lanes of the last one.
	want := max(1, int(s.opt.ColumnSample*float64(features)+0.5))
	random := func(i int) float64 { return uniform(s.opt.Seed, s.stream(streamColumns), uint64(i)) }
	for i := range all {
		if want <= 0 {
			all = all[:i]
			break
		}
		j := i + int(random(i)*float64(len(all)-i))
		all[i], all[j] = all[j], all[i]
		want -= all[i].limit(want, func(lane int) float64 { return random(len(all) + lane) })
	}
	slices.SortFunc(all, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.group, b.group))
	})
	return all
}

// limit leaves at most n lanes in use, those with the smallest random numbers, and returns
// how many.
func (p *part) limit(n int, random func(lane int) float64) int {
	var lanes []int
	for lane, use := range p.use {
		if use {
			lanes = append(lanes, lane)
		}
	}
	slices.SortStableFunc(lanes, func(a, b int) int { return cmp.Compare(random(a), random(b)) })
	for len(lanes) > n {
		p.use[lanes[len(lanes)-1]] = false
		lanes = lanes[:len(lanes)-1]
	}
	return len(lanes)
}
