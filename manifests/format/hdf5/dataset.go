package hdf5

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
)

// A Dataset is an array of one type. Methods read it whole, in C order: the last dimension varies
// fastest.
type Dataset struct {
	Shape []int // empty for a single value

	f       *File
	class   uint8 // of the elements
	size    int   // of an element, in bytes
	signed  bool
	null    bool     // there is no value
	filled  bool     // elements that were never written are not zero
	steps   []uint16 // filters that chunks went through when they were written
	layout  uint8    // where the elements are
	address uint64   // of a contiguous dataset, or of the tree of chunks
	data    []byte   // of a compact one
	chunk   []int    // shape of a chunk
}

// dataset reads an object header that must be one of a dataset.
func (f *File) dataset(address uint64) (*Dataset, error) {
	messages, err := f.header(address)
	if err != nil {
		return nil, err
	}
	d := &Dataset{f: f}
	seen := map[uint16]bool{}
	for _, m := range messages {
		c := &cursor{b: m.data, what: "dataset"}
		seen[m.kind] = true
		switch m.kind {
		case dataspaceMessage:
			err = d.dataspace(c)
		case datatypeMessage:
			err = d.datatype(c)
		case layoutMessage:
			err = d.place(c)
		case filterMessage:
			err = d.filters(c)
		case fillValueMessage:
			if version := c.u8(); version <= 2 { // IV.A.2.f
				c.take(2)
				if c.u8() != 0 {
					value := c.take(int(c.u32()))
					d.filled = len(bytes.Trim(value, "\x00")) > 0
				}
				err = c.err
			} else {
				err = faultf("fill value: version %d %s", version, unread)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if !seen[dataspaceMessage] || !seen[datatypeMessage] || !seen[layoutMessage] {
		return nil, faultf("object at %#x is not a dataset", address)
	}
	return d, nil
}

// dataspace reads the shape (IV.A.2.b).
func (d *Dataset) dataspace(c *cursor) error {
	version, rank, _ := c.u8(), int(c.u8()), c.u8()
	switch version {
	case 1:
		c.take(5)
	case 2:
		d.null = c.u8() == 2
	default:
		return faultf("dataspace: version %d %s", version, unread)
	}
	if rank > 32 {
		return faultf("dataspace: got %d dimensions", rank)
	}
	d.Shape = []int{}
	for range rank {
		d.Shape = append(d.Shape, c.size(1<<40))
	}
	return c.err
}

// datatype reads the type of the elements (IV.A.2.d). An enumeration has that of its numbers.
func (d *Dataset) datatype(c *cursor) error {
	class := c.u8() & 15
	flags := c.take(3)
	d.class, d.size, d.signed = class, int(c.u32()), flags[0]&8 != 0
	known := false
	switch class {
	case integerClass:
		known = flags[0]&1 == 0 && (d.size == 1 || d.size == 2 || d.size == 4 || d.size == 8)
	case floatClass:
		known = flags[0]&0x41 == 0
	case stringClass:
		known = true
	case referenceClass:
		known = flags[0]&15 == 0 && d.size == 8
	case variableClass:
		known = flags[0]&15 == 1 && d.size == 16
	case enumClass:
		if len(c.b) > 0 && c.b[0]&15 == integerClass {
			return d.datatype(c)
		}
	}
	if c.err == nil && (!known || d.size < 1 || d.size > 1<<24) {
		return faultf("datatype: class %d, flags %#x, %d bytes: want little-endian integers or floats, strings or "+
			"references", class, flags[0], d.size)
	}
	return c.err
}

// place reads where the elements are (IV.A.2.i).
func (d *Dataset) place(c *cursor) error {
	if version := c.u8(); version != 3 {
		return faultf("layout: version %d %s", version, unread)
	}
	switch d.layout = c.u8(); d.layout {
	case compactLayout:
		d.data = c.take(int(c.u16()))
	case contiguousLayout:
		d.address = c.u64() // its size is that of the elements
	case chunkedLayout:
		rank := int(c.u8()) - 1 // the last one is the element
		d.address = c.u64()
		for range rank {
			n := int(c.u32())
			if c.err == nil && n == 0 {
				return faultf("layout: got a chunk with a side of 0")
			}
			d.chunk = append(d.chunk, n)
		}
	default:
		return faultf("layout: class %d %s", d.layout, unread)
	}
	return c.err
}

// Filters (IV.A.2.l).
const (
	deflateFilter  = 1
	shuffleFilter  = 2
	checksumFilter = 3 // four bytes at the end of a chunk
)

// filters reads what was done to chunks when they were written (IV.A.2.l).
func (d *Dataset) filters(c *cursor) error {
	version, n := c.u8(), c.u8()
	if version != 1 {
		return faultf("filters: version %d %s", version, unread)
	}
	c.take(6)
	for range n {
		id, name, _, values := c.u16(), int(c.u16()), c.u16(), int(c.u16())
		if c.take((name+7)&^7 + 4*(values+values&1)); c.err != nil {
			return c.err
		}
		if id < deflateFilter || id > checksumFilter {
			return faultf("filters: number %d is not read: write the dataset with gzip compression or none", id)
		}
		d.steps = append(d.steps, id)
	}
	return nil
}

// Len is the number of elements.
func (d *Dataset) Len() int {
	n := 1
	for _, k := range d.Shape {
		if k > 0 && n > math.MaxInt/k {
			return math.MaxInt
		}
		n *= k
	}
	if d.null {
		return 0
	}
	return n
}

// raw returns the bytes of all elements.
func (d *Dataset) raw() ([]byte, error) {
	d.f.begin()
	n := d.Len()
	if int64(n) > d.f.MaxRead/int64(d.size) {
		return nil, faultf("dataset of shape %v: more than %d bytes", d.Shape, d.f.MaxRead)
	}
	size := n * d.size
	switch {
	case size == 0:
		return nil, nil
	case d.layout == compactLayout:
		if len(d.data) < size {
			return nil, faultf("dataset of shape %v: got %d bytes, want %d", d.Shape, len(d.data), size)
		}
		return d.data[:size], nil
	case d.layout == contiguousLayout && d.address != undefined:
		return d.f.read(d.address, size)
	}
	out := make([]byte, size)
	missing := size
	if d.layout == chunkedLayout && d.address != undefined {
		var err error
		if missing, err = d.chunks(out); err != nil {
			return nil, err
		}
	}
	if missing > 0 && d.filled {
		return nil, faultf("dataset of shape %v: elements that were not written have a value other than 0, which is not read", d.Shape)
	}
	return out, nil
}

// chunks puts the chunks that there are into out (III.A.1), and returns how many bytes of it are
// left.
func (d *Dataset) chunks(out []byte) (missing int, err error) {
	rank, bytes, grid := len(d.Shape), d.size, 1 // of a chunk; how many there are
	if len(d.chunk) != rank {
		return 0, faultf("layout: chunks have %d dimensions, the dataset %d", len(d.chunk), rank)
	}
	for k, n := range d.chunk {
		across := (d.Shape[k] + n - 1) / n
		if int64(n) > d.f.MaxRead/int64(bytes) || int64(grid) > d.f.MaxRead/int64(bytes)/int64(n)/int64(across) {
			return 0, faultf("layout: chunks of shape %v exceed %d bytes", d.chunk, d.f.MaxRead)
		}
		bytes *= n
		grid *= across
	}
	missing = len(out)
	err = d.f.tree(d.address, 1, -1, 8+8*(rank+1), func(key *cursor, at uint64) error {
		size, skipped := int(key.u32()), key.u32()
		origin := make([]int, rank)
		for k := range origin {
			o := key.u64()
			if o >= uint64(d.Shape[k]) { // left over from a larger shape
				return nil
			}
			if origin[k] = int(o); origin[k]%d.chunk[k] != 0 {
				return faultf("chunk at %#x: got origin %v, chunks have shape %v", at, origin[:k+1], d.chunk)
			}
		}
		if grid--; grid < 0 {
			return faultf("chunk at %#x: more chunks than the shape %v has", at, d.Shape)
		}
		b, err := d.f.read(at, size)
		for i := len(d.steps) - 1; i >= 0 && err == nil; i-- {
			switch step := d.steps[i]; {
			case skipped>>i&1 != 0:
			case step == deflateFilter:
				b, err = inflate(b, bytes+4)
			case step == shuffleFilter:
				b = unshuffle(b, d.size)
			default:
				b = b[:max(len(b)-4, 0)]
			}
		}
		if err == nil && len(b) != bytes {
			err = faultf("chunk at %#x: got %d bytes, want %d", at, len(b), bytes)
		}
		if err == nil {
			missing -= d.copy(out, b, origin, 0)
		}
		return err
	})
	return missing, err
}

// inflate returns the content of a chunk, which has at most so many bytes.
func inflate(b []byte, most int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, faultf("chunk: %v", err)
	}
	out := make([]byte, most)
	n, err := io.ReadFull(z, out)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, faultf("chunk: %v", err)
	}
	return out[:n], nil
}

// unshuffle brings the bytes of every element together again.
func unshuffle(b []byte, size int) []byte {
	n := len(b) / size
	out := make([]byte, n*size)
	for i := range out {
		out[i] = b[i%size*n+i/size]
	}
	return out
}

// copy puts the part of a chunk that lies inside the dataset into out, from dimension k on, and
// returns how many bytes that were.
func (d *Dataset) copy(out, chunk []byte, origin []int, k int) (n int) {
	if k == len(origin) {
		return copy(out, chunk[:d.size])
	}
	to, from := d.size, d.size // bytes of one step
	for i := k + 1; i < len(origin); i++ {
		to, from = to*d.Shape[i], from*d.chunk[i]
	}
	count := min(d.chunk[k], d.Shape[k]-origin[k])
	if k == len(origin)-1 {
		return copy(out[origin[k]*to:], chunk[:count*from])
	}
	for i := range count {
		n += d.copy(out[(origin[k]+i)*to:], chunk[i*from:], origin, k+1)
	}
	return n
}

// each reads all elements, which must be of one of these classes, and hands them to use in turn.
func (d *Dataset) each(want string, use func(e []byte) error, classes ...uint8) error {
	if !slices.Contains(classes, d.class) {
		return faultf("dataset of class %d: want %s", d.class, want)
	}
	b, err := d.raw()
	for e := range slices.Chunk(b, d.size) {
		if err == nil {
			err = use(e)
		}
	}
	return err
}

// Ints returns integers.
func (d *Dataset) Ints() (out []int64, err error) {
	shift := 64 - 8*d.size
	err = d.each("integers", func(e []byte) error {
		var wide [8]byte
		copy(wide[:], e)
		v := int64(le.Uint64(wide[:]))
		if d.signed {
			v = v << shift >> shift
		}
		out = append(out, v)
		return nil
	}, integerClass)
	return out, err
}

// Bytes returns integers of one byte.
func (d *Dataset) Bytes() ([]byte, error) {
	if d.class != integerClass || d.size != 1 {
		return nil, faultf("dataset of class %d and size %d: want single bytes", d.class, d.size)
	}
	return d.raw()
}

// Strings returns strings of fixed or any length, without what pads them.
func (d *Dataset) Strings() (out []string, err error) {
	err = d.each("strings", func(e []byte) (err error) {
		s := strings.TrimRight(cString(e), " ")
		if d.class == variableClass {
			s, err = d.f.variableString(e)
		}
		out = append(out, s)
		return err
	}, stringClass, variableClass)
	return out, err
}

// variableString reads a string whose element holds its length and its place in a collection of the
// global heap (III.E and IV.A.2.d, class 9).
func (f *File) variableString(e []byte) (string, error) {
	n, at, index := int(le.Uint32(e)), le.Uint64(e[4:]), le.Uint32(e[12:])
	if n == 0 || at == 0 || at == undefined {
		return "", nil
	}
	if f.heap == nil || f.heapAt != at {
		if err := f.readHeap(at); err != nil {
			return "", err
		}
	}
	b, ok := f.heap[uint16(index)]
	if !ok || n > len(b) {
		return "", faultf("global heap at %#x: no object %d of %d bytes", at, index, n)
	}
	return cString(b[:n]), nil
}

// readHeap reads one collection and keeps it until another is needed: strings written together lie
// together.
func (f *File) readHeap(at uint64) error {
	c := f.block(at, 16, "GCOL")
	c.take(4)
	size := c.size(min(f.size, f.MaxRead))
	if c.err != nil {
		return c.err
	}
	c = f.block(at, size, "GCOL")
	c.take(12)
	f.heap, f.heapAt = map[uint16][]byte{}, at
	for c.err == nil && len(c.b) >= objectPrefix {
		index := c.u16()
		c.take(6)
		if index == 0 {
			break // the free space at the end
		}
		n := c.size(f.size)
		f.heap[index] = c.take(n)
		c.take(min(-n&7, len(c.b)))
	}
	return c.err
}

// A Ref points to an object of the same file.
type Ref uint64

// Refs returns references to objects.
func (d *Dataset) Refs() (out []Ref, err error) {
	err = d.each("references", func(e []byte) error {
		out = append(out, Ref(le.Uint64(e)))
		return nil
	}, referenceClass)
	return out, err
}

// Deref opens the dataset that a reference points to.
func (f *File) Deref(r Ref) (*Dataset, error) {
	f.begin()
	return f.dataset(uint64(r))
}
