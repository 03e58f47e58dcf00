package hdf5

import (
	"encoding/binary"
	"math"
)

// A Dataset is an array of one type. Methods read it whole, in C order: the last dimension varies fastest.
type Dataset struct {
	Shape   []int // empty for a single value
	Type    Type
	f       *File
	null    bool
	layout  layout
	filters []filter
	fill    []byte
}

// dataset reads an object header that must be one of a dataset.
func (f *File) dataset(address uint64) (*Dataset, error) {
	messages, err := f.header(address)
	if err != nil {
		return nil, err
	}
	d := &Dataset{f: f}
	var place []byte
	space, typed := false, false
	for _, m := range messages {
		c := &cursor{f: f, b: m.data, what: "dataset"}
		switch m.kind {
		case msgDataspace:
			d.Shape, d.null, c.err = dataspace(c)
			space = true
		case msgDatatype:
			b := m.data
			if m.shared {
				b, c.err = f.sharedDatatype(m.data)
			}
			if c.err == nil {
				d.Type, c.err = datatype(b, 0)
			}
			typed = true
		case msgLayout:
			place = m.data
		case msgFilters:
			d.filters, c.err = parseFilters(c)
		case msgFill:
			d.fill = fillValue(m.data)
		}
		if c.err != nil {
			return nil, c.err
		}
	}
	if !space || !typed || place == nil {
		return nil, faultf("object at %#x is not a dataset", address)
	}
	d.layout, err = parseLayout(&cursor{f: f, b: place, what: "layout"}, d.Type.Size)
	return d, err
}

// sharedDatatype follows a message that only names the object with the type (spec IV.A.2: shared messages).
func (f *File) sharedDatatype(b []byte) ([]byte, error) {
	c := &cursor{f: f, b: b, what: "shared message"}
	version := c.u8()
	c.skip(1)
	if version == 1 {
		c.skip(6)
	}
	at := c.offset()
	if c.err != nil {
		return nil, c.err
	}
	messages, err := f.header(at)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if m.kind == msgDatatype && !m.shared {
			return m.data, nil
		}
	}
	return nil, faultf("object at %#x is not a datatype", at)
}

// fillValue returns what elements have that were never written, nil for zeros (spec IV.A.2.f).
func fillValue(b []byte) []byte {
	if len(b) < 2 {
		return nil
	}
	at := 0
	switch version := b[0]; {
	case version == 1 || version == 2 && len(b) > 3 && b[3] != 0:
		at = 4
	case version == 3 && b[1]&0x20 != 0:
		at = 2
	default:
		return nil
	}
	if len(b) < at+4 {
		return nil
	}
	n := int(binary.LittleEndian.Uint32(b[at:]))
	if n <= 0 || n > len(b)-at-4 {
		return nil
	}
	return b[at+4 : at+4+n]
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
	if int64(n) > d.f.MaxRead/int64(d.Type.Size) {
		return nil, faultf("dataset of shape %v: more than %d bytes", d.Shape, d.f.MaxRead)
	}
	size := n * d.Type.Size
	switch d.layout.class {
	case 0:
		if len(d.layout.data) < size {
			return nil, faultf("dataset of shape %v: got %d bytes, want %d", d.Shape, len(d.layout.data), size)
		}
		return d.layout.data[:size], nil
	case 1:
		if d.layout.address != undefined && size > 0 {
			if uint64(size) > d.layout.size {
				return nil, faultf("dataset of shape %v: got %d bytes, want %d", d.Shape, d.layout.size, size)
			}
			return d.f.read(d.layout.address, size)
		}
	}
	out := make([]byte, size)
	if len(d.fill) == d.Type.Size {
		for i := 0; i < size; i += len(d.fill) {
			copy(out[i:], d.fill)
		}
	}
	if d.layout.class == 2 && size > 0 {
		return out, d.chunked(out)
	}
	return out, nil
}
