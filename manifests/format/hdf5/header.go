package hdf5

// The types of header messages that this package reads (spec IV.A.2).
const (
	msgDataspace    = 0x01
	msgLinkInfo     = 0x02
	msgDatatype     = 0x03
	msgFill         = 0x05
	msgLink         = 0x06
	msgLayout       = 0x08
	msgFilters      = 0x0b
	msgContinuation = 0x10
	msgSymbolTable  = 0x11
)

// A message is one header message; shared ones hold the address of the object that has it.
type message struct {
	kind   uint16
	shared bool
	data   []byte
}

// maxMessages bounds the messages of one object and with it the work on a damaged file. A compact group has up to 8 links by
// default, and writers may raise that to 65,535.
const maxMessages = 1 << 17

// header reads the messages of the object at an address, of either version (spec IV.A.1).
func (f *File) header(address uint64) ([]message, error) {
	b, err := f.read(address, 4)
	if err != nil {
		return nil, err
	}
	if string(b) == "OHDR" {
		return f.header2(address)
	}
	c := f.at(address, 16, "object header")
	if v := c.u8(); v != 1 {
		return nil, faultf("object header at %#x: version %d is not supported", address, v)
	}
	c.skip(7)
	size := c.u32()
	if c.err != nil {
		return nil, c.err
	}
	return f.messages(address+16, int(size), func(c *cursor) (m message, n int) {
		m.kind = c.u16()
		n = int(c.u16())
		m.shared = c.u8()&2 != 0
		c.skip(3)
		return m, n
	}, 0)
}

func (f *File) header2(address uint64) ([]message, error) {
	c := f.at(address, 64, "object header")
	c.magic("OHDR")
	if v := c.u8(); v != 2 {
		return nil, faultf("object header at %#x: version %d is not supported", address, v)
	}
	flags := c.u8()
	if flags&0x20 != 0 {
		c.skip(16) // times
	}
	if flags&0x10 != 0 {
		c.skip(4) // when attributes become dense
	}
	size := c.uint(1 << (flags & 3))
	if c.err != nil {
		return nil, c.err
	}
	if size > uint64(f.size) {
		return nil, faultf("object header at %#x: got %d bytes", address, size)
	}
	return f.messages(address+uint64(c.pos), int(size), func(c *cursor) (m message, n int) {
		m.kind = uint16(c.u8())
		n = int(c.u16())
		m.shared = c.u8()&2 != 0
		if flags&4 != 0 {
			c.skip(2) // order of creation
		}
		return m, n
	}, 4)
}

// messages reads the messages of a block and of the blocks that continue it. frame is what continuation blocks have on either side:
// a signature and a checksum.
func (f *File) messages(address uint64, size int, next func(*cursor) (message, int), frame int) ([]message, error) {
	type block struct {
		at   uint64
		size int
	}
	var out []message
	blocks := []block{{address, size}}
	for i := 0; i < len(blocks); i++ {
		if i > 1<<16 {
			return nil, faultf("object header at %#x: more than %d continuations", address, i)
		}
		b, err := f.read(blocks[i].at, blocks[i].size)
		if err != nil {
			return nil, err
		}
		c := &cursor{f: f, b: b, what: "object header"}
		for len(c.b)-c.pos >= 4 {
			m, n := next(c)
			if c.err != nil || n > len(c.b)-c.pos {
				break // the gap at the end of a block is shorter than a message
			}
			m.data = c.take(n)
			if m.kind == msgContinuation {
				k := &cursor{f: f, b: m.data, what: "continuation"}
				at, size := k.offset(), k.length()
				if k.err != nil {
					return nil, k.err
				}
				if size > uint64(f.size) || int(size) < 2*frame {
					return nil, faultf("continuation at %#x: got %d bytes", at, size)
				}
				blocks = append(blocks, block{at + uint64(frame), int(size) - 2*frame})
				continue
			}
			if out = append(out, m); len(out) > maxMessages {
				return nil, faultf("object header at %#x: more than %d messages", address, maxMessages)
			}
		}
	}
	return out, nil
}
