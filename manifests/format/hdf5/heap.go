package hdf5

// variableString reads a string whose element holds its length and its place in a global heap (spec III.E and IV.A.2.d: class 9).
func (f *File) variableString(e []byte) (string, error) {
	c := &cursor{f: f, b: e, what: "variable string"}
	n := int(c.u32())
	at, index := c.offset(), c.u32()
	if c.err != nil {
		return "", c.err
	}
	if n == 0 || at == 0 || at == undefined {
		return "", nil
	}
	if f.heap == nil || f.heapAt != at {
		if err := f.readHeap(at); err != nil {
			return "", err
		}
	}
	b, ok := f.heap[index]
	if !ok || n > len(b) {
		return "", faultf("global heap at %#x: no object %d of %d bytes", at, index, n)
	}
	return cString(b[:n]), nil
}

// readHeap reads one collection and keeps it until another is needed: strings written together lie together.
func (f *File) readHeap(at uint64) error {
	c := f.at(at, 8+f.lengthSize, "global heap")
	c.magic("GCOL")
	c.skip(4)
	size := c.length()
	if c.err != nil {
		return c.err
	}
	if size > uint64(f.size) || int64(size) > f.MaxRead {
		return faultf("global heap at %#x: got %d bytes", at, size)
	}
	c = f.at(at, int(size), "global heap")
	c.skip(8 + f.lengthSize)
	f.heap, f.heapAt = map[uint32][]byte{}, at
	for len(c.b)-c.pos >= 8+f.lengthSize {
		index := c.u16()
		c.skip(6)
		n := c.length()
		if index == 0 || c.err != nil {
			break // the free space at the end
		}
		if n > uint64(len(c.b)-c.pos) {
			return faultf("global heap at %#x: object %d: got %d bytes", at, index, n)
		}
		f.heap[uint32(index)] = c.take(int(n))
		if pad := int(-n & 7); pad <= len(c.b)-c.pos {
			c.skip(pad)
		}
	}
	return c.err
}
