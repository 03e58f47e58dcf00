package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Unnamed lists the files in images, masks and folders of parts that no manifest in the store
// names, by path, but for those to spare. A manifest that cannot be read is an error: what it names
// is not known. A file counts as named, too, if another text in the folder has its digest, as a
// manifest under another name or a folder of parts without its index do; keepers are those texts.
func Unnamed(s *Store, spare map[string]bool) (out, keepers []string, err error) {
	all, named, err := allNamed(s, spare)
	if err != nil {
		return nil, nil, err
	}
	return unnamed(s, all, named, nil)
}

// unnamed is Unnamed with what allNamed returned, of the files that are there and those of out.
func unnamed(s *Store, all []string, named map[string]bool, out []string) (left, keepers []string, err error) {
	folders := []string{"images", "masks"}
	for _, name := range all {
		folders = append(folders, name+".d")
	}
	for _, top := range folders {
		err := s.Walk(top, func(string) bool { return false }, func(p string, e fs.DirEntry) {
			if e.Type()&fs.ModeSymlink == 0 && !named[p] { // no run left a link
				out = append(out, p)
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if len(out) == 0 {
		return nil, nil, nil
	}
	return keepMentioned(s, all, out)
}

// allNamed returns the manifests in a store and the paths that they name, with those to spare.
func allNamed(s *Store, spare map[string]bool) (all []string, named map[string]bool, err error) {
	all, err = manifestNames(s)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no manifest is found, so that all would be left over", s.dir)
	}
	if err != nil {
		return nil, nil, err
	}
	if named = maps.Clone(spare); named == nil {
		named = map[string]bool{}
	}
	for _, name := range all {
		m, _, faults, err := read(s, name, true)
		if err == nil && slices.ContainsFunc(faults, unread) {
			err = joinSome(faults)
		}
		var lines []sumLine
		if err == nil {
			lines, err = storedLines(s, name, m)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s.yaml: what it names is not known: %w", name, err)
		}
		for _, l := range lines {
			named[*l.path] = true
		}
	}
	return all, named, nil
}

// surplus finds out of some paths, of files that are there or gone, those that no manifest in the
// store names: what Unnamed lists, and what is gone with its manifest. Where that is not known it
// finds none.
func surplus(s *Store, paths []string, spare map[string]bool) map[string]bool {
	all, named, err := allNamed(s, spare)
	if err != nil {
		return nil
	}
	var gone []string
	for _, p := range paths {
		_, half := os.Stat(filepath.Join(s.dir, filepath.FromSlash(strings.TrimSuffix(p, ".yaml")+".d")))
		of := strings.HasSuffix(p, ".csv") && slices.ContainsFunc(all, func(name string) bool { return strings.HasPrefix(p, name+".") })
		if !named[p] && !s.has(p) && !of && errors.Is(half, fs.ErrNotExist) {
			gone = append(gone, p)
		}
	}
	left, _, err := unnamed(s, all, named, gone)
	if err != nil {
		return nil
	}
	over := map[string]bool{}
	for _, p := range left {
		over[p] = true
	}
	return over
}

// keepMentioned takes from a list of leftovers those that a text in the store mentions which is no
// file of the manifests all, and what the parts among them mention in turn. It returns the texts.
func keepMentioned(s *Store, all, left []string) (rest, keepers []string, err error) {
	texts, err := strangers(s, all)
	for _, text := range texts {
		kept := 0
		for queue := []string{text}; len(queue) > 0 && err == nil; queue = queue[1:] {
			var found map[string]bool
			found, err = mentions(filepath.Join(s.dir, filepath.FromSlash(queue[0])))
			if queue[0] == text && len(found) > 0 && slices.Contains(left, text) {
				kept++ // an index among the parts of another
			}
			left = slices.DeleteFunc(left, func(p string) bool {
				m := shortDigest.FindStringSubmatch(path.Base(p))
				if m == nil || !found[m[1]] {
					return false
				}
				if kept++; strings.HasSuffix(p, ".yaml") {
					queue = append(queue, p)
				}
				return true
			})
		}
		if kept > 0 {
			keepers = append(keepers, text)
			left = slices.DeleteFunc(left, func(p string) bool { return p == text })
		}
	}
	return left, keepers, err
}

// Walk visits the files below a folder of the store, "" for all, by their path. What lies in
// folders that skip names is left out; the folder may be missing.
func (s *Store) Walk(top string, skip func(p string) bool, visit func(p string, e fs.DirEntry)) error {
	root, err := filepath.EvalSymlinks(s.dir) // a walk does not enter a link
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(root, filepath.FromSlash(top)), func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		switch p := filepath.ToSlash(rel); {
		case err != nil:
		case !e.IsDir():
			visit(p, e)
		case p != "." && skip(p):
			return filepath.SkipDir
		}
		return err
	})
}

// strangers lists the files in a store that may be manifests or parts of some and belong to none
// of the manifests all.
func strangers(s *Store, all []string) (out []string, err error) {
	skip := func(p string) bool {
		return slices.Contains([]string{"images", "masks", "features", "models", "experts", ".work", ".tmp"}, p)
	}
	err = s.Walk("", skip, func(p string, _ fs.DirEntry) {
		index := strings.HasSuffix(p, ".yaml") && slices.Contains(all, strings.TrimSuffix(p, ".yaml"))
		own := p == SumsFile || index || slices.ContainsFunc(all, func(name string) bool {
			in, part := strings.CutPrefix(p, name+".d/")
			return part && shortDigest.MatchString(in) || strings.HasPrefix(p, name+".") && strings.HasSuffix(p, ".csv")
		})
		if !own {
			out = append(out, p)
		}
	})
	return out, err
}

// shortDigest is how the digest stands in the name of a stored file.
var shortDigest = regexp.MustCompile(`\.([0-9a-f]{12})\b`)

// mentions returns the digests in names of files that stand in a text; in other files there are
// none.
func mentions(file string) (found map[string]bool, err error) {
	found = map[string]bool{}
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
		return found, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf, n := make([]byte, 64<<10), 0
	for first := true; err == nil; first = false {
		var more int
		more, err = io.ReadFull(f, buf[n:])
		n += more
		if first && bytes.IndexByte(buf[:n], 0) >= 0 {
			return found, nil
		}
		for _, m := range shortDigest.FindAllSubmatch(buf[:n], -1) {
			found[string(m[1])] = true
		}
		// one may end in what is read next
		n = copy(buf, buf[max(0, n-2*len("."+"0123456789ab")):n])
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return found, err
}

// manifestNames finds the manifests anywhere in a store: YAML files with a folder of parts, whole
// or damaged, and indexes without.
func manifestNames(s *Store) (names []string, err error) {
	skip := func(p string) bool {
		return slices.Contains([]string{"images", "masks", "annotate", ".work", ".tmp"}, p) || strings.HasSuffix(p, ".d")
	}
	err = s.Walk("", skip, func(p string, _ fs.DirEntry) {
		name, ok := strings.CutSuffix(p, ".yaml")
		file := filepath.Join(s.dir, filepath.FromSlash(name))
		if st, missing := os.Stat(file + ".yaml"); !ok || missing != nil || !st.Mode().IsRegular() || strings.HasSuffix(name, ".run") {
			return
		}
		_, _, bad := readIndex(s, name)
		if st, missing := os.Stat(file + ".d"); bad == nil || missing == nil && st.IsDir() {
			names = append(names, name)
		}
	})
	return names, err
}
