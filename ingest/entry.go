package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"hdseg/manifests/format"
	"hdseg/manifests/raster"
)

// An entry is a file that a source offers: a file of a folder, or a member of an archive, which may
// be one that was unpacked. It holds no open handle; read opens, reads and closes.
type entry struct {
	name   string // POSIX path inside the tree that was walked
	origin string // name with the archives that it came from: a.tar!b.tar!c.JPEG
	file   string // on disk
	offset int64
	size   int64
	// makes the bytes of what is not a file; then only name and origin are set
	load func(limit int64) ([]byte, error)
}

// A sizeError is returned by read for a file over the limit.
type sizeError struct{ got, want int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("got %d bytes, want at most %d", e.got, e.want)
}

// read returns the bytes, at most limit.
func (e *entry) read(limit int64) ([]byte, error) {
	if e.load != nil {
		return e.load(limit)
	}
	if e.size > limit {
		return nil, &sizeError{e.size, limit}
	}
	f, err := os.Open(e.file)
	if err != nil {
		return nil, pathless(err)
	}
	defer f.Close()
	data := make([]byte, e.size)
	if n, err := f.ReadAt(data, e.offset); err != nil {
		if err == io.EOF {
			err = fmt.Errorf("the file was cut while ingest ran: got %d bytes, want %d", n, e.size)
		}
		return nil, pathless(err)
	}
	return data, nil
}

// openSource opens a file of a kind that is wanted whole, no archive of it, and returns its first
// 512 bytes too. An empty tar is none: HDF5 may begin with zeros.
func openSource(file, kind, archived string) (f *os.File, head []byte, err error) {
	if st, err := os.Stat(file); err != nil {
		return nil, nil, pathless(err)
	} else if !st.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("got %s, want %s", fileKind(st.Mode()), kind)
	}
	if f, err = os.Open(file); err != nil {
		return nil, nil, pathless(err)
	}
	head = make([]byte, 512)
	n, _ := f.ReadAt(head, 0)
	if head = head[:n]; kindOf(head) != notArchive && !isZero(head) {
		f.Close()
		return nil, nil, errors.New(archived)
	}
	return f, head, nil
}

// head returns the first bytes, n or as many as there are.
func (e entry) head(n int64) ([]byte, error) {
	e.size = min(e.size, n)
	return e.read(n)
}

// picture reads and decodes a picture; its fault says how a limit can be raised.
func (e *entry) picture(lim raster.Limits) (data []byte, img *raster.RGB, info raster.Info, fault *layerFault) {
	data, err := e.read(lim.MaxBytes)
	if err != nil {
		return nil, nil, info, &layerFault{limitReason(err, "unreadable_image"), e.origin, remedied(err)}
	}
	if img, info, err = raster.Decode(data, lim); err != nil {
		return nil, nil, info, &layerFault{decodeReason(err), e.origin, remedied(err)}
	}
	return data, img, info, nil
}

// pathless is an error of the system without the path, which belongs to the machine and not into a
// manifest.
func pathless(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// readText reads a text file of at most limit bytes.
func (e *entry) readText(limit int64) ([]byte, error) {
	data, err := e.read(limit)
	if err != nil {
		return nil, err
	}
	return format.PlainText(data)
}

// listed are the first words of a list's lines: some have a second column.
func listed(list []byte) []string {
	var out []string
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) > 0 {
			out = append(out, fields[0])
		}
	}
	return out
}
