package cache

import (
	"encoding/binary"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// checkFooter panics if the schema in the footer of an Arrow file counts more than a cache's:
// Arrow's reader allocates what a count says before it looks for the bytes. It panics also if the
// offsets lead out of the footer.
func checkFooter(data []byte) {
	const trailer = 4 + len("ARROW1")
	end := len(data) - trailer
	n := int(int32(binary.LittleEndian.Uint32(data[end:])))
	if n < 4 || n > end {
		panic(fmt.Sprintf("got a footer of %d bytes in a file of %d", n, len(data)))
	}
	footer := data[end-n : end]
	root := flatbuffers.Table{Bytes: footer, Pos: flatbuffers.GetUOffsetT(footer)}
	schema, ok := child(&root, 1)
	if !ok {
		panic("the footer has no schema")
	}
	checkVector(&schema, 2, 8, nil) // metadata
	checkVector(&schema, 1, 16, func(f *flatbuffers.Table) { checkField(f, 0) })
}

// checkField looks at a field and the fields inside it.
func checkField(f *flatbuffers.Table, depth int) {
	if depth > 8 {
		panic("the schema's lists are nested too deep")
	}
	checkVector(f, 6, 8, nil)
	checkVector(f, 5, 4, func(f *flatbuffers.Table) { checkField(f, depth+1) })
}

// child is the table in a slot of a table.
func child(t *flatbuffers.Table, slot int) (c flatbuffers.Table, ok bool) {
	o := t.Offset(flatbuffers.VOffsetT(4 + 2*slot))
	if o == 0 {
		return c, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(flatbuffers.UOffsetT(o) + t.Pos)}, true
}

// checkVector panics if the vector of tables in a slot has more than most, and calls each for each.
func checkVector(t *flatbuffers.Table, slot, most int, each func(*flatbuffers.Table)) {
	o := flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*slot)))
	if o == 0 {
		return
	}
	n := t.VectorLen(o)
	if n > most {
		panic(fmt.Sprintf("the schema counts %d, want at most %d", n, most))
	}
	for i := range n {
		if each != nil {
			each(&flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Vector(o) + flatbuffers.UOffsetT(4*i))})
		}
	}
}
