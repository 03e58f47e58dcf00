package hdf5

import (
	"fmt"
	"slices"
	"strings"
)

// The sizes that the superblock states (II.A): symbols in a leaf and children of a B-tree node are
// at most twice these. They are the library's own.
const (
	leafK     = 4
	internalK = 16
)

// entrySize is that of a symbol table entry (III.C).
const entrySize = 40

// A root is where the root group's pieces lie.
type root struct{ header, tree, heap uint64 }

// superblock returns a version 0 superblock (II.A).
func superblock(r root, end uint64) []byte {
	b := []byte(signature)
	b = append(b, 0, 0, 0, 0, 0, 8, 8, 0) // versions; offsets and lengths of 8 bytes
	b = le.AppendUint16(b, leafK)
	b = le.AppendUint16(b, internalK)
	b = append(b, 0, 0, 0, 0)
	b = le.AppendUint64(b, 0) // base address
	b = le.AppendUint64(b, undefined)
	b = le.AppendUint64(b, end)
	b = le.AppendUint64(b, undefined)
	b = le.AppendUint64(b, 0) // the root's entry: no name
	b = le.AppendUint64(b, r.header)
	b = append(b, 1, 0, 0, 0, 0, 0, 0, 0) // the two addresses below are cached
	b = le.AppendUint64(b, r.tree)
	return le.AppendUint64(b, r.heap)
}

// A child is a node of the level below with the heap offset of its largest name.
type child struct{ at, last uint64 }

// group writes the root group: names in a local heap (III.D), leaves of sorted symbols (III.B), a
// version 1 B-tree over them (III.A.1).
func (w *Writer) group() root {
	slices.SortFunc(w.links, func(a, b link) int { return strings.Compare(a.name, b.name) })
	names := make([]byte, 8) // offset 0 is the empty name
	offsets := make([]uint64, len(w.links))
	for i, l := range w.links {
		if i > 0 && w.links[i-1].name == l.name {
			w.fail(fmt.Errorf("two datasets have the name %s", l.name))
		}
		offsets[i] = uint64(len(names))
		names = append(names, l.name...)
		names = append(names, make([]byte, 8-len(l.name)%8)...)
	}
	var level []child
	for i := 0; i == 0 || i < len(w.links); i += 2 * leafK {
		n := min(2*leafK, len(w.links)-i)
		b := []byte("SNOD\x01\x00")
		b = le.AppendUint16(b, uint16(n))
		c := child{at: w.at}
		for k := i; k < i+n; k++ {
			b = le.AppendUint64(b, offsets[k])
			b = le.AppendUint64(b, w.links[k].header)
			b = append(b, make([]byte, 24)...) // nothing cached
			c.last = offsets[k]
		}
		w.append(append(b, make([]byte, (2*leafK-n)*entrySize)...))
		level = append(level, c)
	}
	tree := w.tree(level)
	data := w.at
	w.append(names)
	heap := w.at
	b := []byte("HEAP\x00\x00\x00\x00")
	b = le.AppendUint64(b, uint64(len(names)))
	b = le.AppendUint64(b, 1) // no free block
	w.append(le.AppendUint64(b, data))
	header := w.at
	w.append(objectHeader(message{symbolTableMessage, le.AppendUint64(le.AppendUint64(nil, tree), heap)}))
	return root{header, tree, heap}
}

// tree writes B-tree nodes over the leaves, level by level, and returns the address of the topmost.
func (w *Writer) tree(level []child) uint64 {
	const size = 24 + 8*(2*internalK) + 8*(2*internalK+1)
	for height := 0; ; height++ {
		var above []child
		before := uint64(0) // the largest name left of a node: its first key
		first := w.at
		nodes := (len(level) + 2*internalK - 1) / (2 * internalK)
		for i := range nodes {
			part := level[i*2*internalK : min((i+1)*2*internalK, len(level))]
			left, right := uint64(undefined), uint64(undefined)
			if i > 0 {
				left = first + uint64(i-1)*size
			}
			if i < nodes-1 {
				right = first + uint64(i+1)*size
			}
			b := append([]byte("TREE\x00"), uint8(height))
			b = le.AppendUint16(b, uint16(len(part)))
			b = le.AppendUint64(b, left)
			b = le.AppendUint64(b, right)
			b = le.AppendUint64(b, before)
			for _, c := range part {
				b = le.AppendUint64(b, c.at)
				b = le.AppendUint64(b, c.last)
				before = c.last
			}
			above = append(above, child{w.at, before})
			w.append(append(b, make([]byte, size-len(b))...))
		}
		if len(above) == 1 {
			return above[0].at
		}
		level = above
	}
}
