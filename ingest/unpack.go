package ingest

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// unpackedRatio is how much compressed archives may hold for every byte of them, whatever the
// limit: pictures do not shrink that far, but box files may.
const unpackedRatio = 20

// maxUnpacked is how many bytes the compressed archives of all sources of a run may hold in any
// case.
var maxUnpacked = int64(1 << 30)

// A room counts what the compressed archives of all sources of a run unpack to. Those inside others
// count too, but only the outermost ones allow more: a small archive may hold many that hold many.
type room struct {
	packed   int64 // bytes of the outermost archives so far
	unpacked int64 // of what all have held
	inside   int   // how many archives the walk is inside of
}

// left is how many bytes the run may still unpack.
func (r *room) left() int64 { return max(maxUnpacked, unpackedRatio*r.packed) - r.unpacked }

// unpacked is the tar that a compressed archive is, or for a zip one with the same members. It ends
// in an error at the limit. An archive that is not read, though it may be whole, is a fault: nil.
func (w *walker) unpacked(e entry, in *io.SectionReader, s *source, kind archiveType) (*limitedReader, error) {
	var r io.ReadCloser
	switch kind {
	case foreignArchive:
		head := make([]byte, 16)
		n, _ := in.ReadAt(head, 0)
		w.fault(e.origin, "unsupported_archive", fmt.Sprintf("got an archive in the format %s, which is not read, want tar, tar.gz, "+
			"tar.bz2 or zip: unpack it", foreignName(head[:n])))
		return nil, nil
	case zipArchive:
		z, err := zip.NewReader(in, in.Size())
		if err != nil {
			return nil, err
		}
		if foreign := unreadable(z); foreign != "" {
			w.fault(e.origin, "unsupported_archive", foreign)
			return nil, nil
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
			w.fault(e.origin, "data_after_end", "more follows the end of the gzip stream and is not read")
		}}
	}
	if w.room.inside == 0 {
		w.room.packed += in.Size()
	}
	tick := func() {
		if w.progress != nil {
			w.progress("unpack", int(min(s.read.Load(), e.size)), int(e.size))
		}
	}
	return &limitedReader{ReadCloser: r, src: s, room: w.room, tick: tick}, nil
}

// plausible tells whether a compressed file whose name does not promise an archive holds a tar: it
// may be a single file. A file that is damaged at its beginning is taken for an archive.
func (w *walker) plausible(e *entry, kind archiveType) bool {
	if kind != gzipArchive && kind != bzip2Archive {
		return true
	}
	b, err := e.head(1 << 20) // bzip2 packs blocks of up to 900 kB
	if err != nil {
		return false
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

// A gzipReader reads the streams of a gzip file one after the other. Zeros after the last are
// padding; what else follows is garbage, which the library would call a stream that ends too soon.
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

// A limitedReader ends in an error where the sources unpack to more than is allowed.
type limitedReader struct {
	io.ReadCloser
	room   *room
	src    *source
	tick   func() // is called now and then
	failed bool   // reading has, not writing
}

func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.tick()
	if l.room.unpacked += int64(n); l.room.left() < 0 {
		n, err = 0, errUnpacked{}
	}
	l.failed = l.failed || err != nil && err != io.EOF
	return n, err
}

// errUnpacked is the error of sources that hold too much, which is not one cut short.
type errUnpacked struct{}

func (errUnpacked) Error() string {
	return fmt.Sprintf("unpacked, the sources so far have over %d bytes and over %d times the size of their archives, archives in "+
		"archives included: unpack it yourself if it is meant so, and name the folder", maxUnpacked, unpackedRatio)
}

// unreadable says why the members of a zip cannot be read, "" if they can.
func unreadable(z *zip.Reader) string {
	for _, f := range z.File {
		switch {
		case f.Flags&1 != 0:
			return fmt.Sprintf("%s is encrypted: unpack the zip with its password", f.Name)
		case f.Method != zip.Store && f.Method != zip.Deflate:
			return fmt.Sprintf("%s is compressed by method %d, want none (0) or deflate (8): unpack the zip", f.Name, f.Method)
		}
	}
	return ""
}

// zipEnds lists what stands before or after a zip in its file, which a reader passes over: it looks
// for the directory of one zip, from the end.
func (w *walker) zipEnds(origin string, in *io.SectionReader) error {
	// bytes of the end record without its comment
	const record = 22
	tail := make([]byte, min(in.Size(), record+1<<16)) // a comment has at most 1<<16-1
	if n, err := in.ReadAt(tail, in.Size()-int64(len(tail))); n < len(tail) {
		return err
	}
	for i := len(tail) - record; i >= 0; i-- {
		b := tail[i:]
		if string(b[:4]) != "PK\x05\x06" || record+int(binary.LittleEndian.Uint16(b[20:])) > len(b) {
			continue
		}
		if !isZero(b[record+int(binary.LittleEndian.Uint16(b[20:])):]) {
			w.fault(origin, "data_after_end", "more follows the zip's end and is not read")
		}
		size, offset := int64(binary.LittleEndian.Uint32(b[12:])), int64(binary.LittleEndian.Uint32(b[16:]))
		// zip64 has records of its own before this one
		large := i >= 20 && bytes.HasPrefix(tail[i-20:], []byte("PK\x06\x07"))
		if at := in.Size() - int64(len(b)); !large && at > size+offset {
			w.fault(origin, "data_after_end",
				"the file holds more than one zip, or other data before it, and one zip is read: archives that were "+
					"joined must be given one by one")
		}
		return nil
	}
	return nil
}

// zipAsTar writes the members of a zip as a tar, so that the rules of tars hold for them. Checksums
// are verified on the way.
func zipAsTar(z *zip.Reader, to io.Writer) error {
	w := tar.NewWriter(to)
	for _, f := range z.File {
		if err := zipMember(w, f); err != nil {
			return fmt.Errorf("zip: %s: %w", f.Name, err)
		}
	}
	return w.Close()
}

func zipMember(w *tar.Writer, f *zip.File) error {
	h := &tar.Header{Name: f.Name, Mode: 0o644, Typeflag: tar.TypeReg}
	switch mode := f.Mode(); {
	case mode.IsDir() || strings.HasSuffix(f.Name, "/"):
		h.Typeflag = tar.TypeDir
		return w.WriteHeader(h)
	case mode&fs.ModeSymlink != 0:
		h.Typeflag, h.Linkname = tar.TypeSymlink, "?"
		return w.WriteHeader(h)
	case !mode.IsRegular():
		h.Typeflag = tar.TypeFifo
		return w.WriteHeader(h)
	}
	h.Size = int64(f.UncompressedSize64)
	if h.Size < 0 {
		return errors.New("a size that cannot be")
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := w.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}
