package exchange

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/bzip2"
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

// A source is what masks are read from: a folder with all below it, an archive, or one file.
type source struct {
	path   string // as it was given
	prefix string // of the names of its files: the archive that it is, and a slash; "" at the top
	files  []file // in the order of their names
	packed []file // archives among its files, which are not in files
	// of an archive or a single file; "" for a folder, whose files have digests of their own
	digest manifests.Digest
	depth  int    // how many archives it lies in
	room   *int64 // bytes that archives in it may still have
}

// A file is a file of a source.
type file struct {
	name string                           // slash-separated, within the source
	read func(most int64) ([]byte, error) // refuses more bytes
	err  error                            // why it cannot be read
}

// maxEntries bounds an archive's list of files.
const maxEntries = 1_000_000

// openSource lists the files of a source. What systems leave behind (._*, Thumbs.db) is passed
// over.
func openSource(path string) (*source, error) {
	room := int64(maxPacked)
	s := &source{path: path, room: &room}
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return s, s.folder()
	}
	data, err := readLimited(path, maxFile)
	if err != nil {
		return nil, err
	}
	return s, s.content(data)
}

// where names an archive in errors.
func (s *source) where() string { return strings.TrimSuffix(s.path+"/"+s.prefix, "/") }

// sort puts the files in order, and archives aside.
func (s *source) sort() {
	slices.SortFunc(s.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	archive := func(f file) bool {
		return slices.Contains([]string{".zip", ".tar", ".tgz", ".gz", ".bz2"}, strings.ToLower(path.Ext(f.name)))
	}
	for _, f := range s.files {
		if archive(f) {
			s.packed = append(s.packed, f)
		}
	}
	s.files = slices.DeleteFunc(s.files, archive)
}

// most archives within one another, and the bytes that they may have together.
const (
	maxDepth  = 3
	maxPacked = 1 << 30
)

// A noMasks is the error of a source that holds nothing of a format.
type noMasks string

func (e noMasks) Error() string { return string(e) }

// open lists the masks of a source, or of the archives in it if it has none itself. CVAT's tasks
// are read in both: there a mask in an archive whose record has one outside is a copy, as where an
// archive was unpacked in its place.
func (s *source) open(kind string, o Options) ([]Drawn, error) {
	out, err := s.masks(kind, o)
	none := noMasks("")
	if err != nil && !errors.As(err, &none) || len(out) > 0 && kind != CVAT {
		return out, err
	}
	own := map[int]bool{} // records
	for _, d := range out {
		if r, ok := o.Record(d.Name); ok {
			own[r] = true
		}
	}
	var faults []Drawn
	for _, f := range s.packed {
		drawn, err := s.unpack(f, kind, o)
		if err != nil && !errors.As(err, &none) {
			faults = append(faults, Drawn{Name: f.name, File: f.name, Err: err})
		}
		for _, d := range drawn {
			if r, ok := o.Record(d.Name); !ok || !own[r] {
				out = append(out, d)
			}
		}
	}
	switch {
	case len(out) > 0:
		return append(out, faults...), nil
	case len(faults) > 0:
		return nil, faults[0].Err
	}
	return nil, err
}

// unpack lists the masks of an archive in a source. Of two archives both may have an a.png.
func (s *source) unpack(f file, kind string, o Options) ([]Drawn, error) {
	in := &source{path: s.path, prefix: f.name + "/", depth: s.depth + 1, room: s.room}
	data, err := []byte(nil), f.err
	if err == nil {
		data, err = f.read(maxFile)
	}
	if *s.room -= int64(len(data)); err == nil && (*s.room < 0 || in.depth > maxDepth) {
		err = fmt.Errorf("want archives of at most %d bytes together, %d within one another: unpack them", maxPacked, maxDepth)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.where(), err)
	}
	if err := in.content(data); err != nil {
		return nil, err
	}
	return in.open(kind, o)
}

func (s *source) folder() error {
	defer s.sort()
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
				err = ofMask(err)
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
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("a link to a file that is not there")
	case err == nil && !st.Mode().IsRegular():
		return errors.New("want a file, or a link to one")
	case err != nil:
		return ofMask(err)
	}
	return nil
}

// ofMask makes what the system said an error of one mask, without the path: it does not unwrap.
func ofMask(err error) error {
	if p := new(fs.PathError); errors.As(err, &p) {
		err = p.Err
	}
	return errors.New(err.Error())
}

// content reads the bytes of a file: a zip or tar archive as its members, gzip and bzip2 as what is
// in it, anything else as it is.
func (s *source) content(data []byte) error {
	s.digest = manifests.Sum(data)
	name := filepath.Base(s.where())
	var packed io.Reader
	var err error
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return s.members(data)
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		packed, err = gzip.NewReader(bytes.NewReader(data))
	case bytes.HasPrefix(data, []byte("BZh")):
		packed = bzip2.NewReader(bytes.NewReader(data))
	}
	if packed != nil && err == nil {
		data, err = readMost(packed, maxFile)
		if ext := path.Ext(name); strings.EqualFold(ext, ".gz") || strings.EqualFold(ext, ".bz2") {
			name = strings.TrimSuffix(name, ext)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	if len(data) > 512 && string(data[257:262]) == "ustar" {
		return s.tar(data)
	}
	s.files = []file{{name: s.prefix + name, read: func(int64) ([]byte, error) { return data, nil }}}
	return nil
}

// tar lists the files of a tar archive.
func (s *source) tar(data []byte) error {
	defer s.sort()
	if len(data) < 1024 || len(bytes.Trim(data[len(data)-1024:], "\x00")) > 0 {
		return fmt.Errorf("%s: tar: cut short: the two zero blocks at the end are missing", s.where())
	}
	seen := map[string]bool{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.where(), err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.where(), h.Name, err)
		}
		if err := s.member(h.Name, h.FileInfo().Mode(), seen,
			func(most int64) ([]byte, error) { return readMost(bytes.NewReader(text), most) }); err != nil {
			return err
		}
	}
}

// member adds an archive's member, if it is a file that is no litter. A name that leads out of the
// archive, a link or a repeated name is an error.
func (s *source) member(given string, mode fs.FileMode, seen map[string]bool, read func(most int64) ([]byte, error)) error {
	name := strings.TrimPrefix(strings.ReplaceAll(given, `\`, "/"), "./")
	if name == "" || strings.HasSuffix(name, "/") || mode.IsDir() || format.Litter(name) {
		return nil
	}
	if !filepath.IsLocal(name) || path.Clean(name) != name || !mode.IsRegular() || seen[name] {
		return fmt.Errorf("%s: %q: want regular files inside the archive, each once", s.where(), given)
	}
	if len(seen) >= maxEntries {
		return fmt.Errorf("%s: got more than %d files", s.where(), maxEntries)
	}
	seen[name] = true
	s.files = append(s.files, file{name: s.prefix + name, read: read})
	return nil
}

// members lists the files of a zip archive, which stays in memory; nothing is unpacked to the disk.
func (s *source) members(data []byte) error {
	defer s.sort()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	seen := map[string]bool{}
	for _, e := range z.File {
		if err := s.member(e.Name, e.Mode(), seen, func(most int64) ([]byte, error) {
			r, err := e.Open()
			if err != nil {
				return nil, err
			}
			defer r.Close()
			return readMost(r, most)
		}); err != nil {
			return err
		}
	}
	return nil
}

// readMost reads at most so many bytes, whatever an archive says of the size.
func readMost(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("got more than %d bytes", most)
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
	return readMost(f, most)
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

// names lists a few files, for messages.
func (s *source) names() string {
	var out []string
	for _, f := range s.files {
		out = append(out, f.name)
	}
	return cmp.Or(format.Some(out, 5), "no files")
}

// in makes a fault of a file an error of the source. The only file of a source is the source.
func (s *source) in(f file, err error) error {
	if len(s.files) == 1 && f.name == filepath.Base(s.path) {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return fmt.Errorf("%s: %s: %w", s.path, f.name, err)
}
