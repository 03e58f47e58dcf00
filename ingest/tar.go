package ingest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
)

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
	var f *os.File
	var in *io.SectionReader
	if e.file == "" {
		in = io.NewSectionReader(bytes.NewReader(e.data), 0, int64(len(e.data)))
	} else {
		var err error
		if f, err = os.Open(e.file); err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		defer f.Close()
		in = io.NewSectionReader(f, e.offset, e.size)
	}
	if kind == tarArchive {
		return w.forgive(w.tar(e, in, depth))
	}
	if kind == foreignArchive {
		head := make([]byte, 16)
		n, _ := in.ReadAt(head, 0)
		w.fault(fault{e.origin, "unsupported_archive", "got an archive in the format " + foreignName(head[:n]) + ", which is not read, want tar, tar.gz, tar.bz2 or zip: unpack it"})
		return nil
	}
	r, err := w.unpacked(e, in, kind)
	if err != nil {
		return w.forgive(&ArchiveError{e.origin, err})
	}
	defer r.Close()
	return w.forgive(w.unpack(e, r, depth))
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

// unpack reads a compressed archive, given as a stream: into a temporary file, of which pictures are then read out of order, or as it comes,
// its wanted members kept in memory while visit sees them.
func (w *walker) unpack(e entry, r io.Reader, depth int) error {
	if w.spool == nil {
		return w.tar(e, r, depth)
	}
	f, err := w.spool()
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	defer f.Close()
	n, err := io.Copy(f, r)
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
		if seeker == nil {
			in := bufio.NewReaderSize(tr, 512)
			head, err := in.Peek(512)
			if err != nil && err != io.EOF {
				return &ArchiveError{m.origin, fmt.Errorf("tar: %w", err)}
			}
			if w.want == nil || w.want(m.name) || looksLikeArchive(m.name) || mayBeArchive(m.name) && kindOf(head) != notArchive {
				if m.size > maxMember {
					return &ArchiveError{m.origin, &sizeError{m.size, maxMember}}
				}
				if m.data, err = io.ReadAll(in); err != nil {
					return &ArchiveError{m.origin, fmt.Errorf("tar: %w", err)}
				}
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
