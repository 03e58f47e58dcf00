package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Store is a data-set folder. A file appears in it under its final name only when it
// is complete and synced; nothing is ever overwritten with other bytes, except files
// written with Replace. Paths are POSIX and relative to the folder.
type Store struct{ dir string }

// OpenStore opens a folder, which is made if it is missing, and removes temporary files that
// an interrupted run left.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	left, err := filepath.Glob(filepath.Join(dir, tempDir, "*"))
	if err != nil {
		return nil, err
	}
	for _, f := range left {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return &Store{dir}, nil
}

// tempDir holds files being written; it lies on the store's own file system so that a rename
// is atomic.
const tempDir = ".tmp"

// Dir returns the folder.
func (s *Store) Dir() string { return s.dir }

// Path returns the file of a stored path. It refuses paths that leave the store.
func (s *Store) Path(p string) (string, error) {
	if p == "" || path.IsAbs(p) || strings.Contains(p, `\`) || path.Clean(p) != p || !filepath.IsLocal(filepath.FromSlash(p)) {
		return "", fmt.Errorf("path %q: want a clean relative path with '/'", p)
	}
	return filepath.Join(s.dir, filepath.FromSlash(p)), nil
}

// Put stores data under dir/stem.DIGEST.ext, where DIGEST is Digest.Short, and returns that path.
// If the file is already there, nothing is written.
func (s *Store) Put(dir, stem, ext string, data []byte) (string, Digest, error) {
	d := Sum(data)
	p := path.Join(dir, stem+"."+d.Short()+"."+ext)
	f, err := s.Path(p)
	if err != nil {
		return "", "", err
	}
	if st, err := os.Stat(f); err == nil && st.Size() == int64(len(data)) {
		return p, d, nil
	}
	return p, d, s.Replace(p, data)
}

// Replace writes data under path p: to a temporary file first, synced and renamed, so that a
// reader sees the old bytes or the new ones and never a part.
func (s *Store) Replace(p string, data []byte) error {
	name, err := s.Path(p)
	if err != nil {
		return err
	}
	return WriteFile(name, filepath.Join(s.dir, tempDir), data)
}

// Read returns the bytes of path p and checks their digest unless want is "".
func (s *Store) Read(p string, want Digest) ([]byte, error) {
	name, err := s.Path(p)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if want != "" {
		if got := Sum(data); got != want {
			return nil, fmt.Errorf("%s: the bytes changed: got sha256 %s, want %s", p, got.Short(), want.Short())
		}
	}
	return data, nil
}

// WriteFile writes name by way of a synced temporary file in the folder temp, which must be on the
// same file system and is made if it is missing.
func WriteFile(name, temp string, data []byte) (err error) {
	for _, d := range []string{temp, filepath.Dir(name)} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(temp, "*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// syncDir makes a rename durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
