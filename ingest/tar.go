package ingest

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hdseg/manifests/format"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// archiveKind tells an archive by its first bytes.
func (e *entry) archiveKind() (archiveType, error) {
	b, err := e.head(512)
	return kindOf(b), err
}

// archive lists the members of e.
func (w *walker) archive(e entry, kind archiveType, depth int) error {
	f, err := os.Open(e.file)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	defer f.Close()
	return w.forgive(w.members(e, f, kind, depth))
}

// members lists the members of e, which lies in the bytes of f. An error of f is no fault of the
// archive, whatever a reader makes of it.
func (w *walker) members(e entry, f io.ReaderAt, kind archiveType, depth int) (err error) {
	s := &source{f: f}
	s.ctx, s.fail = context.WithCancelCause(w.ctx)
	defer s.fail(nil)
	defer func() {
		if failed := s.failed(); err != nil && failed != nil {
			err = fmt.Errorf("ingest: %s: %w", e.origin, pathless(failed))
		}
	}()
	in := io.NewSectionReader(s, e.offset, e.size)
	if kind == tarArchive {
		return w.tar(e, in, depth)
	}
	r, err := w.unpacked(e, in, s, kind)
	if err != nil {
		return &ArchiveError{e.origin, err}
	}
	if r == nil {
		return nil // a fault says why
	}
	defer r.Close()
	return w.unpack(e, r, depth)
}

// forgive turns an ArchiveError into a fault when the walker is lax; not that of an archive which
// holds too much.
func (w *walker) forgive(err error) error {
	var ae *ArchiveError
	var large errUnpacked
	if w.lax && errors.As(err, &ae) && !errors.As(err, &large) {
		w.fault(ae.Archive, "truncated_archive", ae.Err.Error())
		return nil
	}
	return err
}

// unpack reads a compressed archive into a temporary file, whose members are then read out of
// order.
func (w *walker) unpack(e entry, r *limitedReader, depth int) error {
	f, err := w.spool()
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	defer f.Close()
	n, err := io.Copy(f, r)
	switch {
	case err != nil && !r.failed: // such as a full disk
		return fmt.Errorf("ingest: %s: unpacking it: %w", e.origin, err)
	case err != nil && (!w.lax || w.room.left() < 0 || r.src.failed() != nil):
		return &ArchiveError{e.origin, err}
	case err != nil:
		w.fault(e.origin, "truncated_archive", err.Error())
	}
	w.room.inside++
	defer func() { w.room.inside-- }()
	whole := entry{name: e.name, origin: e.origin, file: f.Name(), size: n}
	return w.tar(whole, io.NewSectionReader(f, 0, n), depth)
}

// tar walks the members of one tar. They are found by their offset: no byte of them is read.
func (w *walker) tar(e entry, r io.ReadSeeker, depth int) error {
	blocks := &blockReader{ReadSeeker: r}
	tr := tar.NewReader(blocks)
	seen := map[string]bool{}
	sparse := false // the member before
	for {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		blocks.other = 0
		h, err := tr.Next()
		if err == io.EOF && blocks.other > 0 && !sparse {
			return &ArchiveError{e.origin, errors.New("tar: the extended header at the end has no member")}
		}
		if err == io.EOF {
			return w.checkEnd(e.origin, blocks)
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return &ArchiveError{e.origin, fmt.Errorf("tar: %w", err)}
		}
		m := entry{name: path.Join(e.name, h.Name), origin: e.origin + "!" + h.Name, file: e.file, size: h.Size}
		sparse = isSparse(h)
		switch detail := unsafeMember(h); {
		case detail != "":
			w.fault(m.origin, "unsafe_member", detail)
		case holdsNothing(h.Typeflag) || format.Litter(h.Name):
		case seen[path.Clean(h.Name)]:
			w.fault(m.origin, "duplicate_member", "the name is in the archive twice; the first is kept")
		default:
			seen[path.Clean(h.Name)] = true
			begin, err := r.Seek(0, io.SeekCurrent)
			if err != nil {
				return fmt.Errorf("ingest: %s: %w", e.origin, err)
			}
			if m.size > e.size-begin {
				return &ArchiveError{m.origin, fmt.Errorf("tar: cut short: the member ends at byte %d of %d", begin+m.size, e.size)}
			}
			m.offset = e.offset + begin
			if err := w.file(m, depth); err != nil {
				return err
			}
		}
	}
}

// A blockReader counts the zero blocks of a tar that were read last. Two of them end a tar, which
// archive/tar does not demand: one that was cut between two members would look complete.
// archive/tar reads headers, and the end, a block of 512 bytes at a time; it seeks over the bytes
// of members, all but the last.
type blockReader struct {
	io.ReadSeeker
	zeros int
	other int // other blocks than of zeros since the walk set this to 0
}

func (b *blockReader) Read(p []byte) (int, error) {
	n, err := io.ReadFull(b.ReadSeeker, p)
	if n > 0 && err == io.ErrUnexpectedEOF {
		err = nil // if there is more to it, the next call gets it again
	}
	block := n == 512 && len(p) == 512
	switch {
	case block && isZero(p):
		b.zeros++
	case block:
		b.other++
		fallthrough
	default:
		b.zeros = 0
	}
	return n, err
}

// checkEnd demands the two zero blocks that end a tar. What follows them, which no reader of tars
// would see, is listed: archives that were joined, most often.
func (w *walker) checkEnd(origin string, blocks *blockReader) error {
	if blocks.zeros < 2 {
		return &ArchiveError{origin, errors.New("tar: cut short: the two zero blocks at the end are missing")}
	}
	b := make([]byte, 1<<15)
	for {
		n, err := blocks.ReadSeeker.Read(b)
		if !isZero(b[:n]) {
			w.fault(origin, "data_after_end",
				"more follows the archive's end and is not read: archives that were joined must be given one by one")
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return &ArchiveError{origin, err}
		}
	}
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// Types of members that archive/tar has no name for; GNU tar writes them.
const (
	typeDumpDir     = 'D' // a folder with the list of its files, of an incremental backup
	typeVolumeLabel = 'V' // the name of the archive itself
	typeContinued   = 'M' // the rest of a file of another volume
)

// holdsNothing tells whether members of a type are no files and need no word.
func holdsNothing(t byte) bool {
	return t == tar.TypeDir || t == tar.TypeXGlobalHeader || t == typeDumpDir || t == typeVolumeLabel
}

// isSparse tells whether a member is a file of which holes are left out.
func isSparse(h *tar.Header) bool {
	if h.Typeflag == tar.TypeGNUSparse {
		return true
	}
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// unsafeMember says why a member is refused, "" if it is not: only regular files and folders under
// clean relative names.
func unsafeMember(h *tar.Header) string {
	switch h.Typeflag {
	case tar.TypeXGlobalHeader, typeVolumeLabel:
		return ""
	case tar.TypeReg, tar.TypeCont, tar.TypeDir, typeDumpDir, tar.TypeGNUSparse:
	case tar.TypeSymlink, tar.TypeLink:
		return fmt.Sprintf("a link to %q", h.Linkname)
	case typeContinued:
		return "the rest of a file that begins in another volume"
	default:
		return fmt.Sprintf("member type %q", h.Typeflag)
	}
	if isSparse(h) {
		return "a sparse file without its holes: pack it without --sparse"
	}
	return unsafeName(h.Name)
}

// unsafeName says what is wrong with a member's name, "" if it is a clean relative one. Names are
// refused, never cleaned.
func unsafeName(name string) string {
	name = strings.TrimSuffix(name, "/")
	switch {
	case strings.Contains(name, `\`):
		return `the name has a \, as paths have it on Windows: pack the files anew, with / between folders`
	case len(name) > 1 && name[1] == ':':
		return "the name begins with a letter and a colon, which is a drive on Windows: rename the folder"
	case !filepath.IsLocal(name), slices.Contains(strings.Split(name, "/"), ".."):
		return "the name leaves the archive"
	}
	return ""
}
