package hdf5

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

// A layout says where a dataset's elements are (spec IV.A.2.i).
type layout struct {
	class   uint8 // 0 compact, 1 contiguous, 2 chunked
	data    []byte
	address uint64
	size    uint64
	chunk   []int // shape of a chunk
	index   uint8 // of chunks: 0 a B-tree of version 1, else as layout version 4 numbers them
	single  chunkPlace
}

func parseLayout(c *cursor, elementSize int) (l layout, err error) {
	switch version := c.u8(); version {
	case 1, 2:
		rank := int(c.u8())
		l.class = c.u8()
		c.skip(5)
		if l.class != 0 {
			l.address = c.offset()
		}
		for range rank {
			l.chunk = append(l.chunk, int(c.u32()))
		}
		switch l.class {
		case 0:
			n := int(c.u32())
			l.data = c.take(n)
		case 1:
			l.size = uint64(elementSize)
			for _, n := range l.chunk {
				l.size *= uint64(n)
			}
		case 2:
			if rank > 0 {
				l.chunk = l.chunk[:rank-1] // the last one is the element
			}
		}
	case 3, 4, 5: // 5 (HDF5 2.0) is 4 with 8 bytes for the sizes of filtered chunks, as their entries say anyway
		l.class = c.u8()
		switch {
		case l.class == 0:
			n := int(c.u16())
			l.data = c.take(n)
		case l.class == 1:
			l.address, l.size = c.offset(), c.length()
		case l.class == 2 && version == 3:
			rank := int(c.u8())
			l.address = c.offset()
			for range rank - 1 {
				l.chunk = append(l.chunk, int(c.u32()))
			}
		case l.class == 2:
			l.chunks4(c)
		default:
			return l, faultf("layout: class %d is not supported", l.class)
		}
	default:
		return l, faultf("layout: version %d is not supported", version)
	}
	for _, n := range l.chunk {
		if l.class == 2 && (n <= 0 || n > 1<<31) {
			return l, faultf("layout: got a chunk of shape %v", l.chunk)
		}
	}
	return l, c.err
}

// chunks4 reads what layout version 4 says about chunks.
func (l *layout) chunks4(c *cursor) {
	flags, rank, n := c.u8(), int(c.u8()), int(c.u8())
	for range rank - 1 {
		l.chunk = append(l.chunk, int(c.uint(n)))
	}
	c.skip(n)
	switch l.index = c.u8(); l.index {
	case 1: // a single chunk
		if flags&2 != 0 {
			l.single.size = c.length()
			l.single.mask = c.u32()
		}
	case 2: // all in order
	case 3: // fixed array
		c.skip(1)
	default:
		c.err = faultf("layout: chunk index %d is not supported", l.index)
	}
	l.address = c.offset()
}

// A filter is one step that was applied to chunks when they were written.
type filter uint16

const (
	deflate    filter = 1
	shuffle    filter = 2
	fletcher32 filter = 3
)

// parseFilters reads a filter pipeline message (spec IV.A.2.l).
func parseFilters(c *cursor) ([]filter, error) {
	version, n := c.u8(), int(c.u8())
	if version == 1 {
		c.skip(6)
	}
	var out []filter
	for range n {
		id := c.u16()
		nameLen := 0
		if version == 1 || id >= 256 {
			nameLen = int(c.u16())
		}
		c.skip(2)
		values := int(c.u16())
		if version == 1 {
			nameLen = (nameLen + 7) &^ 7
			values += values & 1
		}
		c.skip(nameLen + 4*values)
		if c.err != nil {
			return nil, c.err
		}
		switch f := filter(id); f {
		case deflate, shuffle, fletcher32:
			out = append(out, f)
		default:
			return nil, faultf("filter %d is not supported", id)
		}
	}
	return out, nil
}

// unfilter undoes a pipeline, last step first; bit i of mask says that step i was skipped. want is the size of a chunk.
func unfilter(b []byte, filters []filter, mask uint32, elementSize, want int) ([]byte, error) {
	for i := len(filters) - 1; i >= 0; i-- {
		if mask>>i&1 != 0 {
			continue
		}
		switch filters[i] {
		case fletcher32:
			if len(b) < 4 {
				return nil, faultf("chunk: got %d bytes, want a checksum", len(b))
			}
			b = b[:len(b)-4]
		case deflate:
			z, err := zlib.NewReader(bytes.NewReader(b))
			if err != nil {
				return nil, faultf("chunk: %v", err)
			}
			out := make([]byte, want)
			n, err := io.ReadFull(z, out)
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				return nil, faultf("chunk: %v", err)
			}
			b = out[:n]
		case shuffle:
			b = unshuffle(b, elementSize)
		}
	}
	if len(b) != want {
		return nil, faultf("chunk: got %d bytes, want %d", len(b), want)
	}
	return b, nil
}

// unshuffle brings the bytes of every element together again.
func unshuffle(b []byte, size int) []byte {
	n := len(b) / size
	out := make([]byte, len(b))
	for k := range size {
		for i := range n {
			out[i*size+k] = b[k*n+i]
		}
	}
	copy(out[n*size:], b[n*size:])
	return out
}
