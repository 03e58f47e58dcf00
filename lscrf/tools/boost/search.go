package boost

import "math"

// A search finds the bins of one feature's values by bisection over 2^levels - 1 borders,
// the feature's own and then +Inf. Its table holds the borders level by level: those of
// level l are the middles of 2^l equal ranges, in ascending order, in a multiple of 16
// numbers. From position p of level l the search goes on at 2p, or at 2p+1 where the value
// is above the border; the last position is the bin.
type search struct {
	levels int
	table  []float32
}

func newSearch(borders []float32) search {
	s := search{levels: 5}
	for 1<<s.levels-1 < len(borders) {
		s.levels++
	}
	inf := float32(math.Inf(1))
	for l := range s.levels {
		step := 1 << (s.levels - l)
		for i := range max(16, 1<<l) {
			v := inf
			if at := step/2 + i*step - 1; i < 1<<l && at < len(borders) {
				v = borders[at]
			}
			s.table = append(s.table, v)
		}
	}
	return s
}

// binColumnGo writes the bins of x.
func binColumnGo(s *search, dst []uint8, x []float32) {
	for i, v := range x {
		p, at := 0, 0
		for l := range s.levels {
			p, at = 2*p+above(v, s.table[at+p]), at+max(16, 1<<l)
		}
		dst[i] = uint8(p)
	}
}

// above returns 1 if v > border and else 0, also for NaN. The order of float32 is that of
// their bits once negative ones are mirrored, which needs no branch.
func above(v, border float32) int {
	if v != v {
		return 0
	}
	return int(uint64(ordered(border)-ordered(v)) >> 63)
}

// ordered maps numbers to integers of the same order; both zeros are 0.
func ordered(v float32) int64 {
	b := int32(math.Float32bits(v))
	sign := b >> 31
	return int64((b & math.MaxInt32) ^ sign - sign)
}
