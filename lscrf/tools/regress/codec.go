package regress

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// A statistics file is, little-endian:
//
//	"hdsegst1"                      magic and version
//	kind uint8, 0 uint8, labels uint16, dim uint32
//	images int64
//	rows int64                      per output
//	bytes per element uint8         per matrix slot: 0 (all zero, nothing follows), 8 or 16
//	elements                        per matrix, row by row, symmetric ones j >= i only, in units
//	                                of 2⁻³⁰: two's complement, 8 bytes if all fit, else 16
//	sha256                          of all before
//
// The slots are those of Stats.mats. Equal statistics have equal bytes, whichever way they were
// summed.
const magic = "hdsegst1"

const headerLen = len(magic) + 8 + 8

// ErrCorrupt is wrapped by the errors of UnmarshalBinary.
var ErrCorrupt = errors.New("statistics file is damaged")

// MarshalBinary returns the file form of the statistics, with their checksum; it never fails.
func (s *Stats) MarshalBinary() ([]byte, error) {
	s.settle()
	b := []byte(magic)
	b = append(b, byte(s.kind), 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(s.labels))
	b = binary.LittleEndian.AppendUint32(b, uint32(s.dim))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.images))
	for _, n := range s.rows {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	sizes := make([]byte, len(s.mats))
	for i, m := range s.mats {
		sizes[i] = m.elementSize()
	}
	b = append(b, sizes...)
	for i, m := range s.mats {
		if sizes[i] == 0 {
			continue
		}
		m.each(func(k int) {
			b = binary.LittleEndian.AppendUint64(b, m.lo[k])
			if sizes[i] == 16 {
				b = binary.LittleEndian.AppendUint64(b, uint64(m.hi[k]))
			}
		})
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// UnmarshalBinary replaces s by the statistics that MarshalBinary wrote. A file that is cut,
// lengthened or changed anywhere is refused with an error that wraps ErrCorrupt, and s stays as it
// was. What is accepted would be written back to the same bytes.
func (s *Stats) UnmarshalBinary(b []byte) error {
	fail := func(format string, a ...any) error {
		return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, a...))
	}
	if len(b) < headerLen+sha256.Size {
		return fail("got %d bytes, want at least %d", len(b), headerLen+sha256.Size)
	}
	if !bytes.HasPrefix(b, []byte(magic)) {
		return fail("it begins with %q, want %q", b[:len(magic)], magic)
	}
	body, check := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], check) {
		return fail("its checksum does not match its %d bytes", len(b))
	}
	kind, labels := Kind(b[8]), int(binary.LittleEndian.Uint16(b[10:]))
	dim, images := int(binary.LittleEndian.Uint32(b[12:])), int64(binary.LittleEndian.Uint64(b[16:]))
	if kind == 2 {
		return errors.New("the statistics have edges in both orientations (train.orientation of version 0.2.0): make them again")
	}
	if kind != Nodes && kind != Edges || b[9] != 0 || labels < 1 || labels > maxLabels || dim < 1 || dim > maxDim {
		return fail("got kind %d, %d labels, %d features", kind, labels, dim)
	}
	n := newStats(kind, dim, labels)
	n.images = images
	body = body[headerLen:]
	if len(body) < 8*len(n.rows)+len(n.mats) {
		return fail("it ends before the sums")
	}
	for p := range n.rows {
		n.rows[p] = int64(binary.LittleEndian.Uint64(body[8*p:]))
	}
	sizes := body[8*len(n.rows):][:len(n.mats)]
	body = body[8*len(n.rows)+len(n.mats):]
	for slot, size := range sizes {
		if size == 0 {
			continue
		}
		if size != 8 && size != 16 {
			return fail("matrix %d has %d bytes per element", slot, size)
		}
		count := n.layoutOf(slot).elements()
		if len(body) < count*int(size) {
			return fail("it ends in matrix %d", slot)
		}
		m := n.matrix(slot)
		m.each(func(k int) {
			m.lo[k] = binary.LittleEndian.Uint64(body)
			m.hi[k] = int64(m.lo[k]) >> 63
			if size == 16 {
				m.hi[k] = int64(binary.LittleEndian.Uint64(body[8:]))
			}
			body = body[size:]
		})
		if m.elementSize() != size {
			return fail("matrix %d has %d bytes per element, want %d", slot, size, m.elementSize())
		}
	}
	if len(body) != 0 {
		return fail("%d bytes follow the sums", len(body))
	}
	*s = *n
	return nil
}

// elementSize returns the bytes that the elements of a settled matrix need: 0 if all are zero.
func (m *matrix) elementSize() (size byte) {
	if m == nil {
		return 0
	}
	m.each(func(k int) {
		switch {
		case m.lo[k] == 0 && m.hi[k] == 0:
		case m.hi[k] == int64(m.lo[k])>>63:
			size = max(size, 8)
		default:
			size = 16
		}
	})
	return size
}

// each visits the positions of the elements that count, row by row.
func (l *layout) each(visit func(k int)) {
	for i := range l.n {
		j := 0
		if l.sym {
			j = i
		}
		for ; j < l.n; j++ {
			visit(l.index(i, j))
		}
	}
}

// elements returns how many elements count.
func (l *layout) elements() int {
	if l.sym {
		return l.n * (l.n + 1) / 2
	}
	return l.n * l.n
}
