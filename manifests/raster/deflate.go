package raster

import (
	"encoding/binary"
	"math/bits"
)

// maskDeflate appends data as one final deflate block (RFC 1951) of the fixed Huffman codes, with
// literals and matches of distance 1 only. Masks filtered with Up are mostly runs of zeros: this is
// little larger than a full compressor's and many times faster, and compress/flate cannot change
// it.
func maskDeflate(dst, data []byte) []byte {
	w := bitWriter{out: dst}
	w.put(0b011, 3) // final block, fixed codes
	for i := 0; i < len(data); {
		v := data[i]
		w.put(fixedLiteral[v].bits, fixedLiteral[v].n)
		i++
		run := runLength(data[i:], v)
		i += run
		for run >= 3 {
			n := min(run, 258)
			if run-n > 0 && run-n < 3 {
				n = run - 3 // leave enough for another match
			}
			w.put(runCode[n].bits, runCode[n].n)
			run -= n
		}
		for range run {
			w.put(fixedLiteral[v].bits, fixedLiteral[v].n)
		}
	}
	w.put(0, 7) // end of block
	return w.flush()
}

// runLength counts the leading bytes of data that equal v, eight at a time.
func runLength(data []byte, v byte) int {
	pattern := uint64(v) * 0x0101010101010101
	n := 0
	for len(data)-n >= 8 {
		if diff := binary.LittleEndian.Uint64(data[n:]) ^ pattern; diff != 0 {
			return n + bits.TrailingZeros64(diff)/8
		}
		n += 8
	}
	for n < len(data) && data[n] == v {
		n++
	}
	return n
}

// A code is n bits, the first to be written lowest.
type code struct {
	bits uint64
	n    uint
}

var (
	fixedLiteral [256]code
	runCode      [259]code // [3..258]: length symbol, its extra bits, and distance 1
)

func init() {
	for v := range fixedLiteral {
		fixedLiteral[v] = fixedSymbol(v)
	}
	// RFC 1951, 3.2.5: base lengths of symbols 257.. with e extra bits; 285 stands for 258 alone.
	sym, base := 257, 3
	for _, e := range []uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5} {
		for extra := range 1 << e {
			if length := base + extra; length < 258 {
				runCode[length] = lengthCode(sym, extra, e)
			}
		}
		sym, base = sym+1, base+1<<e
	}
	runCode[258] = lengthCode(285, 0, 0)
}

func lengthCode(sym, extra int, e uint) code {
	c := fixedSymbol(sym)
	c.bits |= uint64(extra) << c.n
	c.n += e
	c.n += 5 // distance symbol 0: five zero bits
	return c
}

// fixedSymbol returns the fixed Huffman code of a literal or length symbol (RFC 1951, 3.2.6).
func fixedSymbol(sym int) code {
	var v uint64
	var n uint
	switch {
	case sym < 144:
		v, n = uint64(0x30+sym), 8
	case sym < 256:
		v, n = uint64(0x190+sym-144), 9
	case sym < 280:
		v, n = uint64(sym-256), 7
	default:
		v, n = uint64(0xc0+sym-280), 8
	}
	return code{bits.Reverse64(v) >> (64 - n), n} // Huffman codes go most significant bit first
}

// A bitWriter packs bits from the lowest of each byte.
type bitWriter struct {
	out []byte
	acc uint64
	n   uint
}

func (w *bitWriter) put(v uint64, n uint) {
	w.acc |= v << w.n
	w.n += n
	for w.n >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.acc))
		w.acc >>= 32
		w.n -= 32
	}
}

func (w *bitWriter) flush() []byte {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
	return w.out
}
