package jpeg

import "fmt"

// lookBits is how many bits of the stream one look-up decides.
const lookBits = 10

// A huffTable decodes one Huffman code (T.81, annex C).
type huffTable struct {
	ok   bool
	look [1 << lookBits]uint16 // by the next bits: length<<8 | symbol; 0 where the code is longer
	// fast decodes AC codes together with the bits that follow when both fit into a look-up:
	// value<<16 | run<<8 | bits, 0 where they do not fit or the symbol has no value.
	fast [1 << lookBits]int32
	// largest code of each length, left-aligned to 16 bits, plus one; the last entry is a guard
	maxCode [18]int32
	delta   [17]int32 // index in symbols of the first code of a length, minus that code
	symbols [256]byte
}

// set builds the table from the number of codes of each length 1..16 and their symbols in order.
func (h *huffTable) set(counts *[16]byte, symbols []byte) error {
	*h = huffTable{ok: true}
	copy(h.symbols[:], symbols)
	code, k := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		h.delta[length] = k - code
		for range counts[length-1] {
			if code >= 1<<length {
				return fmt.Errorf("huffman table: too many codes of %d bits", length)
			}
			if length <= lookBits {
				first := code << (lookBits - length)
				for i := range int32(1) << (lookBits - length) {
					h.look[first+i] = uint16(length)<<8 | uint16(h.symbols[k])
				}
			}
			code++
			k++
		}
		h.maxCode[length] = code << (16 - length)
		code <<= 1
	}
	h.maxCode[17] = 1 << 30
	h.buildFast()
	return nil
}

// buildFast precomputes the AC coefficients whose code and value fit into lookBits.
func (h *huffTable) buildFast() {
	for i := range h.look {
		l := uint(h.look[i] >> 8)
		size := uint(h.look[i] & 15)
		run := int32(h.look[i] & 0xff >> 4)
		if l == 0 || size == 0 || l+size > lookBits {
			continue
		}
		bits := int32(i) >> (lookBits - l - size) & (1<<size - 1)
		h.fast[i] = extend(bits, size)<<16 | run<<8 | int32(l+size)
	}
}

// next decodes one symbol; ok is false for bits that are no code. At least 16 bits must be valid in
// b or made so here.
func (h *huffTable) next(b *bitReader) (symbol byte, ok bool) {
	if b.n < 16 {
		b.fill()
	}
	if e := h.look[b.acc>>(64-lookBits)]; e != 0 {
		l := uint(e >> 8)
		b.acc <<= l
		b.n -= l
		return byte(e), true
	}
	return h.long(b)
}

// long decodes a code of more than lookBits bits.
func (h *huffTable) long(b *bitReader) (symbol byte, ok bool) {
	top := int32(b.acc >> 48)
	l := uint(lookBits + 1)
	for top >= h.maxCode[l] {
		l++
	}
	if l > 16 {
		return 0, false
	}
	k := top>>(16-l) + h.delta[l]
	b.acc <<= l
	b.n -= l
	return h.symbols[k&255], true
}

// The tables of T.81, K.3.3, which Motion JPEG files leave out: counts of lengths 1..16, then
// symbols.
var standardHuff = [2][2]string{ // [DC, AC][luminance, chrominance]
	{
		"\x00\x01\x05\x01\x01\x01\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b",
		"\x00\x03\x01\x01\x01\x01\x01\x01\x01\x01\x01\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b",
	},
	{
		"\x00\x02\x01\x03\x03\x02\x04\x03\x05\x05\x04\x04\x00\x00\x01\x7d" + standardAC[0],
		"\x00\x02\x01\x02\x04\x04\x03\x04\x07\x05\x04\x04\x00\x01\x02\x77" + standardAC[1],
	},
}

// useStandard fills a table that the file does not define.
func (h *huffTable) useStandard(ac, chroma int) {
	s := standardHuff[ac][chroma]
	_ = h.set((*[16]byte)([]byte(s[:16])), []byte(s[16:])) // a sound code
}

// standardAC holds the AC symbols of tables K.5 and K.6.
var standardAC = [2]string{
	"\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71" +
		"\x14\x32\x81\x91\xa1\x08\x23\x42\xb1\xc1\x15\x52\xd1\xf0\x24\x33\x62\x72" +
		"\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26\x27\x28\x29\x2a\x34\x35\x36\x37" +
		"\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58\x59" +
		"\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a\x83" +
		"\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3" +
		"\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3" +
		"\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda\xe1\xe2" +
		"\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa",
	"\x00\x01\x02\x03\x11\x04\x05\x21\x31\x06\x12\x41\x51\x07\x61\x71\x13\x22" +
		"\x32\x81\x08\x14\x42\x91\xa1\xb1\xc1\x09\x23\x33\x52\xf0\x15\x62\x72\xd1" +
		"\x0a\x16\x24\x34\xe1\x25\xf1\x17\x18\x19\x1a\x26\x27\x28\x29\x2a\x35\x36" +
		"\x37\x38\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58" +
		"\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75\x76\x77\x78\x79\x7a" +
		"\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a" +
		"\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba" +
		"\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9\xda" +
		"\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa",
}
