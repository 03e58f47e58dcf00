package exchange

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// A source is what masks are read from: a folder with all below it, a zip archive, or one file.
type source struct {
	path  string // as it was given
	files []file // in the order of their names
	// of an archive or a single file; "" for a folder, whose files have digests of their own
	digest manifests.Digest
}

// A file is a file of a source.
type file struct {
	name string                           // slash-separated, within the source
	read func(most int64) ([]byte, error) // refuses more bytes
	err  error                            // why it cannot be read
}

// maxEntries bounds a zip's list of files.
const maxEntries = 1_000_000

// openSource lists the files of a source. What systems leave behind (._*, Thumbs.db) is passed
// over.
func openSource(path string) (*source, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	s := &source{path: path}
	if st.IsDir() {
		err = s.folder()
	} else {
		err = s.single()
	}
	slices.SortFunc(s.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return s, err
}

func (s *source) folder() error {
	root := filepath.Clean(s.path) + string(filepath.Separator) // a link to a folder is followed
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || rel == "." {
			return err
		}
		if format.Litter(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		f := file{name: filepath.ToSlash(rel), err: isMask(name)}
		f.read = func(most int64) ([]byte, error) {
			data, err := readLimited(name, most)
			if err != nil {
				err = ofMask(f.name, err)
			}
			return data, err
		}
		s.files = append(s.files, f)
		return nil
	})
}

// isMask tells why a file cannot be read: it is neither a regular file nor a link that leads to
// one.
func isMask(name string) error {
	base := filepath.Base(name)
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: a link to a file that is not there", base)
	case err == nil && !st.Mode().IsRegular():
		return fmt.Errorf("%s: want a file, or a link to one", base)
	case err != nil:
		return ofMask(base, err)
	}
	return nil
}

// ofMask makes what the system said an error of one mask: it names the file, not the folder, and
// does not unwrap.
func ofMask(name string, err error) error {
	if p := new(fs.PathError); errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %v", name, err)
}

// single reads a file: a zip archive as its members, gzip as what is in it, anything else as it is.
func (s *source) single() error {
	data, err := readLimited(s.path, maxFile)
	if err != nil {
		return err
	}
	s.digest = manifests.Sum(data)
	base := filepath.Base(s.path)
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06")) {
		return s.members(data)
	}
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		if data, err = readMost(z, base, maxFile); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
		base = strings.TrimSuffix(base, ".gz")
	}
	s.files = []file{{name: base, read: func(int64) ([]byte, error) { return data, nil }}}
	return nil
}

// members lists the files of a zip archive, which stays in memory. Names that lead out of it, links
// and repeated names are errors; nothing is unpacked to the disk.
func (s *source) members(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	if len(z.File) > maxEntries {
		return fmt.Errorf("%s: got %d files, want at most %d", s.path, len(z.File), maxEntries)
	}
	seen := map[string]bool{}
	for _, e := range z.File {
		name := strings.TrimPrefix(strings.ReplaceAll(e.Name, `\`, "/"), "./")
		if strings.HasSuffix(name, "/") || format.Litter(name) {
			continue
		}
		if !filepath.IsLocal(name) || path.Clean(name) != name || !e.Mode().IsRegular() || seen[name] {
			return fmt.Errorf("%s: %q: want regular files inside the archive, each once", s.path, e.Name)
		}
		seen[name] = true
		s.files = append(s.files, file{name: name, read: func(most int64) ([]byte, error) {
			r, err := e.Open()
			if err != nil {
				return nil, err
			}
			defer r.Close()
			return readMost(r, e.Name, most)
		}})
	}
	return nil
}

// readMost reads at most so many bytes, whatever an archive says of the size.
func readMost(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: got more than %d bytes", name, most)
	}
	return data, err
}

// readLimited reads a file of at most so many bytes.
func readLimited(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readMost(f, name, most)
}

// digestOf is that of the source, or of a folder's file.
func (s *source) digestOf(data []byte) manifests.Digest {
	if s.digest != "" {
		return s.digest
	}
	return manifests.Sum(data)
}

// all returns the files whose base names, in small letters, are wanted.
func (s *source) all(wanted func(base string) bool) (list []file) {
	for _, f := range s.files {
		if wanted(strings.ToLower(path.Base(f.name))) {
			list = append(list, f)
		}
	}
	return list
}

// find returns of the wanted files the first that lies least deep, and the folder that it lies in.
func (s *source) find(wanted func(base string) bool) (found *file, dir string) {
	for _, f := range s.all(wanted) {
		if found == nil || strings.Count(f.name, "/") < strings.Count(found.name, "/") {
			found, dir = &f, strings.TrimSuffix(f.name, path.Base(f.name))
		}
	}
	return found, dir
}

// called returns what find wants of a single name.
func called(name string) func(base string) bool {
	return func(base string) bool { return base == name }
}

// names lists a few files, for messages.
func (s *source) names() string {
	var out []string
	for _, f := range s.files[:min(5, len(s.files))] {
		out = append(out, f.name)
	}
	if n := len(s.files) - len(out); n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	if len(out) == 0 {
		return "no files"
	}
	return strings.Join(out, ", ")
}
