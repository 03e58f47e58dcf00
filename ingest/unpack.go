package ingest

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// unpackedRatio is how much a compressed archive may hold for every byte of it, whatever the limit: pictures do not shrink
// that far, but box files may.
const unpackedRatio = 20

// unpacked is the tar that a compressed archive is, or for a zip one with the same members. It ends in an error at the limit.
func (w *walker) unpacked(e entry, in *io.SectionReader, s *source, kind archiveType) (*limitedReader, error) {
	var r io.ReadCloser
	switch kind {
	case zipArchive:
		z, err := zip.NewReader(in, in.Size())
		if err != nil {
			return nil, err
		}
		if what := unreadable(z); what != "" {
			return nil, &foreignError{what}
		}
		if err := w.zipEnds(e.origin, in); err != nil {
			return nil, err
		}
		s.read.Store(0) // the directory was read, and is again
		p, to := io.Pipe()
		go func() { to.CloseWithError(zipAsTar(z, to)) }()
		r = p
	case bzip2Archive:
		r = io.NopCloser(bzip2.NewReader(bufio.NewReader(in)))
	default:
		packed := bufio.NewReader(in)
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, err
		}
		z.Multistream(false)
		r = &gzipReader{Reader: z, packed: packed, garbage: func() {
			w.fault(fault{e.origin, "data_after_end", "more follows the end of the gzip stream and is not read"})
		}}
	}
	return &limitedReader{ReadCloser: r, src: s, left: max(w.limit, unpackedRatio*in.Size()), limit: w.limit}, nil
}

// plausible tells whether a compressed file whose name does not promise an archive holds a tar: it may be a single file. One that is damaged
// so early that nobody knows is taken for an archive.
func (w *walker) plausible(e *entry, kind archiveType) bool {
	if kind != gzipArchive && kind != bzip2Archive {
		return true
	}
	head := *e
	head.size = min(e.size, 1<<20) // bzip2 packs blocks of up to 900 kB
	b := e.data
	if e.file != "" {
		var err error
		if b, err = head.read(head.size); err != nil {
			return false
		}
	}
	var r io.Reader = bzip2.NewReader(bytes.NewReader(b))
	if kind == gzipArchive {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return true
		}
		r = z
	}
	first := make([]byte, 512)
	n, err := io.ReadFull(r, first)
	if n == 0 && err != nil && !errors.Is(err, io.EOF) {
		return true
	}
	return kindOf(first[:n]) == tarArchive
}

// A gzipReader reads the streams of a gzip file one after the other. Zeros after the last are padding; what else follows is garbage, which
// the library would call a stream that ends too soon.
type gzipReader struct {
	*gzip.Reader
	packed  *bufio.Reader
	garbage func()
	ended   bool
}

func (g *gzipReader) Read(p []byte) (int, error) {
	if g.ended {
		return 0, io.EOF
	}
	n, err := g.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	head, _ := g.packed.Peek(2)
	if bytes.Equal(head, []byte{0x1f, 0x8b}) {
		if err = g.Reader.Reset(g.packed); err == nil {
			g.Multistream(false)
		}
		return n, err
	}
	g.ended = true
	for {
		c, err := g.packed.ReadByte()
		if err != nil {
			return n, err
		}
		if c != 0 {
			g.garbage()
			return n, io.EOF
		}
	}
}

// A limitedReader ends in an error where a compressed archive holds more than is allowed.
type limitedReader struct {
	io.ReadCloser
	left, limit int64
	src         *source
	tick        func() // is called now and then; nil for none
}

func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.tick != nil {
		l.tick()
	}
	if l.left -= int64(n); l.left < 0 {
		return 0, &unpackedError{l.limit}
	}
	return n, err
}

// An unpackedError is an archive that holds too much, which is not one cut short.
type unpackedError struct{ limit int64 }

func (e *unpackedError) Error() string {
	return fmt.Sprintf("unpacked it has over %d bytes and over %d times its own size; --set ingest.maxUnpacked=N allows more", e.limit, unpackedRatio)
}
