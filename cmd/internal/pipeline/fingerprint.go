package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A fingerprint names a source file or folder without reading it all: whoever changes a file
// changes its size or its time. Archives have hundreds of gigabytes.
type fingerprint struct {
	Path string `yaml:"path"`
	Size int64  `yaml:"size"`
	Time int64  `yaml:"time"` // of the last change, ns since 1970
}

// fingerprints walks sources in lexical order and follows links, as reading does; a folder to which
// several lead is walked once. Paths are relative to each source's folder, so that a source that
// was moved as a whole counts as unchanged.
func fingerprints(sources ...string) ([]fingerprint, error) {
	var w printWalk
	for _, src := range sources {
		if src == "" {
			continue
		}
		if _, err := os.Stat(src); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder", src)
		}
		w.base, w.seen = filepath.Dir(filepath.Clean(src)), map[string]bool{}
		if err := w.walk(src); err != nil {
			return nil, err
		}
	}
	return w.out, nil
}

// A printWalk collects the fingerprints of one source after the other.
type printWalk struct {
	base string          // the folder that the source lies in
	seen map[string]bool // real paths of the source's folders
	out  []fingerprint
}

func (w *printWalk) walk(p string) error {
	rel, err := filepath.Rel(w.base, p)
	if err != nil {
		return err
	}
	st, err := os.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist): // a link that leads nowhere yet
		w.out = append(w.out, fingerprint{filepath.ToSlash(rel), -1, 0})
		return nil
	case err != nil:
		return err
	case !st.IsDir():
		w.out = append(w.out, fingerprint{filepath.ToSlash(rel), st.Size(), st.ModTime().UnixNano()})
		return nil
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		return err
	}
	if w.seen[real] {
		return nil
	}
	w.seen[real] = true
	list, err := os.ReadDir(p)
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := w.walk(filepath.Join(p, d.Name())); err != nil {
			return err
		}
	}
	return nil
}
