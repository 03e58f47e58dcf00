package hdf5

import "math/bits"

// denseLinks reads the links of a large group of the newer kind: a B-tree (version 2) of heap ids, link messages in a
// fractal heap (spec III.A.2, III.G).
func (f *File) denseLinks(heap, index uint64, g map[string]uint64) error {
	h, err := f.fractalHeap(heap)
	if err != nil {
		return err
	}
	return f.tree2(index, func(record []byte) error {
		if len(record) < 4+1 {
			return faultf("link index: got a record of %d bytes", len(record))
		}
		b, err := h.object(record[4:]) // after the hash of the name
		if err != nil {
			return err
		}
		return f.link(b, g)
	})
}

// tree2 calls visit for every record of a B-tree of version 2.
func (f *File) tree2(address uint64, visit func(record []byte) error) error {
	c := f.at(address, 16+f.offsetSize+2+f.lengthSize+4, "b-tree header")
	c.magic("BTHD")
	c.skip(2)
	t := tree2{f: f, nodeSize: int(c.u32()), recordSize: int(c.u16()), visit: visit}
	depth := int(c.u16())
	c.skip(2)
	root, n := c.offset(), int(c.u16())
	if c.err != nil {
		return c.err
	}
	if t.recordSize == 0 || t.nodeSize < 10+t.recordSize || t.nodeSize > 1<<24 || depth > 32 {
		return faultf("b-tree at %#x: got nodes of %d bytes, records of %d, depth %d", address, t.nodeSize, t.recordSize, depth)
	}
	if root == undefined {
		return nil
	}
	// How many bytes the counts in child pointers take follows from how many records can be below (spec III.A.2).
	most := uint64((t.nodeSize - 10) / t.recordSize)
	t.countSize = encodedSize(most)
	t.totalSize = []int{0}
	below := most
	for d := 1; d <= depth; d++ {
		pointer := f.offsetSize + t.countSize + t.totalSize[d-1]
		here := uint64((t.nodeSize - 10 - pointer) / (t.recordSize + pointer))
		below = (here+1)*below + here
		t.totalSize = append(t.totalSize, encodedSize(below))
	}
	return t.node(root, depth, n)
}

type tree2 struct {
	f                    *File
	nodeSize, recordSize int
	countSize            int
	totalSize            []int // by depth; of the leaves 0: their count says it
	visit                func([]byte) error
	visited              int
}

func (t *tree2) node(address uint64, depth, n int) error {
	if t.visited++; t.visited > 1<<24 {
		return faultf("b-tree: more than %d nodes", t.visited)
	}
	c := t.f.at(address, t.nodeSize, "b-tree node")
	if depth == 0 {
		c.magic("BTLF")
	} else {
		c.magic("BTIN")
	}
	c.skip(2)
	for range n {
		r := c.take(t.recordSize)
		if c.err != nil {
			return c.err
		}
		if err := t.visit(r); err != nil {
			return err
		}
	}
	for i := 0; depth > 0 && i <= n; i++ {
		child := c.offset()
		count := int(c.uint(t.countSize))
		if depth > 1 {
			c.skip(t.totalSize[depth-1])
		}
		if c.err != nil {
			return c.err
		}
		if err := t.node(child, depth-1, count); err != nil {
			return err
		}
	}
	return c.err
}

// encodedSize is how many bytes the library takes for numbers up to v.
func encodedSize(v uint64) int { return (bits.Len64(v)-1)/8 + 1 }

// A fractalHeap holds objects of any length in blocks that double in size from row to row.
type fractalHeap struct {
	f                     *File
	width                 int
	start, maxDirect      uint64
	offsetBytes, lenBytes int
	root                  uint64
	rows                  int // of the root indirect block; 0: the root is a direct block

}

func (f *File) fractalHeap(address uint64) (*fractalHeap, error) {
	c := f.at(address, 22+12*f.lengthSize+3*f.offsetSize+12, "fractal heap")
	c.magic("FRHP")
	c.skip(1)
	idLen := int(c.u16())
	filters := c.u16()
	c.skip(1)
	maxManaged := uint64(c.u32())
	c.length()
	c.offset()
	c.length()
	c.offset()
	for range 8 {
		c.length()
	}
	h := &fractalHeap{f: f, width: int(c.u16()), start: c.length(), maxDirect: c.length()}
	heapBits := int(c.u16())
	c.skip(2)
	h.root, h.rows = c.offset(), int(c.u16())
	if c.err != nil {
		return nil, c.err
	}
	if filters != 0 {
		return nil, faultf("fractal heap at %#x: filters are not supported", address)
	}
	h.offsetBytes = (heapBits + 7) / 8
	h.lenBytes = min(encodedSize(h.maxDirect), (bits.Len64(maxManaged)-1+7)/8)
	ok := h.width > 0 && h.start > 0 && bits.OnesCount64(h.start) == 1 && bits.OnesCount64(h.maxDirect) == 1 && h.maxDirect >= h.start &&
		h.maxDirect <= 1<<30 && h.offsetBytes <= 8 && h.lenBytes > 0 && h.lenBytes <= 8 && 1+h.offsetBytes+h.lenBytes <= idLen && h.rows < 64
	if !ok {
		return nil, faultf("fractal heap at %#x: got a table of width %d, blocks of %d to %d bytes, %d rows, ids of %d bytes", address, h.width, h.start, h.maxDirect, h.rows, idLen)
	}
	return h, nil
}

// object returns the bytes of a heap id (spec III.G).
func (h *fractalHeap) object(id []byte) ([]byte, error) {
	c := &cursor{f: h.f, b: id, what: "heap id"}
	switch kind := c.u8() >> 4 & 3; kind {
	case 0: // managed
		offset, n := c.uint(h.offsetBytes), c.uint(h.lenBytes)
		if c.err != nil {
			return nil, c.err
		}
		return h.managed(h.root, h.rows, 0, offset, n, 0)
	case 2: // tiny: in the id itself
		return id[1:min(len(id), 2+int(id[0]&15))], nil
	default:
		return nil, faultf("heap id: objects of kind %d are not supported", kind)
	}
}

// rowSize is the size of the blocks of a row.
func (h *fractalHeap) rowSize(row int) uint64 { return h.start << max(row-1, 0) }

// managed finds n bytes at an offset of the heap's space in a block that begins at first: a direct one, or with rows > 0 an
// indirect one with so many rows of blocks.
func (h *fractalHeap) managed(block uint64, rows int, first, offset, n uint64, depth int) ([]byte, error) {
	if block == undefined || depth > 16 {
		return nil, faultf("fractal heap: nothing at offset %d", offset)
	}
	if rows == 0 {
		b, err := h.direct(block, offset-first, n)
		return b, err
	}
	c := h.f.at(block, 5+h.f.offsetSize+h.offsetBytes, "indirect block")
	c.magic("FHIB")
	if c.err != nil {
		return nil, c.err
	}
	entries := block + uint64(5+h.f.offsetSize+h.offsetBytes)
	at := first
	for row := range rows {
		size := h.rowSize(row)
		if size == 0 || size > 1<<62 {
			break
		}
		if offset >= at+uint64(h.width)*size {
			at += uint64(h.width) * size
			continue
		}
		k := (offset - at) / size
		e := h.f.at(entries+(uint64(row*h.width)+k)*uint64(h.f.offsetSize), h.f.offsetSize, "indirect block")
		child := e.offset()
		if e.err != nil {
			return nil, e.err
		}
		childRows := 0
		if size > h.maxDirect {
			// An indirect child of this size has as many rows as it takes to fill it.
			childRows = bits.Len64(size) - bits.Len64(h.start*uint64(h.width)) + 1
			if childRows < 1 || childRows >= 64 {
				return nil, faultf("fractal heap: got a block of %d bytes", size)
			}
		}
		return h.managed(child, childRows, at+k*size, offset, n, depth+1)
	}
	return nil, faultf("fractal heap: nothing at offset %d", offset)
}

// direct reads from a direct block; offsets count from its very begin.
func (h *fractalHeap) direct(block, offset, n uint64) ([]byte, error) {
	if n > h.maxDirect || offset > h.maxDirect {
		return nil, faultf("fractal heap: got %d bytes at %d of a block", n, offset)
	}
	return h.f.read(block+offset, int(n))
}
