package ingest

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A treeWalk walks one folder with its links. Every real folder is read once, however many links lead to it and in however many
// circles: under its own name where it has one in the tree, else under that of the first link. A link whose name says what it holds, such as
// images for a folder JPEGImages beside it, is followed all the same, but no such link below it.
type treeWalk struct {
	*walker
	label string
	seen  map[string]string // the name under which each real folder was read
	links []folderLink      // to folders, still to be followed
}

// A folderLink is a link to a folder that the walk has met.
type folderLink struct{ file, name string }

// tree walks the folder root: first what is really in it, then what links lead to.
func (w *walker) tree(root, label string) error {
	t := &treeWalk{walker: w, label: label, seen: map[string]string{}}
	if err := t.folder(root, "", false); err != nil {
		return err
	}
	for len(t.links) > 0 {
		l := t.links[0]
		t.links = t.links[1:]
		if err := t.follow(l); err != nil {
			return err
		}
	}
	return nil
}

// follow reads the folder that a link leads to, if nobody has read it.
func (t *treeWalk) follow(l folderLink) error {
	real, err := realPath(l.file)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	from, err := realPath(filepath.Dir(l.file))
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	_, again := t.seen[real]
	circle := from == real || strings.HasPrefix(from, real+string(filepath.Separator))
	if again && (circle || !slices.Contains(meaningful, path.Base(l.name))) {
		t.passOver("folder_again", path.Join(t.label, l.name))
		return nil
	}
	return t.folder(l.file, l.name, again)
}

// meaningful are the names of folders that readers of sources look for.
var meaningful = []string{"images", "masks", "labels", "annotations", "JPEGImages", "SegmentationClass", "SegmentationObject", "Annotations", "ImageSets", "Segmentation"}

// folder walks dir, whose path inside the tree is rel. again is set below a link to what was read before, where links end.
func (t *treeWalk) folder(dir, rel string, again bool) error {
	real, err := realPath(dir)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	if real == t.store {
		return nil // what ingest writes is not what it reads
	}
	if _, ok := t.seen[real]; ok && !again {
		t.passOver("folder_again", path.Join(t.label, rel))
		return nil
	}
	if !again {
		t.seen[real] = rel
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	for _, d := range list {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if isLitter(d.Name()) {
			continue
		}
		if err := t.entry(d, filepath.Join(dir, d.Name()), path.Join(rel, d.Name()), again); err != nil {
			return err
		}
	}
	return nil
}

// entry walks one file, folder or link.
func (t *treeWalk) entry(d fs.DirEntry, file, name string, again bool) error {
	mode := d.Type()
	link := mode&fs.ModeSymlink != 0
	var size int64 = -1
	if link {
		st, err := os.Stat(file)
		if err != nil {
			t.fault(fault{path.Join(t.label, name), "unreadable", "a link that leads nowhere: " + pathless(err).Error()})
			return nil
		}
		mode, size = st.Mode().Type(), st.Size()
	}
	switch {
	case mode.IsDir() && link && again:
		t.passOver("folder_again", path.Join(t.label, name))
	case mode.IsDir() && link:
		t.links = append(t.links, folderLink{file, name})
	case mode.IsDir():
		return t.folder(file, name, again)
	case mode.IsRegular():
		if size < 0 {
			info, err := d.Info()
			if err != nil { // gone since the folder was listed
				t.fault(fault{path.Join(t.label, name), "unreadable", pathless(err).Error()})
				return nil
			}
			size = info.Size()
		}
		e := newEntry(name, path.Join(t.label, name))
		e.file, e.size = file, size
		return t.file(e, 0)
	default:
		t.fault(fault{path.Join(t.label, name), "unsafe_member", "want a regular file, got " + kindName(mode)})
	}
	return nil
}

// passOver says that something is not read by rule.
func (w *walker) passOver(code, name string) {
	if w.aside != nil {
		w.aside(code, name)
	}
}
