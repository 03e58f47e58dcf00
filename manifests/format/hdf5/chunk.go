package hdf5

// A chunkPlace is where the bytes of a chunk are.
type chunkPlace struct {
	address uint64
	size    uint64
	mask    uint32
}

// chunked assembles a dataset from its chunks. Chunks that are not there leave zeros, or the fill value.
func (d *Dataset) chunked(out []byte) error {
	l := &d.layout
	if len(l.chunk) != len(d.Shape) {
		return faultf("layout: chunks have %d dimensions, the dataset %d", len(l.chunk), len(d.Shape))
	}
	bytes, grid := d.Type.Size, 1 // of a chunk; how many there are
	for k, n := range l.chunk {
		across := (d.Shape[k] + n - 1) / n
		if int64(n) > d.f.MaxRead/int64(bytes) || int64(grid) > d.f.MaxRead/int64(bytes)/int64(n)/int64(across) {
			return faultf("layout: chunks of shape %v exceed %d bytes", l.chunk, d.f.MaxRead)
		}
		bytes *= n
		grid *= across
	}
	put := func(p chunkPlace, origin []int) error {
		if p.address == undefined {
			return nil
		}
		if grid--; grid < 0 {
			return faultf("chunk at %#x: more chunks than the shape %v has", p.address, d.Shape)
		}
		if p.size > uint64(d.f.size) {
			return faultf("chunk at %#x: got %d bytes", p.address, p.size)
		}
		b, err := d.f.read(p.address, int(p.size))
		if err == nil {
			b, err = unfilter(b, d.filters, p.mask, d.Type.Size, bytes)
		}
		if err != nil {
			return err
		}
		d.place(out, b, origin)
		return nil
	}
	if l.address == undefined {
		return nil
	}
	switch l.index {
	case 0:
		return d.chunkTree(l.address, -1, put)
	case 1:
		p := chunkPlace{l.address, l.single.size, l.single.mask}
		if p.size == 0 {
			p.size = uint64(bytes)
		}
		return put(p, make([]int, len(d.Shape)))
	case 2:
		return d.eachChunk(func(i int, origin []int) error {
			return put(chunkPlace{l.address + uint64(i)*uint64(bytes), uint64(bytes), 0}, origin)
		})
	}
	places, err := d.fixedArray(l.address, bytes)
	if err != nil {
		return err
	}
	return d.eachChunk(func(i int, origin []int) error {
		if i >= len(places) {
			return faultf("fixed array: got %d chunks", len(places))
		}
		return put(places[i], origin)
	})
}

// eachChunk counts through the grid of chunks, the last dimension fastest.
func (d *Dataset) eachChunk(visit func(i int, origin []int) error) error {
	origin := make([]int, len(d.Shape))
	for i := 0; ; i++ {
		if err := visit(i, origin); err != nil {
			return err
		}
		k := len(origin) - 1
		for ; k >= 0; k-- {
			if origin[k] += d.layout.chunk[k]; origin[k] < d.Shape[k] {
				break
			}
			origin[k] = 0
		}
		if k < 0 {
			return nil
		}
	}
}

// chunkTree walks a B-tree (version 1, type 1) of chunks (spec III.A.1).
func (d *Dataset) chunkTree(address uint64, level int, put func(chunkPlace, []int) error) error {
	f := d.f
	c := f.at(address, 8+2*f.offsetSize, "chunk tree")
	c.magic("TREE")
	kind, l, n := c.u8(), int(c.u8()), int(c.u16())
	if c.err != nil {
		return c.err
	}
	if kind != 1 || level >= 0 && l != level {
		return faultf("chunk tree at %#x: got type %d level %d, want type 1 level %d", address, kind, l, level)
	}
	rank := len(d.Shape)
	c = f.at(address+uint64(8+2*f.offsetSize), n*(8+8*(rank+1)+f.offsetSize), "chunk tree")
	origin := make([]int, rank)
	for range n {
		p := chunkPlace{size: uint64(c.u32()), mask: c.u32()}
		inside := true
		for k := range origin {
			at := c.uint(8)
			inside = inside && at < uint64(d.Shape[k]) && at%uint64(d.layout.chunk[k]) == 0
			origin[k] = int(min(at, 1<<40))
		}
		c.skip(8)
		p.address = c.offset()
		if c.err != nil {
			return c.err
		}
		err := error(nil)
		switch {
		case l > 0:
			err = d.chunkTree(p.address, l-1, put)
		case !inside: // left over from a larger shape
		default:
			err = put(p, origin)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fixedArray reads the places of all chunks (spec III.C: fixed array).
func (d *Dataset) fixedArray(address uint64, bytes int) ([]chunkPlace, error) {
	f := d.f
	c := f.at(address, 8+f.lengthSize+f.offsetSize, "fixed array")
	c.magic("FAHD")
	c.skip(1)
	filtered, entry, pageBits := c.u8() == 1, int(c.u8()), int(c.u8())
	n := c.length()
	block := c.offset()
	if c.err != nil {
		return nil, c.err
	}
	if n > uint64(f.size) || pageBits > 30 || entry < f.offsetSize || filtered && entry < f.offsetSize+5 {
		return nil, faultf("fixed array at %#x: got %d entries of %d bytes", address, n, entry)
	}
	out := make([]chunkPlace, n)
	for i := range out {
		out[i].address = undefined
	}
	if block == undefined {
		return out, nil
	}
	page := uint64(1) << pageBits
	head := 6 + f.offsetSize
	read := func(at uint64, places []chunkPlace) error {
		c := f.at(at, len(places)*entry, "fixed array")
		for i := range places {
			places[i] = chunkPlace{address: c.offset(), size: uint64(bytes)}
			if filtered {
				places[i].size = c.uint(entry - f.offsetSize - 4)
				places[i].mask = c.u32()
			}
		}
		return c.err
	}
	c = f.at(block, head, "fixed array")
	c.magic("FADB")
	if c.err != nil {
		return nil, c.err
	}
	if n <= page {
		return out, read(block+uint64(head), out)
	}
	// Pages follow the block's checksum, each with one of its own; a bit says which were written.
	pages := (n + page - 1) / page
	bitmap, err := f.read(block+uint64(head), int((pages+7)/8))
	if err != nil {
		return nil, err
	}
	at := block + uint64(head) + (pages+7)/8 + 4
	for p := range pages {
		places := out[p*page : min((p+1)*page, n)]
		if bitmap[p/8]>>(7-p%8)&1 != 0 {
			if err := read(at, places); err != nil {
				return nil, err
			}
		}
		at += uint64(len(places)*entry) + 4
	}
	return out, nil
}

// place copies the part of a chunk that lies inside the dataset.
func (d *Dataset) place(out, chunk []byte, origin []int) {
	rank, size := len(d.Shape), d.Type.Size
	if rank == 0 {
		copy(out, chunk)
		return
	}
	last := rank - 1
	run := min(d.layout.chunk[last], d.Shape[last]-origin[last]) * size
	at := make([]int, last) // position inside the chunk, without the last dimension
	for {
		from, to := 0, 0
		for k := range rank {
			p := 0
			if k < last {
				p = at[k]
			}
			from = from*d.layout.chunk[k] + p
			to = to*d.Shape[k] + origin[k] + p
		}
		copy(out[to*size:to*size+run], chunk[from*size:])
		k := last - 1
		for ; k >= 0; k-- {
			if at[k]++; at[k] < d.layout.chunk[k] && origin[k]+at[k] < d.Shape[k] {
				break
			}
			at[k] = 0
		}
		if k < 0 {
			return
		}
	}
}
