package hdf5

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// An Output is what a Writer writes to: an empty *os.File.
type Output interface {
	io.Writer
	io.WriterAt
}

// A Writer appends datasets to a file, in any order of names. Memory holds one name and address for
// each. After an error the writer is of no use. Close finishes the file.
type Writer struct {
	f     Output
	out   *bufio.Writer // which remembers its error
	at    uint64        // end of the file
	buf   []byte        // of the values of a dataset
	links []link
	heap  heap
	err   error
}

// A link is a dataset's name and the address of its object header.
type link struct {
	name   string
	header uint64
}

// NewWriter starts a file. Calls of f are not buffered by anyone else.
func NewWriter(f Output) *Writer {
	w := &Writer{f: f, out: bufio.NewWriterSize(f, 1<<20)}
	w.append(make([]byte, superblockSize)) // its place, filled by Close
	return w
}

// Int64s writes little-endian 64-bit integers of the given shape; no dimensions is a scalar.
func (w *Writer) Int64s(name string, v []int64, shape ...int) {
	w.dataset(name, int64Type, shape, len(v), 8, func(b []byte) []byte {
		for _, x := range v {
			b = le.AppendUint64(b, uint64(x))
		}
		return b
	})
}

// Float32s writes little-endian 32-bit floats of the given shape, the last dimension fastest.
func (w *Writer) Float32s(name string, v []float32, shape ...int) {
	w.dataset(name, float32Type, shape, len(v), 4, func(b []byte) []byte {
		for _, x := range v {
			b = le.AppendUint32(b, math.Float32bits(x))
		}
		return b
	})
}

// String writes one UTF-8 string of variable length as a scalar.
func (w *Writer) String(name, v string) {
	if strings.ContainsRune(v, 0) {
		w.fail(fmt.Errorf("%s: a string with a zero byte", name))
		return
	}
	collection, index := w.intern(v)
	w.dataset(name, stringType, nil, 1, 16, func(b []byte) []byte {
		b = le.AppendUint32(b, uint32(len(v)))
		b = le.AppendUint64(b, collection)
		return le.AppendUint32(b, index)
	})
}

// dataset appends the values, in one piece, and the object header that describes them.
func (w *Writer) dataset(name string, datatype []byte, shape []int, n, size int, values func([]byte) []byte) {
	want := 1
	for _, d := range shape {
		want *= d
	}
	if n != want {
		panic(fmt.Sprintf("hdf5: %s: got %d values, want shape %v", name, n, shape))
	}
	if name == "" || strings.ContainsAny(name, "/\x00") {
		w.fail(fmt.Errorf("name %q: want one without '/'", name))
		return
	}
	data := uint64(undefined)
	if n > 0 {
		data = w.at
		w.buf = values(w.buf[:0])
		w.append(w.buf)
	}
	header := w.at
	w.append(datasetHeader(datatype, shape, data, uint64(n*size)))
	w.links = append(w.links, link{name, header})
}

// append adds bytes at the end of the file, which is kept a multiple of 8.
func (w *Writer) append(b []byte) {
	pad := -len(b) & 7
	_, _ = w.out.Write(b)
	_, _ = w.out.Write(make([]byte, pad))
	w.at += uint64(len(b) + pad)
}

// patch overwrites bytes that were appended before.
func (w *Writer) patch(at uint64, b []byte) {
	w.fail(w.out.Flush())
	if w.err == nil {
		_, err := w.f.WriteAt(b, int64(at))
		w.fail(err)
	}
}

func (w *Writer) fail(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("hdf5: %w", err)
	}
}

// Close writes the names and the superblock, and returns the first error of all calls. It does not
// close the file.
func (w *Writer) Close() error {
	w.closeHeap()
	root := w.group()
	w.patch(0, superblock(root, w.at))
	err := w.err
	w.fail(errors.New("the file is closed"))
	return err
}
