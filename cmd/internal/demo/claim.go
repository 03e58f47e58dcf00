package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// markerName is the file that says what a folder's world is.
const markerName = "world.json"

// drawing is the version of the drawing code: raise it when its bytes change, so that
// worlds that lie about are not taken for the new ones.
const drawing = 2

type marker struct {
	Drawing int     `json:"drawing"`
	Options Options `json:"options"`
}

// claim makes dir the place of a world with options o. Only an empty folder or one that a
// marker of equal options names is taken: nobody's files are overwritten.
func claim(dir string, o Options) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, markerName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 { // a kill may leave it empty
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != markerName }) {
			return fmt.Errorf("%s: got a folder with files and no %s, want an empty folder", dir, markerName)
		}
		data, err := json.MarshalIndent(marker{drawing, o}, "", "  ")
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, markerName), append(data, '\n'), 0o666)
	}
	var m marker
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, markerName), err)
	}
	if m != (marker{drawing, o}) {
		return fmt.Errorf("%s: got a world of other options or another version, want an empty folder", dir)
	}
	return nil
}

// alone refuses a folder with other files than the world's, given by their slash-separated
// paths: a build might read them.
func alone(dir string, files map[string]bool) error {
	return filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if name = filepath.ToSlash(name); err == nil && !files[name] && name != markerName {
			err = fmt.Errorf("%s: %s: got a file that is no part of the world, want it elsewhere", dir, name)
		}
		return err
	})
}
