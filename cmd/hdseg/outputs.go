package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hdseg/cmd/internal/pipeline"
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

// A kind is what a file is that a command writes, as its first bytes tell.
type kind struct {
	name string
	is   func(head []byte) bool
}

// The kinds of files that replace older ones of the same kind.
var (
	manifestFile   = kind{"manifest", starts("schema: ")}
	modelFile      = kind{"model", starts("hdseg model ")}
	picturesFile   = kind{"list of training pictures", starts(pipeline.PicturesHead)}
	statisticsFile = kind{"file of statistics", starts("hdseg statistics ")}
	csvFile        = kind{"table of hdseg as CSV", starts("class,tiers,model,terms,balance,", "id,iou,per_class,")}
	skippedFile    = kind{"list of skipped records", starts("record,reason,detail")}
	markdownFile   = kind{"report of hdseg as Markdown", starts("# What annotation is worth: ", "# Scenes: ")}
	htmlFile       = kind{"report of hdseg as HTML", func(head []byte) bool {
		return starts("<!doctype html>")(head) && bytes.Contains(head, []byte(`http-equiv="Content-Security-Policy" `+
			`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`))
	}}
	sheetFile = kind{"picture that hdseg drew", func(head []byte) bool {
		return starts(pngMagic)(head) && bytes.Contains(head, []byte(sheetText))
	}}
	plotFile = kind{"plot of hdseg", func(head []byte) bool {
		return starts("<?xml")(head) && bytes.Contains(head, []byte("<svg")) && bytes.Contains(head, []byte("Plotinum"))
	}}
	maskFile = kind{"PNG", starts(pngMagic)}
	newFile  = kind{"new file", nil}
)

func starts(texts ...string) func(head []byte) bool {
	return func(head []byte) bool {
		for _, t := range texts {
			if bytes.HasPrefix(head, []byte(t)) {
				return true
			}
		}
		return false
	}
}

// replaces refuses to overwrite a file of another kind; an empty one holds nothing to lose.
func (k kind) replaces(name string) error {
	head, err := headOf(name, 1024)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: exists, but cannot be read: %w", name, err)
	}
	if len(head) > 0 && k.name == newFile.name {
		return fmt.Errorf("%s: is there already: it is not overwritten; name another file, or remove it first", name)
	}
	if len(head) > 0 && !k.is(head) {
		return fmt.Errorf("%s: exists and is no %s: hdseg does not overwrite it; name another file, or remove it first", name, k.name)
	}
	return nil
}

const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	sheetText = "Software\x00hdseg contact sheet"
	headerEnd = len(pngMagic) + 8 + 13 + 4 // of the chunk that every PNG begins with
)

// signSheet adds a chunk of text to the PNG of a contact sheet or a record (PNG specification,
// 11.3.3.2): the next one may replace it, but no other picture.
func signSheet(png []byte) []byte {
	chunk := append([]byte("tEXt"), sheetText...)
	out := append([]byte(nil), png[:headerEnd]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(sheetText)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, png[headerEnd:]...)
}
