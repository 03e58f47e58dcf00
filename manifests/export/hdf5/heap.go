package hdf5

// A heap gathers strings into collections of the global heap (III.E), each of collectionSize bytes or, for a longer string, of its
// own size.
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
	if h.at == 0 || len(h.buf)+size > cap(h.buf)-objectPrefix { // room for the free space's own prefix
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
