package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// A foreignError says why an archive of a known format is not read, though it may be whole.
type foreignError struct{ what string }

func (e *foreignError) Error() string { return e.what }

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

// zipEnds lists what stands before or after a zip in its file, which a reader passes over: it looks for the directory of one zip, from the end.
func (w *walker) zipEnds(origin string, in *io.SectionReader) error {
	const record = 22                                  // bytes of the end record without its comment
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
			w.fault(fault{origin, "data_after_end", "more follows the zip's end and is not read"})
		}
		size, offset := int64(binary.LittleEndian.Uint32(b[12:])), int64(binary.LittleEndian.Uint32(b[16:]))
		large := i >= 20 && bytes.HasPrefix(tail[i-20:], []byte("PK\x06\x07")) // zip64 has records of its own before this one
		if at := in.Size() - int64(len(b)); !large && at > size+offset {
			w.fault(fault{origin, "data_after_end", "the file holds more than one zip, or other data before it, and one zip is read: archives that were joined must be given one by one"})
		}
		return nil
	}
	return nil
}

// zipAsTar writes the members of a zip as a tar, so that the rules of tars hold for them. Checksums are verified on the way.
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
