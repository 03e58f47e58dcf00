package jpeg

import "encoding/binary"

// A bitReader reads entropy-coded JPEG data (T.81, F.2.2.5), most significant bit first. It drops
// the zero after each 0xFF. From the first marker on it delivers zeros and counts them: reading too
// far is noticed at the end of an interval, not at every bit.
type bitReader struct {
	data []byte
	pos  int    // next byte to load
	acc  uint64 // unread bits, left-aligned
	n    uint   // how many of acc's bits are valid
	pad  uint   // zero bits that were made up after the end
}

// fill makes at least 56 bits valid.
func (b *bitReader) fill() {
	if b.pos+8 <= len(b.data) {
		x := binary.BigEndian.Uint64(b.data[b.pos:])
		// No byte of x is 0xFF if no byte of ^x is 0.
		if y := ^x; (y-0x0101010101010101)&^y&0x8080808080808080 == 0 {
			b.acc |= x >> b.n
			k := (64 - b.n) >> 3
			b.pos += int(k)
			b.n += k << 3
			// Bits of a byte that was not counted are loaded again by the next fill, with the same
			// value.
			return
		}
	}
	b.fillSlow()
}

func (b *bitReader) fillSlow() {
	b.acc &= ^uint64(0) << (64 - b.n) // drop what the fast path loaded in advance
	if b.n == 0 {
		b.acc = 0
	}
	for b.n <= 56 {
		var c byte
		if b.pos < len(b.data) {
			c = b.data[b.pos]
			if c != 0xff {
				b.pos++
			} else if b.pos+1 < len(b.data) && b.data[b.pos+1] == 0 {
				b.pos += 2
			} else {
				c = 0
				b.pad += 8
			}
		} else {
			b.pad += 8
		}
		b.acc |= uint64(c) << (56 - b.n)
		b.n += 8
	}
}

// bits returns the next k bits, 0 <= k <= 16.
func (b *bitReader) bits(k uint) int32 {
	if b.n < k {
		b.fill()
	}
	v := int32(b.acc >> 1 >> (63 - k))
	b.acc <<= k
	b.n -= k
	return v
}

// bit returns the next bit.
func (b *bitReader) bit() bool { return b.bits(1) != 0 }

// short tells whether bits were used that the data does not have.
func (b *bitReader) short() bool { return b.pad > b.n }

// reset drops the bits that are left of an interval and continues at data[pos].
func (b *bitReader) reset(pos int) { *b = bitReader{data: b.data, pos: pos} }

// extend turns k bits into the signed value that they code (T.81, table F.1).
func extend(v int32, k uint) int32 {
	if v < 1<<k>>1 {
		v += -1<<k + 1
	}
	return v
}
