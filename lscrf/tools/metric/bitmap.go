package metric

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// A bitmap is a set of pixels: pixel (x, y) is bit x%64 of word y*words + x/64. Bits behind
// the width are zero.
type bitmap struct {
	width, height, words int
	bits                 []uint64
}

func newBitmap(width, height int) bitmap {
	words := (width + 63) / 64
	return bitmap{width, height, words, make([]uint64, words*height)}
}

// pixelsOf returns the pixels of a map that have a label.
func pixelsOf(m []uint8, width, height int, label uint8) bitmap {
	b := newBitmap(width, height)
	for y := range height {
		row, line := b.row(y), m[y*width:(y+1)*width]
		for i := range row {
			part := line[64*i : min(64*i+64, width)]
			if len(part) == 64 {
				row[i] = equal64((*[64]uint8)(part), label)
				continue
			}
			for x, v := range part {
				if v == label {
					row[i] |= 1 << x
				}
			}
		}
	}
	return b
}

// equal64 returns which bytes of m have a value.
func equal64(m *[64]uint8, value uint8) uint64 {
	w := uint64(0)
	for k := 0; k < 64; k += 8 {
		w = w>>8 | equal8(binary.LittleEndian.Uint64(m[k:]), value)<<56
	}
	return w
}

// equal8 returns 8 bits: which bytes of v have a value.
func equal8(v uint64, value uint8) uint64 {
	const ones, low, high = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	v ^= ones * uint64(value)
	zero := ^((v & low) + low | v) & high       // the high bit of every zero byte
	return zero >> 7 * 0x0102040810204080 >> 56 // bit 8j to bit 56+j
}

func (b *bitmap) row(y int) []uint64 { return b.bits[y*b.words : (y+1)*b.words] }

// edge returns the last word's valid bits.
func (b *bitmap) edge() uint64 { return ^uint64(0) >> (64*b.words - b.width) }

func (b *bitmap) count() int64 {
	n := 0
	for _, w := range b.bits {
		n += bits.OnesCount64(w)
	}
	return int64(n)
}

// common returns the number of pixels in both sets.
func (b *bitmap) common(o *bitmap) int64 {
	n := 0
	for i, w := range b.bits {
		n += bits.OnesCount64(w & o.bits[i])
	}
	return int64(n)
}

// from returns the 64 pixels of row y from x on, which may lie outside: those are not in the set.
func (b *bitmap) from(x, y int) uint64 {
	if y < 0 || y >= b.height {
		return 0
	}
	row := b.row(y)
	i, s := x>>6, uint(x)&63
	v := uint64(0)
	if i >= 0 && i < len(row) {
		v = row[i] >> s
	}
	if i++; s > 0 && i >= 0 && i < len(row) {
		v |= row[i] << (64 - s)
	}
	return v
}

// contour returns the pixels that have a 4-neighbor, inside the picture, outside the set.
func (b *bitmap) contour() bitmap {
	out := newBitmap(b.width, b.height)
	last := b.words - 1
	for y := range b.height {
		row, edge := b.row(y), out.row(y)
		for i, w := range row {
			if w == 0 {
				continue
			}
			inner := w<<1 | 1 // left neighbors; what lies outside counts as in the set
			if i > 0 {
				inner = w<<1 | row[i-1]>>63
			}
			if i < last {
				inner &= w>>1 | row[i+1]<<63
			} else {
				inner &= w>>1 | ^(b.edge() >> 1)
			}
			if y > 0 {
				inner &= b.bits[(y-1)*b.words+i]
			}
			if y+1 < b.height {
				inner &= b.bits[(y+1)*b.words+i]
			}
			edge[i] = w &^ inner
		}
	}
	return out
}

// near returns the pixels whose squared distance to the set is at most limit; it takes time
// linear in the words and in the square root of the limit.
func (b *bitmap) near(limit int64) bitmap {
	out := newBitmap(b.width, b.height)
	wide := make([]uint64, b.words)
	for y := range b.height {
		clear(wide)
		any := uint64(0)
		for i, w := range b.row(y) {
			wide[i] = w
			any |= w
		}
		if any == 0 {
			continue
		}
		// Rows farther away first, on which the disk is narrower.
		half := 0
		for dy := int(min(rootOf(limit), int64(b.height-1))); dy >= 0; dy-- {
			for room := limit - int64(dy)*int64(dy); half < b.width && int64(half+1)*int64(half+1) <= room; half++ {
				widen(wide)
			}
			out.add(wide, y-dy)
			if dy > 0 {
				out.add(wide, y+dy)
			}
		}
	}
	return out
}

// widen adds the left and right neighbors of a row's pixels.
func widen(row []uint64) {
	before := uint64(0)
	for i, w := range row {
		v := w | w<<1 | w>>1 | before>>63
		if i+1 < len(row) {
			v |= row[i+1] << 63
		}
		row[i], before = v, w
	}
}

// add adds pixels to row y, if there is such a row.
func (b *bitmap) add(row []uint64, y int) {
	if y < 0 || y >= b.height {
		return
	}
	out := b.row(y)
	for i, w := range row {
		out[i] |= w
	}
	out[b.words-1] &= b.edge()
}

// rootOf returns the largest r with r*r <= v, which must be at most 2^52.
func rootOf(v int64) int64 { return int64(math.Sqrt(float64(v))) }
