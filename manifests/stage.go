package manifests

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// WriteFile writes name by way of a synced temporary file in the folder temp, on the same file
// system. It refuses a name of something that is there and no regular file.
func WriteFile(name, temp string, data []byte) error {
	if err := regular(name); err != nil {
		return err
	}
	g, err := stageData(name, temp, data, true)
	if err != nil {
		return err
	}
	defer g.close()
	if err := g.rename(); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(name))
}

// CheckFile returns what would keep WriteFile from writing name, and makes nothing.
func CheckFile(name string) error {
	if err := regular(name); err != nil {
		return err
	}
	dir := filepath.Dir(name)
	for {
		st, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: want a file in a folder that can be written: %w", name, err)
		}
		if !st.IsDir() {
			return fmt.Errorf("%s: %s is not a folder", name, dir)
		}
		break
	}
	if err := writable(dir); err != nil {
		return fmt.Errorf("%s: want a file in a folder that can be written: %w", name, err)
	}
	return nil
}

// tempIn makes a temporary file in a folder, whose name is a number. Umask decides
// who may read it, as of all files that keep their modes when they get their final names. An error
// names the folder: nobody chose the file's name.
func tempIn(dir string) (*os.File, error) {
	for {
		name := filepath.Join(dir, strconv.FormatUint(uint64(rand.Uint32()), 10))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if fault := new(fs.PathError); errors.As(err, &fault) {
			return nil, &fs.PathError{Op: "write to", Path: dir, Err: fault.Err}
		}
		return f, err
	}
}

// regular refuses what is there and no regular file. A link is what it leads to.
func regular(name string) error {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil // nothing is there, or writing says what is wrong
	case st.IsDir():
		return fmt.Errorf("%s: is a folder, want the name of a file", name)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s: is no regular file (%v), want the name of one to write", name, st.Mode().Type())
	}
	return nil
}

// A staged file has a temporary name and waits for its final one. While it is open, its lock tells
// other processes that it is not left over.
type staged struct {
	temp, final string
	f           *os.File // nil when it is finished
	lock        *os.File
	done        bool // renamed, or to be kept for a commit
}

// stage makes a temporary file of what fill writes and says the final name of, on the disk if sync.
// On an error nothing is left.
func stage(temp string, sync bool, fill func(f *os.File) (final string, err error)) (*staged, error) {
	f, lock, err := createLocked(temp)
	if err != nil {
		return nil, err
	}
	g := &staged{temp: f.Name(), f: f, lock: lock}
	if g.final, err = fill(f); err == nil {
		err = g.finish(sync)
	}
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// stageData is stage of data.
func stageData(final, temp string, data []byte, sync bool) (*staged, error) {
	return stage(temp, sync, func(f *os.File) (string, error) {
		_, err := f.Write(data)
		return final, err
	})
}

// finish ends writing, to the disk if sync.
func (g *staged) finish(sync bool) error {
	if sync {
		if err := g.f.Sync(); err != nil {
			return err
		}
	}
	// Network file systems report a full disk here, so close before rename.
	err := g.f.Close()
	g.f = nil
	if err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(g.final), 0o777)
}

func (g *staged) rename() error {
	err := os.Rename(g.temp, g.final)
	g.done = err == nil
	return err
}

// close lets go of g and removes it if it has not got its final name.
func (g *staged) close() {
	if g.f != nil {
		g.f.Close()
	}
	if !g.done {
		os.Remove(g.temp)
	}
	g.lock.Close()
}

// Create makes a file of what fill writes, whole or not at all. Like Put it does not wait for the
// disk.
func (s *Store) Create(p string, fill func(*os.File) error) error {
	name, err := s.Path(p)
	if err != nil {
		return err
	}
	g, err := stage(s.temp(), !canFlush, func(f *os.File) (string, error) { return name, fill(f) })
	if err != nil {
		return err
	}
	defer g.close()
	s.fresh.add(name)
	return g.rename()
}

// CreateTemp makes a temporary file in the store, the caller's to close and remove; until release
// is called no other process takes it for left over.
func (s *Store) CreateTemp() (f *os.File, release func(), err error) {
	f, lock, err := createLocked(s.temp())
	if err != nil {
		return nil, nil, err
	}
	return f, func() { lock.Close() }, nil
}

// createLocked makes a temporary file and locks it by a second handle. If another process sweeps it
// away before it is locked, it is made again.
func createLocked(temp string) (f, lock *os.File, err error) {
	if err := os.MkdirAll(temp, 0o777); err != nil {
		return nil, nil, err
	}
	for {
		f, err := tempIn(temp)
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

func isAt(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}

// SyncDir returns when the names in a folder are on the disk, where folders can be synced.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return ignoreUnsupported(d.Sync())
}

func syncDirs(dirs map[string]bool) error {
	for d := range dirs {
		if err := SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}
