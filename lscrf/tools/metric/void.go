package metric

import (
	"cmp"
	"math"
	"slices"
)

// fillVoid adds to the set in those void pixels that are nearer to it than to pixels that are
// neither in it nor void (a tie is not nearer), and returns the void pixels whose squared distance
// to all others is above limit. One pixel beyond the limit it stops: nothing is scored there. It
// looks at rings of growing distance until no void pixel is left: the band that VOC draws takes a
// few, wide void all of them.
func fillVoid(in, void *bitmap, limit int64) (deep bitmap) {
	label, other, left := newBitmap(in.width, in.height), newBitmap(in.width, in.height), slices.Clone(void.bits)
	copy(label.bits, in.bits)
	for i := range other.bits {
		other.bits[i] = ^(in.bits[i] | void.bits[i])
		if i%in.words == in.words-1 {
			other.bits[i] &= in.edge()
		}
	}
	deep = newBitmap(in.width, in.height)
	var open []int // words with void pixels
	for i, w := range void.bits {
		if w != 0 {
			open = append(open, i)
		}
	}
	beyond := math.Sqrt(float64(limit)) + 1
	past := false
	for _, ring := range rings(in.width, in.height, int64(math.Ceil(beyond*beyond))) {
		if len(open) == 0 {
			break
		}
		if !past && ring.squared > limit {
			copy(deep.bits, left)
			past = true
		}
		still := open[:0]
		for _, i := range open {
			x, y := i%in.words*64, i/in.words
			var toLabel, toOther uint64
			for _, d := range ring.offsets {
				toLabel |= label.from(x+d[0], y+d[1])
				toOther |= other.from(x+d[0], y+d[1])
			}
			in.bits[i] |= left[i] & toLabel &^ toOther
			if left[i] &^= toLabel | toOther; left[i] != 0 {
				still = append(still, i)
			}
		}
		open = still
	}
	if !past {
		copy(deep.bits, left)
	}
	return deep
}

// A ring is the offsets of one distance.
type ring struct {
	squared int64
	offsets [][2]int
}

// rings returns the offsets inside a picture with squared lengths of 1..most, nearest first.
func rings(width, height int, most int64) []ring {
	var all [][2]int
	for dy := int64(0); dy < int64(height) && dy*dy <= most; dy++ {
		for dx := int64(0); dx < int64(width) && dx*dx+dy*dy <= most; dx++ {
			for _, s := range [4][2]int64{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}} {
				if (dx > 0 || s[0] > 0) && (dy > 0 || s[1] > 0) && dx+dy > 0 {
					all = append(all, [2]int{int(dx * s[0]), int(dy * s[1])})
				}
			}
		}
	}
	length := func(d [2]int) int64 { return int64(d[0])*int64(d[0]) + int64(d[1])*int64(d[1]) }
	slices.SortStableFunc(all, func(a, b [2]int) int { return cmp.Compare(length(a), length(b)) })
	var out []ring
	for i, d := range all {
		if i == 0 || length(d) != out[len(out)-1].squared {
			out = append(out, ring{squared: length(d)})
		}
		r := &out[len(out)-1]
		r.offsets = append(r.offsets, d)
	}
	return out
}
