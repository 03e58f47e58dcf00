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

// markerName is the file that says what a folder's world is and, once it is complete,
// the digest of all other files.
const (
	markerName = "world.json"
	markerPart = "world.json.part" // the marker while it is written
)

// drawing is the version of the drawing code: raise it when its bytes change, so that
// worlds that lie about are not taken for the new ones.
const drawing = 1

type marker struct {
	Drawing int     `json:"drawing"`
	Options Options `json:"options"`
	Tree    string  `json:"tree"` // Digest without the marker; "" while drawing
}

// claim makes dir the place of a world with options o and tells whether it is already
// complete. Only an empty folder or one that a marker of equal options names is taken:
// nobody's files are overwritten.
func claim(dir string, o Options) (complete bool, err error) {
	data, err := os.ReadFile(filepath.Join(dir, markerName))
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return false, fmt.Errorf("demo: %w", err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return false, fmt.Errorf("demo: %w", err)
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == markerPart })
		if len(entries) > 0 {
			return false, fmt.Errorf("demo: %s: got a folder with files and no %s, want an empty folder", dir, markerName)
		}
		return false, mark(dir, marker{drawing, o, ""})
	}
	if err != nil {
		return false, fmt.Errorf("demo: %w", err)
	}
	var m marker
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return false, fmt.Errorf("demo: %s: %w", filepath.Join(dir, markerName), err)
	}
	if m.Drawing != drawing || m.Options != o {
		return false, fmt.Errorf("demo: %s: got a world of other options or another version, want an empty folder", dir)
	}
	if m.Tree == "" {
		return false, nil
	}
	tree, err := Digest(dir, markerName, markerPart)
	if err != nil {
		return false, err
	}
	return tree == m.Tree, nil
}

// seal marks a world that consists of the given files, by their slash-separated paths,
// as complete. Another file in the folder is an error: a build might read it.
func seal(dir string, o Options, files map[string]bool) error {
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if name = filepath.ToSlash(name); err == nil && !files[name] && name != markerName && name != markerPart {
			err = fmt.Errorf("%s: %s: got a file that is no part of the world, want it elsewhere", dir, name)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	tree, err := Digest(dir, markerName, markerPart)
	if err != nil {
		return err
	}
	return mark(dir, marker{drawing, o, tree})
}

// mark replaces the marker in one step.
func mark(dir string, m marker) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	part := filepath.Join(dir, markerPart)
	if err := os.WriteFile(part, append(data, '\n'), 0o666); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if err := os.Rename(part, filepath.Join(dir, markerName)); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	return nil
}
