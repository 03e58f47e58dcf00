package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hdseg/manifests"
)

// markFile says what an export was made from, so that a folder never holds pieces of two.
const markFile = "hdseg-export.json"

// A tree is the folder of an export. Files appear under their names when they are whole.
type tree struct {
	*manifests.Store

	mu  sync.Mutex
	all map[string]manifests.Digest
}

// A writeError is one of writing, as opposed to reading.
type writeError struct {
	name string
	err  error
}

func (e *writeError) Error() string { return e.name + ": " + e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }

func openTree(dir string, o Options, from manifests.Digest) (*tree, error) {
	mark, _ := json.MarshalIndent(struct {
		Options
		Manifest manifests.Digest
	}{o, from}, "", "  ")
	mark = append(mark, '\n')
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("export: %w", err)
	}
	if old, err := os.ReadFile(filepath.Join(dir, markFile)); !bytes.Equal(old, mark) && !begun(dir, entries) {
		if err != nil {
			return nil, fmt.Errorf("export: %s: the folder holds other files: want an empty or a new one", dir)
		}
		return nil, fmt.Errorf("export: %s: the folder holds an export of another manifest or with other options: "+
			"remove it or name another", dir)
	}
	s, err := manifests.OpenStore(dir)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if err := s.Replace(markFile, mark); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return &tree{Store: s, all: map[string]manifests.Digest{}}, nil
}

// begun tells of a folder that holds nothing, or only what an export leaves that ended before its
// mark was there: temporary files.
func begun(dir string, entries []os.DirEntry) bool {
	if len(entries) != 1 || entries[0].Name() != ".tmp" || !entries[0].IsDir() {
		return len(entries) == 0
	}
	left, err := os.ReadDir(filepath.Join(dir, ".tmp"))
	return err == nil && !slices.ContainsFunc(left, func(e os.DirEntry) bool {
		// as the store names them
		return !e.Type().IsRegular() || strings.Trim(e.Name(), "0123456789") != ""
	})
}

// write makes a file of these bytes, unless it is there with the same.
func (t *tree) write(name string, data []byte) error {
	if t.note(name, manifests.Sum(data)) {
		return &writeError{name, errors.New("two pictures would have this name")}
	}
	if old, err := t.Read(name, ""); err == nil && bytes.Equal(old, data) {
		return nil
	}
	err := t.Create(name, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
	if err != nil {
		return &writeError{name, err}
	}
	return nil
}

// note remembers a file for the sums, and tells whether it was there already.
func (t *tree) note(name string, sum manifests.Digest) (again bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, again = t.all[name]
	t.all[name] = sum
	return again
}

// create makes a file that fill writes.
func (t *tree) create(name string, fill func(*os.File) error) error {
	err := t.Create(name, fill)
	var sum manifests.Digest
	if err == nil {
		sum, err = manifests.SumFile(filepath.Join(t.Dir(), name))
	}
	if err != nil {
		return &writeError{name, err}
	}
	t.note(name, sum)
	return nil
}

// sums writes SHA256SUMS, last: an export that has it is whole.
func (t *tree) sums() error {
	if err := t.Flush(); err != nil {
		return err
	}
	return t.Replace(manifests.SumsFile, manifests.FormatSums(t.all))
}

// strays lists the files that the export has not written.
func (t *tree) strays() (out []string, err error) {
	err = t.Walk("", func(p string) bool { return p == ".tmp" }, func(p string, _ os.DirEntry) {
		if t.all[p] == "" && p != markFile && p != manifests.SumsFile {
			out = append(out, p)
		}
	})
	return out, err
}

func (t *tree) close() { os.Remove(filepath.Join(t.Dir(), ".tmp")) }
