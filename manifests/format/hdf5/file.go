// Package hdf5 reads the parts of HDF5 that data sets of pictures use: groups of any size, datasets of numbers, strings and
// references, contiguous or in chunks, plain or deflated. It follows the HDF5 File Format Specification, version 3.0
// ("spec" below). It reads what h5py, MATLAB 7.3 and the HDF5 library write by default and in their newest format; what it does not
// know it refuses by name. Checksums are not verified.
package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ErrFormat is wrapped by every error about a file's content.
var ErrFormat = errors.New("hdf5")

func faultf(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
}

// A File is an open HDF5 file. It caches the names of groups that were looked into; apart from that, any number of
// datasets can be read one after another in constant memory. It is not safe for concurrent use.
type File struct {
	r          io.ReaderAt
	size       int64 // of the whole file
	base       int64 // to which addresses are relative
	offsetSize int
	lengthSize int
	root       uint64
	groups     map[uint64]map[string]uint64
	MaxRead    int64 // largest dataset that is read, in bytes; default 1 GiB
	heapAt     uint64
	heap       map[uint32][]byte // the global heap collection read last
	work       int64             // bytes read for the call that is under way
}

const signature = "\x89HDF\r\n\x1a\n"

// undefined is the address of what is not there.
const undefined = ^uint64(0)

// Open reads the superblock of a file of the given size, at its begin or after a user block (spec II.A).
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size, groups: map[uint64]map[string]uint64{}, MaxRead: 1 << 30}
	for at := int64(0); at+96 <= size || at == 0; at = max(512, 2*at) {
		b := make([]byte, 8)
		if _, err := r.ReadAt(b, at); err != nil {
			break
		}
		if string(b) == signature {
			f.base = at
			return f, f.superblock()
		}
	}
	return nil, faultf("got no signature")
}

func (f *File) superblock() error {
	b, err := f.read(8, 1)
	if err != nil {
		return err
	}
	version := b[0]
	n := 88
	if version >= 2 {
		n = 40
	}
	if b, err = f.read(8, n); err != nil {
		return err
	}
	c := &cursor{f: f, b: b, what: "superblock"}
	c.skip(1)
	switch version {
	case 0, 1:
		c.skip(4)
		f.offsetSize, f.lengthSize = int(c.u8()), int(c.u8())
		c.skip(1 + 2 + 2 + 4)
		if version == 1 {
			c.skip(4)
		}
	case 2, 3:
		f.offsetSize, f.lengthSize = int(c.u8()), int(c.u8())
		c.skip(1)
	default:
		return faultf("superblock: version %d is not supported", version)
	}
	for _, s := range []int{f.offsetSize, f.lengthSize} {
		if s != 4 && s != 8 {
			return faultf("superblock: got addresses of %d and lengths of %d bytes, want 4 or 8", f.offsetSize, f.lengthSize)
		}
	}
	base := int64(c.offset())
	c.offset() // free space, or the superblock's extension
	c.offset() // end of file
	if version < 2 {
		c.offset() // driver information
		c.offset() // root group's symbol table entry: name
	}
	f.root = c.offset()
	if c.err != nil {
		return c.err
	}
	// The base address is the place of the superblock, unless a user block was put before the file afterwards.
	if base != f.base && base < f.size && base >= 0 && f.base == 0 {
		f.base = base
	}
	return nil
}

// begin starts the account of what one call reads. A damaged file can lead in circles, or from many places to one: what a call may
// read is bounded by a multiple of the file's size, which no sound file comes near.
func (f *File) begin() { f.work = 0 }

// read returns n bytes at an address.
func (f *File) read(address uint64, n int) ([]byte, error) {
	if f.work += 64 + int64(n); f.work > 16<<20+16*f.size {
		return nil, faultf("address %#x: one call reads far more than the file's %d bytes: it leads in circles", address, f.size)
	}
	at := int64(address) + f.base
	if n < 0 || address > uint64(f.size) || at < 0 || int64(n) > f.size-at {
		return nil, faultf("address %#x: want %d bytes of a file of %d", address, n, f.size)
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("%w: address %#x: %w", ErrFormat, address, err)
	}
	return b, nil
}

// at returns a cursor over n bytes at an address, fewer at the end of the file.
func (f *File) at(address uint64, n int, what string) *cursor {
	if left := f.size - f.base - int64(address); address <= uint64(f.size) && int64(n) > left {
		n = int(max(left, 0))
	}
	b, err := f.read(address, n)
	return &cursor{f: f, b: b, what: fmt.Sprintf("%s at %#x", what, address), err: err}
}

// A cursor reads little-endian fields; after the end it delivers zeros and keeps an error.
type cursor struct {
	f    *File
	b    []byte
	pos  int
	what string
	err  error
}

func (c *cursor) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.b)-c.pos) {
		c.err = faultf("%s: cut short", c.what)
	}
	if c.err != nil {
		return make([]byte, min(max(n, 0), 16))
	}
	c.pos += n
	return c.b[c.pos-n : c.pos]
}

func (c *cursor) skip(n int) { c.take(n) }
func (c *cursor) u8() uint8  { return c.take(1)[0] }
func (c *cursor) u16() uint16 {
	return binary.LittleEndian.Uint16(c.take(2))
}
func (c *cursor) u32() uint32    { return binary.LittleEndian.Uint32(c.take(4)) }
func (c *cursor) offset() uint64 { return c.uint(c.f.offsetSize) }
func (c *cursor) length() uint64 { return c.uint(c.f.lengthSize) }

// uint reads a number of 0 to 8 bytes; all ones in an address mean undefined.
func (c *cursor) uint(n int) uint64 {
	if n < 0 || n > 8 {
		c.err = faultf("%s: got a number of %d bytes", c.what, n)
		return 0
	}
	var b [8]byte
	copy(b[:], c.take(n))
	v := binary.LittleEndian.Uint64(b[:])
	if n == 4 && n == c.f.offsetSize && v == 1<<32-1 {
		return undefined
	}
	return v
}

// magic checks a block's four-letter signature.
func (c *cursor) magic(want string) {
	if got := c.take(4); c.err == nil && string(got) != want {
		c.err = faultf("%s: got signature %q, want %s", c.what, got, want)
	}
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
	names := make([]string, 0, len(g))
	for n := range g {
		names = append(names, n)
	}
	slices.Sort(names)
	return names, nil
}

// ErrNotFound is wrapped when a group has no member of a name.
var ErrNotFound = errors.New("not found")

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
