package hdf5

import "encoding/binary"

// A Class is the kind of a dataset's elements.
type Class uint8

// The classes that can be read (spec IV.A.2.d); an enumeration has the class of its numbers.
const (
	Integer   Class = 0
	Float     Class = 1
	String    Class = 3
	Reference Class = 7
	enum      Class = 8
	variable  Class = 9
)

// A Type says how an element is stored.
type Type struct {
	Class    Class
	Size     int  // bytes; of a variable string those of its pointer
	Signed   bool // of an Integer
	Variable bool // a String of any length, in a heap
	order    binary.ByteOrder
}

// datatype parses a datatype message.
func datatype(b []byte, depth int) (Type, error) {
	if len(b) < 8 || depth > 4 {
		return Type{}, faultf("datatype: cut short")
	}
	class := Class(b[0] & 15)
	flags := b[1]
	t := Type{Class: class, Size: int(binary.LittleEndian.Uint32(b[4:])), order: binary.LittleEndian}
	if t.Size <= 0 || t.Size > 1<<24 {
		return Type{}, faultf("datatype: got elements of %d bytes", t.Size)
	}
	if flags&1 != 0 {
		t.order = binary.BigEndian
	}
	switch class {
	case Integer:
		t.Signed = flags&8 != 0
		if t.Size != 1 && t.Size != 2 && t.Size != 4 && t.Size != 8 {
			return Type{}, faultf("datatype: integers of %d bytes are not supported", t.Size)
		}
	case Float:
		if t.Size != 4 && t.Size != 8 || flags&0x40 != 0 {
			return Type{}, faultf("datatype: floats of %d bytes are not supported", t.Size)
		}
	case String:
	case Reference:
		if flags&15 != 0 {
			return Type{}, faultf("datatype: references to regions are not supported")
		}
	case enum:
		return datatype(b[8:], depth+1)
	case variable:
		if flags&15 != 1 {
			return Type{}, faultf("datatype: sequences of any length are not supported")
		}
		t.Class, t.Variable = String, true
	default:
		return Type{}, faultf("datatype: class %d is not supported", class)
	}
	return t, nil
}

// dataspace parses a dataspace message: the shape, empty for a single value; null tells that there is no value.
func dataspace(c *cursor) (shape []int, null bool, err error) {
	version, rank, flags := c.u8(), int(c.u8()), c.u8()
	_ = flags // maximal sizes follow the sizes and are not needed
	switch version {
	case 1:
		c.skip(5)
	case 2:
		null = c.u8() == 2
	default:
		return nil, false, faultf("dataspace: version %d is not supported", version)
	}
	if rank > 32 {
		return nil, false, faultf("dataspace: got %d dimensions", rank)
	}
	shape = []int{}
	for range rank {
		n := c.length()
		if n > 1<<40 {
			return nil, false, faultf("dataspace: got a dimension of %d", n)
		}
		shape = append(shape, int(n))
	}
	return shape, null, c.err
}
