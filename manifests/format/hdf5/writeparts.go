package hdf5

// Datatypes (IV.A.2.d).
var (
	int64Type = []byte{
		0x10, 0x08, 0, 0, 8, 0, 0, 0, // class 0 version 1, signed, little-endian, 8 bytes
		0, 0, 64, 0, // bits 0..63
	}
	float32Type = []byte{
		0x11, 0x20, 31, 0, 4, 0, 0, 0, // class 1, an implied leading 1, sign in bit 31, 4 bytes
		// exponent from bit 23, 8 bits, bias 127; mantissa from bit 0, 23 bits
		0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0,
	}
	stringType = []byte{
		// class 9, a string, zero-terminated, UTF-8; 16 bytes: length and heap id
		0x19, 0x01, 0x01, 0, 16, 0, 0, 0,
		0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, // of unsigned bytes
	}
)

// objectHeader returns a version 1 object header (IV.A.1.a): a prefix of 16 bytes and the messages,
// each padded to 8.
func objectHeader(messages ...message) []byte {
	var body []byte
	for _, m := range messages {
		size := (len(m.data) + 7) / 8 * 8
		body = le.AppendUint16(body, m.kind)
		body = le.AppendUint16(body, uint16(size))
		body = append(body, 0, 0, 0, 0)
		body = append(body, m.data...)
		body = append(body, make([]byte, size-len(m.data))...)
	}
	b := []byte{1, 0}
	b = le.AppendUint16(b, uint16(len(messages)))
	b = le.AppendUint32(b, 1) // references
	b = le.AppendUint32(b, uint32(len(body)))
	b = append(b, 0, 0, 0, 0)
	return append(b, body...)
}

// datasetHeader describes values that lie in one piece at an address.
func datasetHeader(datatype []byte, shape []int, data, size uint64) []byte {
	space := []byte{1, uint8(len(shape)), 0, 0, 0, 0, 0, 0}
	for _, d := range shape {
		space = le.AppendUint64(space, uint64(d))
	}
	layout := []byte{3, 1} // version 3, contiguous
	layout = le.AppendUint64(layout, data)
	layout = le.AppendUint64(layout, size)
	return objectHeader(
		message{dataspaceMessage, space},
		message{datatypeMessage, datatype},
		// version 2: allocated late, written if set, the default value
		message{fillValueMessage, []byte{2, 2, 2, 1, 0, 0, 0, 0}},
		message{layoutMessage, layout},
	)
}

// A heap gathers strings into collections of the global heap (III.E), each of collectionSize bytes
// or, for a longer string, of its own size.
type heap struct {
	at    uint64 // where the open collection lies; 0 for none
	buf   []byte
	index uint32 // of its last object
}

const (
	collectionSize = 4096
	objectPrefix   = 16
)

// intern stores a string and returns its collection and its number there.
func (w *Writer) intern(s string) (collection uint64, index uint32) {
	h := &w.heap
	size := objectPrefix + (len(s)+7)/8*8
	// room for the free space's own prefix
	if h.at == 0 || len(h.buf)+size > cap(h.buf)-objectPrefix {
		w.closeHeap()
		total := max(collectionSize, 2*objectPrefix+size)
		h.at, h.index = w.at, 0
		h.buf = append(make([]byte, 0, total), "GCOL\x01\x00\x00\x00"...)
		h.buf = le.AppendUint64(h.buf, uint64(total))
		w.append(make([]byte, total)) // its place, filled when it is full
	}
	h.index++
	h.buf = le.AppendUint16(h.buf, uint16(h.index))
	h.buf = append(h.buf, 1, 0, 0, 0, 0, 0) // one reference
	h.buf = le.AppendUint64(h.buf, uint64(len(s)))
	h.buf = append(h.buf, s...)
	for len(h.buf)%8 != 0 {
		h.buf = append(h.buf, 0)
	}
	return h.at, h.index
}

// closeHeap puts the open collection into its place. Object 0 is what is free behind the others.
func (w *Writer) closeHeap() {
	h := &w.heap
	if h.at == 0 {
		return
	}
	free := cap(h.buf) - len(h.buf)
	h.buf = append(h.buf, 0, 0, 0, 0, 0, 0, 0, 0)
	h.buf = le.AppendUint64(h.buf, uint64(free))
	w.patch(h.at, h.buf)
	h.at = 0
}
