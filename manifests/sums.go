package manifests

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests/canon"
)

// SumsFile is the list that WriteListed writes, in the folder of the store.
const SumsFile = "SHA256SUMS"

// WriteListed is Write and at once puts the files of the manifest into SHA256SUMS, see Sums, with
// the lists NAME.*.csv beside it, and removes the files gone. Lines of other files stay as long as
// those are there; unreadable ones go. After a crash at any point there are manifest, list and
// files of before or of after.
func WriteListed(s *Store, name string, m *Manifest, gone ...string) (Digest, error) {
	return write(s, name, m, &listing{m, gone})
}

// Sums lists the index, parts, images and masks of the manifest name by path, for "sha256sum -c
// SHA256SUMS" in the store's folder. The digests are those of the manifest; no image is read.
func Sums(s *Store, name string, m *Manifest) ([]byte, error) {
	lines, err := storedLines(s, name, m)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, l := range lines {
		l.line().write(&b)
	}
	return []byte(b.String()), nil
}

// storedLines are the lines of a manifest in the store and of all that it names.
func storedLines(s *Store, name string, m *Manifest) ([]lineRef, error) {
	data, ix, err := readIndex(s, name)
	if err != nil {
		return nil, err
	}
	own := map[string]Digest{name + ".yaml": Sum(data)}
	for _, p := range ix.files() {
		own[p.Path] = p.SHA256
	}
	return linesOf(own, m), nil
}

type sumLine struct {
	path string
	sum  Digest
}

// write fails as out does, which remembers it.
func (l sumLine) write(out io.StringWriter) {
	out.WriteString(string(l.sum))
	out.WriteString("  ")
	out.WriteString(l.path) // it has no backslash or line break, which would need escapes
	out.WriteString("\n")
}

func parseLine(line string) (l sumLine, ok bool) {
	sum, p, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
	l = sumLine{p, Digest(sum)}
	return l, ok && validDigest(l.sum) && validPath(p)
}

// A lineRef is a line whose text stands elsewhere: of many lines only these 16 bytes are held.
type lineRef struct {
	path *string
	sum  *Digest
}

func (l lineRef) line() sumLine { return sumLine{*l.path, *l.sum} }

// linesOf are the lines of a manifest and its own files, each once, by path.
func linesOf(own map[string]Digest, m *Manifest) []lineRef {
	n := len(own) + len(m.Records)
	for i := range m.Records {
		n += len(m.Records[i].Masks)
	}
	lines := make([]lineRef, 0, n)
	for p, d := range own {
		lines = append(lines, lineRef{&p, &d})
	}
	for i := range m.Records {
		r := &m.Records[i]
		lines = append(lines, lineRef{&r.Image.Path, &r.Image.SHA256})
		for j := range r.Masks {
			lines = append(lines, lineRef{&r.Masks[j].Path, &r.Masks[j].SHA256})
		}
	}
	slices.SortStableFunc(lines, func(a, b lineRef) int { return strings.Compare(*a.path, *b.path) })
	return slices.CompactFunc(lines, func(a, b lineRef) bool { return *a.path == *b.path })
}

func readIndex(s *Store, name string) (data []byte, ix index, err error) {
	file := name + ".yaml"
	if data, err = s.Read(file, ""); err != nil {
		return nil, index{}, err
	}
	d := &canon.Decoder{File: file}
	ix = decodeIndex(d, data)
	if len(d.Faults) > 0 {
		return nil, index{}, joinSome(d.Faults)
	}
	return data, ix, nil
}

// ParseSums reads what sha256sum writes: a map from path to digest. An error names the line.
func ParseSums(data []byte) (map[string]Digest, error) {
	sums, n := map[string]Digest{}, 0
	for line := range strings.Lines(string(data)) {
		n++
		l, ok := parseLine(line)
		if strings.HasSuffix(line, "\r\n") {
			return nil, fmt.Errorf("%s:%d: %s", SumsFile, n, lineEnds)
		}
		if !ok {
			return nil, fmt.Errorf("%s:%d: %q: want a digest, two spaces and a path", SumsFile, n, strings.TrimSuffix(line, "\n"))
		}
		if _, ok := sums[l.path]; ok {
			return nil, fmt.Errorf("%s:%d: %q: it has a line already", SumsFile, n, l.path)
		}
		sums[l.path] = l.sum
	}
	return sums, nil
}

// A listing is what becomes visible with a manifest: a list of its files, and that others are gone.
type listing struct {
	m    *Manifest
	gone []string
}

// list stages the new list, unless it stays as it is.
func (w *writer) list(gone []string) error {
	name := filepath.Join(w.s.dir, SumsFile)
	if err := regular(name); err != nil {
		return err
	}
	own, err := w.withLists()
	if err != nil {
		return err
	}
	lines := linesOf(own, w.m)
	kept, was, err := w.others(name, lines, gone)
	if err != nil {
		return err
	}
	g, err := begin(w.s.temp())
	if err != nil {
		return err
	}
	h := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(g, h), 64<<10)
	for _, l := range lines {
		for ; len(kept) > 0 && kept[0].path < *l.path; kept = kept[1:] {
			kept[0].write(out)
		}
		l.line().write(out)
	}
	for _, l := range kept {
		l.write(out)
	}
	if err = out.Flush(); err == nil {
		err = g.finish(name, true)
	}
	if err != nil || hex.EncodeToString(h.Sum(nil)) == was {
		g.close()
		return err
	}
	w.files = append(w.files, g)
	return nil
}

// withLists returns the manifest's own files and the lists NAME.*.csv that lie beside its index.
func (w *writer) withLists() (map[string]Digest, error) {
	own := maps.Clone(w.named)
	index, err := w.s.Path(w.name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Dir(index))
	if errors.Is(err, fs.ErrNotExist) {
		return own, nil
	}
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, filepath.Base(index)+".") && strings.HasSuffix(n, ".csv") && err == nil {
			p := path.Join(path.Dir(w.name), n)
			own[p], err = w.s.sum(p)
		}
	}
	return own, err
}

// others returns the lines of the old list for files of other manifests, and its sha256. The 34 MB
// of DogSeg are not copied.
func (w *writer) others(name string, own []lineRef, gone []string) (kept []sumLine, was string, err error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	h := sha256.New()
	if f != nil {
		defer f.Close()
		in := bufio.NewScanner(io.TeeReader(f, h))
		for in.Scan() {
			_, path, _ := bytes.Cut(in.Bytes(), []byte("  "))
			if _, mine := slices.BinarySearchFunc(own, path, comparePath); mine {
				continue
			}
			l, ok := parseLine(in.Text())
			if ok && l.path != w.name+".yaml" && !strings.HasPrefix(l.path, w.name+".d/") && !slices.Contains(gone, l.path) &&
				w.s.has(l.path) {
				kept = append(kept, l)
			}
		}
		if err = in.Err(); errors.Is(err, bufio.ErrTooLong) {
			err = nil // it is no list
		}
	}
	slices.SortStableFunc(kept, func(a, b sumLine) int { return strings.Compare(a.path, b.path) })
	kept = slices.CompactFunc(kept, func(a, b sumLine) bool { return a.path == b.path })
	return kept, hex.EncodeToString(h.Sum(nil)), err
}

func comparePath(l lineRef, path []byte) int {
	switch {
	case *l.path < string(path):
		return -1
	case *l.path > string(path):
		return 1
	}
	return 0
}
