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
	dir  string
	temp *manifests.Store // for temporary files that a killed run leaves and the next one removes

	mu   sync.Mutex
	all  map[string]manifests.Digest
	errs map[error]bool // of writing, as opposed to reading
}

func openTree(dir string, o Options, from manifests.Digest) (*tree, error) {
	mark, err := json.MarshalIndent(struct {
		Options
		Manifest manifests.Digest
	}{o, from}, "", "  ")
	if err != nil {
		return nil, err
	}
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
	return &tree{dir: dir, temp: s, all: map[string]manifests.Digest{}, errs: map[error]bool{}}, nil
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

// failed tells whether an error came from writing.
func (t *tree) failed(err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := range t.errs {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// wrote remembers a file for the sums, or the error.
func (t *tree) wrote(name string, sum manifests.Digest, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
		t.errs[err] = true
		return err
	}
	t.all[name] = sum
	return nil
}

// write makes a file of these bytes, unless it is there with the same.
func (t *tree) write(name string, data []byte) error {
	if t.has(name) {
		return t.wrote(name, "", errors.New("two pictures would have this name"))
	}
	path := filepath.Join(t.dir, filepath.FromSlash(name))
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, data) {
		return t.wrote(name, manifests.Sum(data), nil)
	}
	return t.create(name, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}, manifests.Sum(data))
}

func (t *tree) has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.all[name]
	return ok
}

// create makes a file that fill writes. sum is "" if it is not known before.
func (t *tree) create(name string, fill func(*os.File) error, sum manifests.Digest) error {
	err := func() error {
		f, release, err := t.temp.CreateTemp()
		if err != nil {
			return err
		}
		defer release()
		defer os.Remove(f.Name()) // fails once it is renamed
		err = errors.Join(fill(f), f.Close())
		if err == nil && sum == "" {
			sum, err = manifests.SumFile(f.Name())
		}
		if err != nil {
			return err
		}
		path := filepath.Join(t.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.Rename(f.Name(), path)
	}()
	return t.wrote(name, sum, err)
}

// sums writes SHA256SUMS, last: an export that has it is whole.
func (t *tree) sums() error {
	return t.temp.Replace(manifests.SumsFile, manifests.FormatSums(t.all))
}

// strays lists the files that the export has not written.
func (t *tree) strays() (out []string, err error) {
	err = filepath.WalkDir(t.dir, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(t.dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && rel == ".tmp":
			return filepath.SkipDir
		case !d.IsDir() && t.all[rel] == "" && rel != markFile && rel != manifests.SumsFile:
			out = append(out, rel)
		}
		return nil
	})
	return out, err
}

func (t *tree) close() { os.Remove(filepath.Join(t.dir, ".tmp")) }
