package hdf5

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A File is an open file, not safe for concurrent use. Memory holds the names of groups that were
// looked into and one dataset.
type File struct {
	MaxRead int64 // largest dataset that is read, in bytes; default 1 GiB

	r      io.ReaderAt
	size   int64 // of the whole file
	base   int64 // addresses count from here
	root   uint64
	groups map[uint64]map[string]uint64
	heapAt uint64
	heap   map[uint16][]byte // the collection of strings that was read last
	work   int64             // bytes read for the call that is under way
}

// Open reads the superblock of a file of the given size, at its begin or after a user block (II.A).
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size, groups: map[uint64]map[string]uint64{}, MaxRead: 1 << 30}
	for ; f.base < size; f.base = max(512, 2*f.base) {
		b, err := f.read(0, 8)
		if err != nil {
			break
		}
		if string(b) == signature {
			return f, f.superblock()
		}
	}
	return nil, faultf("got no signature")
}

func (f *File) superblock() error {
	c := f.at(8, superblockSize-8, "superblock")
	version := c.u8()
	c.take(4)
	offsets, lengths := c.u8(), c.u8()
	switch {
	case c.err != nil && len(c.b) == 0:
		return c.err
	case version != 0:
		return faultf("superblock: version %d %s", version, unread)
	case offsets != 8 || lengths != 8:
		return faultf("superblock: got addresses of %d and lengths of %d bytes, want 8", offsets, lengths)
	}
	c.take(9 + 5*8) // sizes of trees, flags; addresses of the file, free space, end, drivers; name
	f.root = c.u64()
	return c.err
}

// begin starts the account of what one call reads. A damaged file can lead in circles: a call may
// read a multiple of the file's size that no sound file comes near.
func (f *File) begin() { f.work = 0 }

// read returns n bytes at an address.
func (f *File) read(address uint64, n int) ([]byte, error) {
	if f.work += 64 + int64(n); f.work > 16<<20+16*f.size {
		return nil, faultf("address %#x: one call reads far more than the file's %d bytes: it leads in circles", address, f.size)
	}
	at := f.base + int64(address)
	if n < 0 || address > uint64(f.size) || int64(n) > f.size-at {
		return nil, faultf("address %#x: want %d bytes of a file of %d", address, n, f.size)
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("%w: address %#x: %w", ErrFormat, address, err)
	}
	return b, nil
}

// at returns a cursor over n bytes at an address.
func (f *File) at(address uint64, n int, what string) *cursor {
	b, err := f.read(address, n)
	return &cursor{b: b, what: fmt.Sprintf("%s at %#x", what, address), err: err}
}

// block is at for a block that begins with a signature of four letters.
func (f *File) block(address uint64, n int, magic string) *cursor {
	c := f.at(address, n, magic)
	if got := c.take(4); c.err == nil && string(got) != magic {
		c.err = faultf("%s: got signature %q", c.what, got)
	}
	return c
}

// A cursor reads little-endian fields; after the end it delivers zeros and keeps an error.
type cursor struct {
	b    []byte // still to be read
	what string
	err  error
}

func (c *cursor) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.b)) {
		c.err = faultf("%s: cut short", c.what)
	}
	if c.err != nil {
		return make([]byte, min(max(n, 0), 16))
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) u8() uint8   { return c.take(1)[0] }
func (c *cursor) u16() uint16 { return le.Uint16(c.take(2)) }
func (c *cursor) u32() uint32 { return le.Uint32(c.take(4)) }
func (c *cursor) u64() uint64 { return le.Uint64(c.take(8)) }

// size reads a length that must fit into a file of that many bytes.
func (c *cursor) size(most int64) int {
	n := c.u64()
	if c.err == nil && n > uint64(most) {
		c.err = faultf("%s: got %d bytes in a file of %d", c.what, n, most)
		return 0
	}
	return int(n)
}

// List returns the names in a group, sorted; "" is the root.
func (f *File) List(path string) ([]string, error) {
	f.begin()
	at, err := f.find(path)
	if err != nil {
		return nil, err
	}
	g, err := f.group(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return slices.Sorted(maps.Keys(g)), nil
}

// Dataset opens the dataset at a path, a/b/c.
func (f *File) Dataset(path string) (*Dataset, error) {
	f.begin()
	at, err := f.find(path)
	if err != nil {
		return nil, err
	}
	d, err := f.dataset(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// find returns the object header's address of a path.
func (f *File) find(path string) (uint64, error) {
	at := f.root
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if part == "" {
			continue
		}
		g, err := f.group(at)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		next, ok := g[part]
		if !ok {
			return 0, fmt.Errorf("%w: %s: %w", ErrFormat, path, ErrNotFound)
		}
		at = next
	}
	return at, nil
}

// maxMessages bounds the messages of one object and with it the work on a damaged file.
const maxMessages = 1 << 16

// header reads the messages of the object at an address and of the blocks that continue it
// (IV.A.1.a).
func (f *File) header(address uint64) (out []message, err error) {
	c := f.at(address, 16, "object header")
	if bytes.HasPrefix(c.b, []byte("OHDR")) {
		return nil, faultf("object header at %#x: version 2 %s", address, unread)
	}
	if v := c.u8(); c.err == nil && v != 1 {
		return nil, faultf("object header at %#x: version %d %s", address, v, unread)
	}
	c.take(7)
	type block struct{ at, size uint64 }
	blocks := []block{{address + 16, uint64(c.u32())}}
	for len(blocks) > 0 && c.err == nil {
		if len(out)+len(blocks) > maxMessages || blocks[0].size > uint64(f.size) {
			return nil, faultf("object header at %#x: got more than %d messages, or a block of %d bytes", address,
				maxMessages, blocks[0].size)
		}
		c = f.at(blocks[0].at, int(blocks[0].size), "object header")
		blocks = blocks[1:]
		for c.err == nil && len(c.b) >= 8 {
			kind, n, flags := c.u16(), int(c.u16()), c.u8()
			c.take(3)
			m := message{kind, c.take(n)}
			switch {
			case c.err != nil:
			case kind == continuationMessage:
				k := &cursor{b: m.data, what: "continuation"}
				blocks = append(blocks, block{k.u64(), k.u64()})
				c.err = k.err
			case flags&2 != 0 && kind == datatypeMessage:
				return nil, faultf("object header at %#x: a datatype of another object %s", address, unread)
			default:
				out = append(out, m)
			}
		}
	}
	return out, c.err
}

// group returns the addresses of a group's members by name.
func (f *File) group(address uint64) (map[string]uint64, error) {
	if g, ok := f.groups[address]; ok {
		return g, nil
	}
	messages, err := f.header(address)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(messages, func(m message) bool { return m.kind == symbolTableMessage })
	if i < 0 {
		return nil, faultf("object at %#x is not a group with a symbol table; another kind %s", address, unread)
	}
	c := &cursor{b: messages[i].data, what: "symbol table"}
	tree, heap := c.u64(), c.u64()
	if c.err != nil {
		return nil, c.err
	}
	// The names lie in a local heap (III.D).
	c = f.block(heap, 32, "HEAP")
	c.take(4)
	size := c.size(f.size)
	c.take(8)
	data := c.u64()
	if c.err != nil {
		return nil, c.err
	}
	names, err := f.read(data, size)
	if err != nil {
		return nil, err
	}
	g := map[string]uint64{}
	if err := f.tree(tree, 0, -1, 8, func(_ *cursor, node uint64) error { return f.symbols(node, names, g) }); err != nil {
		return nil, err
	}
	f.groups[address] = g
	return g, nil
}

// tree calls leaf for every child of the lowest nodes of a version 1 B-tree (III.A.1) with the key
// that stands before it, of so many bytes. kind is 0 for groups, 1 for chunks. level is what a
// node's parent says, -1 at the root: it falls by one from node to node, so that the walk ends on
// any file.
func (f *File) tree(address uint64, kind uint8, level, key int, leaf func(key *cursor, child uint64) error) error {
	c := f.block(address, 24, "TREE")
	k, l, n := c.u8(), int(c.u8()), int(c.u16())
	if c.err != nil {
		return c.err
	}
	if k != kind || level >= 0 && l != level {
		return faultf("%s: got type %d level %d, want type %d level %d", c.what, k, l, kind, level)
	}
	c = f.at(address+24, n*(key+8), "TREE")
	for range n {
		before := &cursor{b: c.take(key), what: c.what}
		child := c.u64()
		err := c.err
		switch {
		case err != nil:
		case l > 0:
			err = f.tree(child, kind, l-1, key, leaf)
		default:
			err = leaf(before, child)
		}
		if err != nil {
			return err
		}
	}
	return c.err
}

// symbols reads a leaf of a group: a node of symbols (III.B). Soft links, which may lead to other
// files, are left out.
func (f *File) symbols(address uint64, names []byte, g map[string]uint64) error {
	c := f.block(address, 8, "SNOD")
	c.take(2)
	n := int(c.u16())
	if c.err != nil {
		return c.err
	}
	c = f.at(address+8, n*entrySize, "SNOD")
	for range n {
		name, at, cached := c.u64(), c.u64(), c.u32()
		c.take(20)
		if c.err == nil && name >= uint64(len(names)) {
			return faultf("%s: name at %d of %d", c.what, name, len(names))
		}
		if c.err == nil && cached != 2 {
			g[cString(names[name:])] = at
		}
	}
	return c.err
}

// cString returns the bytes before the first zero.
func cString(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}
