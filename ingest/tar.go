package ingest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type archiveType int

const (
	notArchive archiveType = iota
	tarArchive
	gzipArchive
)

// kindOf tells an archive by its first 512 bytes.
func kindOf(head []byte) archiveType {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gzipArchive
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return tarArchive
	case len(head) == 512 && len(bytes.Trim(head, "\x00")) == 0:
		return tarArchive // an empty archive: nothing but end blocks
	case len(head) == 512:
		// Tars of before POSIX have no magic; the checksum decides.
		if _, err := tar.NewReader(bytes.NewReader(head)).Next(); err == nil {
			return tarArchive
		}
	}
	return notArchive
}

func archiveKind(file string) (archiveType, error) {
	st, err := os.Stat(file)
	if err != nil {
		return notArchive, err
	}
	e := entry{file: file, size: st.Size()}
	return e.archiveKind()
}

func (e *entry) archiveKind() (archiveType, error) {
	head := entry{file: e.file, offset: e.offset, size: min(e.size, 512)}
	if e.file == "" {
		return kindOf(e.data[:min(len(e.data), 512)]), nil
	}
	b, err := head.read(512)
	if err != nil {
		return notArchive, err
	}
	return kindOf(b), nil
}

// archive lists the members of e.
func (w *walker) archive(e entry, kind archiveType, depth int) error {
	var err error
	switch {
	case kind == gzipArchive:
		err = w.gzip(e, depth)
	case e.file == "":
		err = w.tar(e, bytes.NewReader(e.data), depth)
	default:
		var f *os.File
		if f, err = os.Open(e.file); err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		err = w.tar(e, io.NewSectionReader(f, e.offset, e.size), depth)
		f.Close()
	}
	return w.forgive(err)
}

// forgive turns an ArchiveError into a fault when the walker is lax.
func (w *walker) forgive(err error) error {
	var ae *ArchiveError
	if w.lax && errors.As(err, &ae) {
		w.fault(fault{ae.Archive, "truncated_archive", ae.Err.Error()})
		return nil
	}
	return err
}

// gzip reads a compressed archive: into a temporary file, of which pictures are then read out of order, or as a stream
// whose wanted members are kept in memory while visit sees them.
func (w *walker) gzip(e entry, depth int) error {
	var in io.Reader
	if e.file == "" {
		in = bytes.NewReader(e.data)
	} else {
		f, err := os.Open(e.file)
		if err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		defer f.Close()
		in = io.NewSectionReader(f, e.offset, e.size)
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return &ArchiveError{e.origin, err}
	}
	if w.spool == nil {
		return w.tar(e, z, depth)
	}
	f, err := w.spool()
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	defer f.Close()
	n, err := io.Copy(f, z)
	if err != nil {
		if !w.lax {
			return &ArchiveError{e.origin, err}
		}
		w.fault(fault{e.origin, "truncated_archive", err.Error()})
	}
	whole := entry{name: e.name, origin: e.origin, file: f.Name(), size: n}
	return w.tar(whole, io.NewSectionReader(f, 0, n), depth)
}

// tar walks the members of one tar. When r can seek, members are found by their offset and no byte of them is read.
func (w *walker) tar(e entry, r io.Reader, depth int) error {
	seeker, _ := r.(io.ReadSeeker)
	tail := &tailReader{r: r}
	tr := tar.NewReader(tail)
	if seeker != nil {
		tr = tar.NewReader(seeker)
	}
	var end int64 // offset after the last member and its padding
	seen := map[string]bool{}
	for {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return &ArchiveError{e.origin, fmt.Errorf("tar: %w", err)}
		}
		m := newEntry(path.Join(e.name, h.Name), e.origin+"!"+h.Name)
		m.size = h.Size
		if seeker != nil {
			at, err := seeker.Seek(0, io.SeekCurrent)
			if err != nil {
				return fmt.Errorf("ingest: %s: %w", e.origin, err)
			}
			end = at + (h.Size+511)&^511
			if h.Typeflag == tar.TypeReg && at+h.Size > e.size {
				return &ArchiveError{m.origin, fmt.Errorf("tar: cut short: the member ends at byte %d of %d", at+h.Size, e.size)}
			}
			m.file, m.offset = e.file, e.offset+at
			if e.file == "" {
				m.data = e.data[at : at+h.Size]
			}
		}
		if detail := unsafeMember(h); detail != "" {
			w.fault(fault{m.origin, "unsafe_member", detail})
			continue
		}
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader || hidden(h.Name) {
			continue
		}
		if clean := path.Clean(h.Name); seen[clean] {
			w.fault(fault{m.origin, "duplicate_member", "the name is in the archive twice; the first is kept"})
			continue
		} else {
			seen[clean] = true
		}
		if seeker == nil && (w.want == nil || looksLikeArchive(m.name) || w.want(m.name)) {
			if m.size > maxMember {
				return &ArchiveError{m.origin, &sizeError{m.size, maxMember}}
			}
			if m.data, err = io.ReadAll(tr); err != nil {
				return &ArchiveError{m.origin, fmt.Errorf("tar: %w", err)}
			}
		}
		if err := w.file(m, depth); err != nil {
			return err
		}
	}
	if seeker != nil {
		return w.checkEnd(e, seeker, end)
	}
	return tail.check(w, e.origin)
}

// maxMember is the largest member of a streamed archive: those are boxes, alone or as an archive per synset.
const maxMember = 1 << 28

// unsafeMember says why a member is refused, "" if it is not: only regular files and folders under clean relative names.
func unsafeMember(h *tar.Header) string {
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return ""
	case tar.TypeReg, tar.TypeDir:
	case tar.TypeSymlink, tar.TypeLink:
		return fmt.Sprintf("a link to %q", h.Linkname)
	case tar.TypeGNUSparse:
		return "a sparse file"
	default:
		return fmt.Sprintf("member type %q", h.Typeflag)
	}
	for k := range maps.Keys(h.PAXRecords) {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return "a sparse file"
		}
	}
	name := strings.TrimSuffix(h.Name, "/")
	if !filepath.IsLocal(name) || strings.Contains(name, `\`) || len(name) > 1 && name[1] == ':' {
		return "the name leaves the archive"
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return "the name leaves the archive"
		}
	}
	return ""
}
