package demo

import (
	"bytes"
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

// claim makes dir the place of a world with options o. Only an empty folder or one that a
// marker of equal options names is taken: nobody's files are overwritten.
func claim(dir string, o Options) error {
	text, err := json.MarshalIndent(map[string]any{"drawing": drawing, "options": o}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	file := filepath.Join(dir, markerName)
	data, err := os.ReadFile(file)
	switch text = append(text, '\n'); {
	case err == nil && bytes.Equal(data, text):
		return nil
	case err == nil && len(data) > 0:
		return fmt.Errorf("%s: got a world of other options or another version, want an empty folder", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	// a kill may leave the marker empty
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != markerName }) {
		return fmt.Errorf("%s: got a folder with files and no %s, want an empty folder", dir, markerName)
	}
	return os.WriteFile(file, text, 0o666)
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
