package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A walker lists the regular files of a folder or an archive, entering archives inside them, without unpacking
// anything. Folders are walked in the order of their names, archives in their own.
type walker struct {
	want  func(name string) bool   // files that visit is to see; nil for all
	other func(e entry)            // sees the others; not nil where want is not
	visit func(e entry) error      // an error stops the walk
	fault func(s fault)            // members that are refused
	aside func(code, name string)  // files and folders that are passed over; nil where nobody asks
	spool func() (*os.File, error) // a temporary file for members of compressed archives; nil keeps their bytes in memory
	limit int64                    // bytes that a compressed archive may hold; see Options.MaxUnpacked
	lax   bool                     // report a truncated archive as a fault, not as an error
	store string                   // real path of the store, which is left out; "" for none
	ctx   context.Context

	progress Progress // told of the bytes of a compressed archive; nil for none
}

// A fault is a member or archive that a walk refused.
type fault struct{ origin, reason, detail string }

// An ArchiveError is an archive that cannot be read to its end. Since what is missing from it is not known, it
// ends the run unless Options.AllowTruncated.
type ArchiveError struct {
	Archive string
	Err     error
}

func (e *ArchiveError) Error() string { return "ingest: " + e.Archive + ": " + e.Err.Error() }
func (e *ArchiveError) Unwrap() error { return e.Err }

// maxNesting bounds archives in archives: ILSVRC has two levels, ImageNet's boxes too.
const maxNesting = 4

// walk lists root, a folder or an archive file.
func (w *walker) walk(root string) error {
	st, err := os.Stat(root)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	label := filepath.Base(root)
	if !st.IsDir() && !st.Mode().IsRegular() {
		return fmt.Errorf("ingest: %s: want a file or a folder, got %s", label, kindName(st.Mode()))
	}
	if real, err := realPath(root); err == nil && real == w.store {
		return fmt.Errorf("ingest: %s: is the folder of the data set itself: give another -o", root)
	}
	if !st.IsDir() {
		kind, err := archiveKind(root)
		if err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		if kind == notArchive {
			return &ArchiveError{label, errors.New("got neither a folder nor a tar, tar.gz, tar.bz2 or zip archive")}
		}
		return w.archive(entry{name: "", origin: label, file: root, size: st.Size()}, kind, 0)
	}
	return w.tree(root, label)
}

// file visits a file, or enters it when its bytes are those of an archive, whatever its name.
func (w *walker) file(e entry, depth int) error {
	if hiddenFile(e.name) {
		code := "hidden_file"
		if pictureName(e.name) || looksLikeArchive(e.name) {
			code = "hidden_picture"
		}
		w.passOver(code, e.origin)
		return nil
	}
	promised := looksLikeArchive(e.name)
	if promised || mayBeArchive(e.name) {
		kind, err := e.archiveKind()
		if err != nil && promised {
			return fmt.Errorf("ingest: %s: %w", e.origin, pathless(err)) // it cannot be read, which says nothing about it
		}
		if err == nil && kind == notArchive && promised {
			err = errors.New("got neither a tar nor a gzip, bzip2 or zip header")
		}
		if err == nil && kind != notArchive && !promised && !w.plausible(&e, kind) {
			kind = notArchive
		}
		switch {
		case err != nil && promised:
			return w.forgive(&ArchiveError{e.origin, err})
		case err != nil || kind == notArchive: // visit says what is wrong
		case depth+1 > maxNesting:
			return w.forgive(&ArchiveError{e.origin, fmt.Errorf("archives nested %d deep, want at most %d", depth+1, maxNesting)})
		default:
			return w.archive(e, kind, depth+1)
		}
	}
	if w.want != nil && !w.want(e.name) {
		w.other(e)
		return nil
	}
	return w.visit(e)
}

// kindName says what a file is that is neither a regular file nor a folder.
func kindName(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// fileKind is kindName for any file that is not regular.
func fileKind(m fs.FileMode) string {
	if m.IsDir() {
		return "a folder"
	}
	return kindName(m)
}

// realPath is absolute and free of links.
func realPath(p string) (string, error) {
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}
