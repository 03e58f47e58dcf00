package hdf5

// group returns the addresses of a group's members by name, whichever of three ways it keeps them: a symbol table, link
// messages, or links in a heap.
func (f *File) group(address uint64) (map[string]uint64, error) {
	if g, ok := f.groups[address]; ok {
		return g, nil
	}
	messages, err := f.header(address)
	if err != nil {
		return nil, err
	}
	g := map[string]uint64{}
	isGroup := false
	for _, m := range messages {
		c := &cursor{f: f, b: m.data, what: "group"}
		switch m.kind {
		case msgSymbolTable:
			isGroup = true
			tree, heap := c.offset(), c.offset()
			if c.err == nil {
				c.err = f.symbolTable(tree, heap, g)
			}
		case msgLinkInfo:
			isGroup = true
			c.skip(1)
			if flags := c.u8(); flags&1 != 0 {
				c.skip(8)
			}
			heap, index := c.offset(), c.offset()
			if c.err == nil && heap != undefined {
				c.err = f.denseLinks(heap, index, g)
			}
		case msgLink:
			c.err = f.link(m.data, g)
		}
		if c.err != nil {
			return nil, c.err
		}
	}
	if !isGroup {
		return nil, faultf("object at %#x is not a group", address)
	}
	f.groups[address] = g
	return g, nil
}

// link reads one link message (spec IV.A.2.g). Only hard links lead to an object of this file; others are left out.
func (f *File) link(b []byte, g map[string]uint64) error {
	c := &cursor{f: f, b: b, what: "link"}
	c.skip(1)
	flags := c.u8()
	kind := uint8(0)
	if flags&8 != 0 {
		kind = c.u8()
	}
	if flags&4 != 0 {
		c.skip(8) // order of creation
	}
	if flags&16 != 0 {
		c.skip(1) // character set
	}
	n := c.uint(1 << (flags & 3))
	if n > uint64(len(b)) {
		return faultf("link: name: got %d bytes", n)
	}
	name := string(c.take(int(n)))
	if kind == 0 {
		at := c.offset()
		if c.err == nil {
			g[name] = at
		}
	}
	return c.err
}

// symbolTable reads a group of the oldest kind: a B-tree (version 1, type 0) of symbol nodes, names in a local heap (spec III.A.1,
// III.B, III.D).
func (f *File) symbolTable(tree, heap uint64, g map[string]uint64) error {
	c := f.at(heap, 8+2*f.lengthSize+f.offsetSize, "local heap")
	c.magic("HEAP")
	c.skip(4)
	size := c.length()
	c.length()
	data := c.offset()
	if c.err != nil {
		return c.err
	}
	if size > uint64(f.size) {
		return faultf("local heap at %#x: got %d bytes", heap, size)
	}
	names, err := f.read(data, int(size))
	if err != nil {
		return err
	}
	return f.tree1(tree, 0, -1, func(node uint64) error { return f.symbolNode(node, names, g) })
}

// tree1 calls leaf for every child of the lowest nodes of a group's B-tree. level is what the parent says, -1 at the root: it falls
// by one from node to node, so that the walk ends on any file.
func (f *File) tree1(address uint64, kind uint8, level int, leaf func(uint64) error) error {
	c := f.at(address, 8+2*f.offsetSize, "b-tree")
	c.magic("TREE")
	k, l, n := c.u8(), int(c.u8()), int(c.u16())
	if c.err != nil {
		return c.err
	}
	if k != kind || level >= 0 && l != level {
		return faultf("b-tree at %#x: got type %d level %d, want type %d level %d", address, k, l, kind, level)
	}
	c = f.at(address+uint64(8+2*f.offsetSize), n*(f.lengthSize+f.offsetSize), "b-tree")
	for range n {
		c.length()
		child := c.offset()
		if c.err != nil {
			return c.err
		}
		err := error(nil)
		if l > 0 {
			err = f.tree1(child, kind, l-1, leaf)
		} else {
			err = leaf(child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *File) symbolNode(address uint64, names []byte, g map[string]uint64) error {
	c := f.at(address, 8, "symbol node")
	c.magic("SNOD")
	c.skip(2)
	n := int(c.u16())
	if c.err != nil {
		return c.err
	}
	entry := 2*f.offsetSize + 24
	c = f.at(address+8, n*entry, "symbol node")
	for range n {
		name, at := c.offset(), c.offset()
		kind := c.u32()
		c.skip(20)
		if c.err != nil {
			return c.err
		}
		if name >= uint64(len(names)) {
			return faultf("symbol node at %#x: name at %d of %d", address, name, len(names))
		}
		if kind == 2 { // a soft link
			continue
		}
		g[cString(names[name:])] = at
	}
	return nil
}

// cString returns the bytes before the first zero.
func cString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
