package ingest

import (
	"context"
	"errors"
	"fmt"
	"hdseg/manifests/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A walker lists the regular files of one folder or archive, entering archives inside them. Those
// of folders come in the order of their names, those of archives in their own.
type walker struct {
	visit func(e entry) error                 // an error stops the walk
	fault func(origin, reason, detail string) // members and archives that are refused
	aside func(code, name string)             // files and folders that are passed over
	spool func() (*os.File, error)            // makes a temporary file for a compressed archive
	lax   bool                                // report a truncated archive as a fault, not as an error
	store string                              // real path of the store, which is left out; "" for none
	ctx   context.Context
	room  *room // what compressed archives may still unpack to

	progress Progress // told of the bytes of a compressed archive; nil for none

	label string          // the folder's name
	seen  map[string]bool // the real folders that were read
	links []folderLink    // to folders, still to be followed
}

// An ArchiveError is an archive that cannot be read to its end. Since what is missing from it is
// not known, it ends the run unless Options.AllowTruncated.
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
		return fmt.Errorf("ingest: %s: want a file or a folder, got %s", label, fileKind(st.Mode()))
	}
	if real, err := realPath(root); err == nil && real == w.store {
		return fmt.Errorf("ingest: %s: is the folder of the data set itself: give another -o", root)
	}
	if !st.IsDir() {
		e := entry{origin: label, file: root, size: st.Size()}
		kind, err := e.archiveKind()
		if err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		if kind == notArchive {
			return &ArchiveError{label, errors.New("got neither a folder nor a tar, tar.gz, tar.bz2 or zip archive")}
		}
		return w.archive(e, kind, 0)
	}
	w.label, w.seen = label, map[string]bool{}
	return w.tree(root)
}

// file visits a file, or enters it when its bytes are those of an archive, whatever its name.
func (w *walker) file(e entry, depth int) error {
	if hiddenFile(e.name) {
		code := "hidden_file"
		if pictureName(e.name) || looksLikeArchive(e.name) {
			code = "hidden_picture"
		}
		w.aside(code, e.origin)
		return nil
	}
	promised := looksLikeArchive(e.name)
	if promised || mayBeArchive(e.name) {
		kind, err := e.archiveKind()
		if err != nil && promised {
			// it cannot be read, which says nothing about it
			return fmt.Errorf("ingest: %s: %w", e.origin, pathless(err))
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
	return w.visit(e)
}

// fileKind says what a file is that is not regular.
func fileKind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// realPath is absolute and free of links.
func realPath(p string) (string, error) {
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// A folderLink is a link to a folder that the walk has met.
type folderLink struct{ file, name string }

// tree walks the folder root: first what is really in it, then what links lead to. Every real
// folder is read once, under its own name where it has one in the tree, else under that of the
// first link. A link with a meaningful name, such as images for a folder JPEGImages, is followed
// all the same, but no link below it.
func (w *walker) tree(root string) error {
	if err := w.folder(root, "", false); err != nil {
		return err
	}
	for len(w.links) > 0 {
		l := w.links[0]
		w.links = w.links[1:]
		if err := w.follow(l); err != nil {
			return err
		}
	}
	return nil
}

// follow reads the folder that a link leads to, if nobody has read it.
func (w *walker) follow(l folderLink) error {
	real, err := realPath(l.file)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	from, err := realPath(filepath.Dir(l.file))
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	again := w.seen[real]
	circle := from == real || strings.HasPrefix(from, real+string(filepath.Separator))
	if again && (circle || !slices.Contains(meaningful, path.Base(l.name))) {
		w.aside("folder_again", path.Join(w.label, l.name))
		return nil
	}
	return w.folder(l.file, l.name, again)
}

// meaningful are the names of folders that readers of sources look for.
var meaningful = []string{"images", "masks", "labels", "annotations", "JPEGImages", "SegmentationClass",
	"SegmentationObject", "Annotations", "ImageSets", "Segmentation"}

// folder walks dir, whose path inside the tree is rel. again is set below a link to what was read
// before, where links end.
func (w *walker) folder(dir, rel string, again bool) error {
	real, err := realPath(dir)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	if real == w.store {
		return nil // what ingest writes is not what it reads
	}
	if w.seen[real] && !again {
		w.aside("folder_again", path.Join(w.label, rel))
		return nil
	}
	w.seen[real] = true
	list, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	for _, d := range list {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if format.Litter(d.Name()) {
			continue
		}
		if err := w.entry(d, filepath.Join(dir, d.Name()), path.Join(rel, d.Name()), again); err != nil {
			return err
		}
	}
	return nil
}

// entry walks one file, folder or link.
func (w *walker) entry(d fs.DirEntry, file, name string, again bool) error {
	origin, link, broken := path.Join(w.label, name), d.Type()&fs.ModeSymlink != 0, ""
	info, err := d.Info()
	if link {
		info, err = os.Stat(file)
		broken = "a link that leads nowhere: "
	}
	if err != nil { // or gone since the folder was listed
		w.fault(origin, "unreadable", broken+pathless(err).Error())
		return nil
	}
	switch mode := info.Mode(); {
	case mode.IsDir() && link && again:
		w.aside("folder_again", origin)
	case mode.IsDir() && link:
		w.links = append(w.links, folderLink{file, name})
	case mode.IsDir():
		return w.folder(file, name, again)
	case mode.IsRegular():
		return w.file(entry{name: name, origin: origin, file: file, size: info.Size()}, 0)
	default:
		w.fault(origin, "unsafe_member", "want a regular file, got "+fileKind(mode))
	}
	return nil
}
