package manifests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// fresh remembers which files may not be on the disk yet, as long as they are few.
type fresh struct {
	mu    sync.Mutex
	names []string
	many  bool
}

// fewFiles are synced one by one. One call for the whole file system costs less for more, but waits
// for what every other program has written too.
const fewFiles = 256

func (f *fresh) add(name string) {
	if !canFlush {
		return // it was synced when it was written
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.many = f.many || len(f.names) == fewFiles; f.many {
		f.names = nil
		return
	}
	f.names = append(f.names, name)
}

// Flush returns when everything that was Put by way of s is on the disk. Write calls it.
func (s *Store) Flush() error {
	s.fresh.mu.Lock()
	defer s.fresh.mu.Unlock()
	if err := s.flush(); err != nil {
		return err // still to be done
	}
	s.fresh.names, s.fresh.many = nil, false
	return nil
}

func (s *Store) flush() error {
	if s.fresh.many {
		d, err := os.Open(s.dir)
		if err != nil {
			return err
		}
		defer d.Close()
		return flush(d)
	}
	dirs := map[string]bool{}
	for _, name := range s.fresh.names {
		err := syncFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // staged by a Write that failed
		}
		if err != nil {
			return err
		}
		dirs[filepath.Dir(name)] = true
	}
	return syncDirs(dirs)
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
