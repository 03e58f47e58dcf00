package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// An out is a file that a command is to write: by which flag, under which name ("" for none), what.
type out struct {
	flag, name string
	kind       kind
}

// outFiles refuses, before any work, outputs that cannot be created or would overwrite something:
// an input (inputs, -i, -c; nothing is written into a folder that is one), another output, or a
// file of another kind. A missing folder is not made: it is a mistake in the name more often than
// not. The data set's own files are input's to guard.
func (a *app) outFiles(inputs []string, outs ...out) error {
	for _, o := range outs {
		if o.name == "" {
			continue
		}
		if err := manifests.CheckFile(o.name); err != nil {
			return err
		}
		if dir := filepath.Dir(o.name); !exists(dir) {
			return fmt.Errorf("%s: the folder %s does not exist: make it first, or correct the name", o.name, dir)
		}
		for _, in := range append([]string{a.in, a.config}, inputs...) {
			st, err := os.Stat(in)
			// nothing is there, or the name is of an embedded experiment
			if err != nil || in == a.config && st.IsDir() {
				continue
			}
			if sameFile(o.name, in) {
				return usagef("%s: %s would overwrite the input %s: name another file", o.name, o.flag, in)
			}
			if st.IsDir() && inside(o.name, in) {
				return usagef("%s: %s lies inside the input %s: name a file elsewhere", o.name, o.flag, in)
			}
		}
		for _, p := range a.outs {
			if sameFile(o.name, p.name) {
				return usagef("%s: %s and %s name the same file: name two", o.name, p.flag, o.flag)
			}
		}
		if err := o.kind.replaces(o.name); err != nil {
			return err
		}
		a.outs = append(a.outs, o)
	}
	return nil
}

// ownFiles refuses outputs among the data set's own files.
func (a *app) ownFiles(store *manifests.Store) error {
	own := []string{strings.TrimSuffix(a.in, ".yaml") + ".d"}
	for _, top := range []string{"images", "masks", "features", "experts", ".work"} {
		own = append(own, filepath.Join(store.Dir(), top))
	}
	for _, o := range a.outs {
		if slices.ContainsFunc(own, func(dir string) bool { return inside(o.name, dir) }) {
			return usagef("%s: %s would be one of the files of the data set %s: name a file elsewhere", o.name, o.flag, a.in)
		}
	}
	return nil
}

// A plainError says in plain words, with the name first, what the file system refused.
type plainError struct {
	text string
	error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.error }

// unwritable says what to do where a data set cannot be written, in which serve keeps all work.
func unwritable(err error, dir string) error {
	if !manifests.ReadOnly(err) {
		return err
	}
	return &plainError{fmt.Sprintf("%s: this user cannot write there, where annotate serve keeps all work: let the user write it "+
		"(chmod -R u+w %s), or copy the data set and serve the copy", dir, format.Shell(dir)), err}
}

// inWords puts a fault of the file system in plain words: "open x: no such file or directory" and
// its like are "x: no such file or folder" everywhere. Other errors stay as they are.
func inWords(err error) error {
	fault := new(fs.PathError)
	if !errors.As(err, &fault) {
		return err
	}
	what := fault.Err.Error()
	switch {
	case errors.Is(fault.Err, fs.ErrNotExist):
		what = "no such file or folder"
	case errors.Is(fault.Err, syscall.ENOTDIR):
		what = "a file stands where a folder is wanted"
	}
	before, after, ok := strings.Cut(err.Error(), fault.Error())
	if !ok {
		return err
	}
	if !strings.HasSuffix(before, fault.Path+": ") { // else it is named already
		what = fault.Path + ": " + what
	}
	return &plainError{before + what + after, err}
}

// writeFile puts a file into place when it is whole.
func writeFile(name string, data []byte) error {
	return manifests.WriteFile(name, filepath.Dir(name), data)
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

// realName returns a file's absolute name without links; of a missing one, in its real folder.
func realName(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if p, err := filepath.EvalSymlinks(abs); err == nil {
		return p
	}
	if dir := filepath.Dir(abs); dir != abs {
		return filepath.Join(realName(dir), filepath.Base(abs))
	}
	return abs
}

// sameFile tells whether two names are of one file, or would be.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if y, other := os.Stat(b); err == nil && other == nil {
		return os.SameFile(x, y)
	}
	return realName(a) == realName(b)
}

func inside(name, dir string) bool {
	rel, err := filepath.Rel(realName(dir), realName(name))
	return err == nil && filepath.IsLocal(rel)
}

// absent returns "" for a file that is there, and its name where it is to be written.
func absent(name string) string {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		return ""
	}
	return name
}

// outFolder makes the folder of -o, but none above it: a missing one is a mistake more often.
func outFolder(name string) error {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return nil
	}
	if err := os.Mkdir(filepath.Clean(name), 0o777); err != nil {
		if exists(filepath.Dir(filepath.Clean(name))) {
			return fmt.Errorf("-o %s: want a folder that can be written: %w", name, err)
		}
		return fmt.Errorf("-o %s: want a folder that can be written: its parent folder does not exist: %w", name, fs.ErrNotExist)
	}
	return nil
}

// removeEmpty removes a folder that a failed command made, if it holds nothing but working files.
func removeEmpty(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, d := range list {
		if d.Name() != ".work" && d.Name() != ".tmp" {
			return
		}
	}
	if len(list) > 0 { // unless another process began a build there at the same time
		release, err := manifests.Occupy(dir)
		if err != nil {
			return
		}
		defer release()
	}
	_ = os.RemoveAll(dir) // a folder without use is no failure of its own
}
