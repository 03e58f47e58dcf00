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

// fingerprints walks sources in lexical order. Paths are relative to each source's folder, so that a
// source that was moved as a whole counts as unchanged.
func fingerprints(sources ...string) ([]fingerprint, error) {
	var out []fingerprint
	for _, src := range sources {
		if src == "" {
			continue
		}
		base := filepath.Dir(filepath.Clean(src))
		err := filepath.WalkDir(src, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				return nil
			}
			st, err := os.Stat(p) // follows links, as reading does
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(base, p)
			if err != nil {
				return err
			}
			out = append(out, fingerprint{filepath.ToSlash(rel), st.Size(), st.ModTime().UnixNano()})
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file or folder", src)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
