package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// A Store is a data-set folder, for any number of goroutines and processes at a time. A file
// appears under its final name only when it is complete, and only Replace and Write overwrite.
// Paths are POSIX and relative to the folder. After kill -9 every file under a final name is whole.
// After a power loss every file written with Replace and everything that a manifest names is whole:
// Write flushes before the index appears. A file that was Put after that may hold other bytes; Put
// and Read compare digests.
type Store struct {
	dir   string
	fresh fresh
	fetch func(p string, want Digest) ([]byte, error) // see From
}

// OpenStore opens a folder, made if missing, finishes a Write that was being made visible and
// removes temporary files of processes that are gone. A folder that may only be read stays as it
// is.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	s := &Store{dir: dir}
	if err := s.settle(func() {}); err != nil && !ReadOnly(err) {
		return nil, err
	}
	return s, nil
}

// ViewStore is OpenStore for who only looks: it makes and clears up nothing.
func ViewStore(dir string) (*Store, error) {
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("%s: is no folder", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &Store{dir: dir}, nil
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Glob returns the paths in the store that fit a pattern of path.Match, which must be a good one.
func (s *Store) Glob(pattern string) []string {
	paths, err := fs.Glob(os.DirFS(s.dir), pattern)
	if err != nil {
		panic("manifests: " + pattern + ": " + err.Error())
	}
	return paths
}

// Path returns the file of a stored path. It refuses paths that leave the store.
func (s *Store) Path(p string) (string, error) {
	if !validPath(p) {
		return "", fmt.Errorf("path %q: want a clean relative path with '/'", p)
	}
	return filepath.Join(s.dir, filepath.FromSlash(p)), nil
}

// Put stores data under dir/stem.DIGEST.ext, with Digest.Short, and returns that path and the whole
// digest. A file that is there is compared: after a power loss it can hold zeros. Put does not wait
// for the disk, which would double the time of 156,000 images. See Flush.
func (s *Store) Put(dir, stem, ext string, data []byte) (string, Digest, error) {
	d := Sum(data)
	p := path.Join(dir, stem+"."+d.Short()+"."+ext)
	name, err := s.Path(p)
	if err != nil {
		return "", "", err
	}
	if holds(name, data) {
		s.fresh.add(name) // perhaps of a run that was killed before its flush
		return p, d, nil
	}
	g, err := stageData(name, s.temp(), data, !canFlush)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", p, err)
	}
	defer g.close()
	s.fresh.add(name)
	return p, d, g.rename()
}

func holds(name string, data []byte) bool {
	st, err := os.Stat(name)
	if err != nil || st.Size() != int64(len(data)) {
		return false
	}
	old, err := readRegular(name, nil)
	return err == nil && bytes.Equal(old, data)
}

// Replace writes data under path p; a reader sees the old bytes or the new ones, never a part.
func (s *Store) Replace(p string, data []byte) error {
	name, err := s.Path(p)
	if err != nil {
		return err
	}
	return WriteFile(name, s.temp(), data)
}

// From makes the store ask fetch for files that it lacks when they are read by their digest: a
// worker of a cluster then has only those pictures and masks that it works on. fetch may be called
// from several goroutines; an error that is fs.ErrNotExist says that there is no such file.
func (s *Store) From(fetch func(p string, want Digest) ([]byte, error)) { s.fetch = fetch }

// Read returns the bytes of path p and checks their digest unless want is "".
func (s *Store) Read(p string, want Digest) ([]byte, error) {
	name, err := s.Path(p)
	if err != nil {
		return nil, err
	}
	data, err := readRegular(name, nil)
	if want != "" && s.fetch != nil && errors.Is(err, fs.ErrNotExist) {
		data, err = s.fetch(p, want)
	}
	if err != nil {
		return nil, err
	}
	if want != "" && Sum(data) != want {
		return nil, fmt.Errorf("%s: %s", p, changed(data, want))
	}
	return data, nil
}

// lineEnds is what to do about a text file whose lines end in \r\n.
const lineEnds = "its line ends were changed, as git with core.autocrlf does: put the line \"* -text\" into .gitattributes " +
	"and check the files out anew"

func unixLines(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// changed says how bytes differ from those of a digest.
func changed(data []byte, want Digest) string {
	if Sum(unixLines(data)) == want {
		return lineEnds
	}
	return fmt.Sprintf("the bytes changed: got sha256 %s of %d bytes, want %s", Sum(data).Short(), len(data), want.Short())
}

// openRegular opens a regular file or a link to one, of so many bytes: opening a pipe waits for
// ever.
func openRegular(name string) (f *os.File, size int64, err error) {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, 0, err
	case st.IsDir():
		return nil, 0, fmt.Errorf("%s: is a folder, want a file", filepath.Base(name))
	case !st.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s: is no regular file (%v)", filepath.Base(name), st.Mode().Type())
	}
	f, err = os.Open(name)
	return f, st.Size(), err
}

// readRegular is os.ReadFile of a regular file, into room if that suffices.
func readRegular(name string, room []byte) ([]byte, error) {
	f, size, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := bytes.NewBuffer(slices.Grow(room[:0], int(size)+bytes.MinRead))
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// temp is where files are written: on the store's own file system, so that a rename is atomic.
func (s *Store) temp() string { return filepath.Join(s.dir, ".tmp") }

// ReadOnly tells whether an error says that something cannot be written, or read, by this user.
func ReadOnly(err error) bool { return errors.Is(err, fs.ErrPermission) || isReadOnlyFS(err) }
