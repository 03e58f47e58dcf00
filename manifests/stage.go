package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes name by way of a synced temporary file in the folder temp, which must be on the
// same file system and is made if it is missing.
func WriteFile(name, temp string, data []byte) error {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return fmt.Errorf("%s: is a folder, want the name of a file", name)
	}
	g, err := stage(name, temp, data, true)
	if err != nil {
		return err
	}
	defer g.close()
	if err := g.rename(); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// A staged file is complete, has a temporary name, and waits for its final one. While it is open, its lock
// tells other processes that it is not left over.
type staged struct {
	temp, final string
	lock        *os.File
	done        bool // renamed, or to be kept for a commit
}

// stage writes data to a new temporary file, and to the disk if sync. On an error nothing is left.
func stage(final, temp string, data []byte, sync bool) (_ *staged, err error) {
	f, lock, err := createLocked(temp)
	if err != nil {
		return nil, err
	}
	g := &staged{f.Name(), final, lock, false}
	defer func() {
		if err != nil {
			f.Close()
			g.close()
		}
	}()
	if _, err := f.Write(data); err != nil {
		return nil, err
	}
	if err := f.Chmod(0o644); err != nil {
		return nil, err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return nil, err
		}
	}
	// Network file systems report a full disk here, so close before rename.
	if err := f.Close(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(final), 0o777); err != nil {
		return nil, err
	}
	return g, nil
}

// rename gives g its final name.
func (g *staged) rename() error {
	err := os.Rename(g.temp, g.final)
	g.done = err == nil
	return err
}

// close lets go of g and removes it if it has not got its final name.
func (g *staged) close() {
	if !g.done {
		os.Remove(g.temp)
	}
	g.lock.Close()
}

// CreateTemp makes a temporary file on the store's file system, for spooling. It is the caller's to close and remove; until
// release is called no other process takes it for left over, and if this process dies the next OpenStore removes it.
func (s *Store) CreateTemp() (f *os.File, release func(), err error) {
	f, lock, err := createLocked(s.temp())
	if err != nil {
		return nil, nil, err
	}
	return f, func() { lock.Close() }, nil
}

// createLocked makes a temporary file and locks it by way of a second handle, which outlives f's closing.
// Another process may sweep the file away before it is locked; then it is made again.
func createLocked(temp string) (f, lock *os.File, err error) {
	if err := os.MkdirAll(temp, 0o777); err != nil {
		return nil, nil, err
	}
	for {
		f, err := os.CreateTemp(temp, "*")
		if err != nil {
			return nil, nil, err
		}
		lock, err := os.Open(f.Name())
		if err == nil {
			if err = lockFile(lock); err == nil && isAt(lock, f.Name()) {
				return f, lock, nil
			}
			lock.Close()
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			os.Remove(f.Name())
			return nil, nil, err
		}
	}
}

// isAt tells whether f is still the file of that name.
func isAt(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}

// syncDir makes renames into dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return ignoreUnsupported(d.Sync())
}
