package manifests

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
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

// WriteListed is Write and at once puts the index, parts, images and masks of the manifest into
// SHA256SUMS, for "sha256sum -c" in the store's folder, with the lists NAME.*.csv beside it, and
// removes the files gone. Lines of other files stay as long as those are there; unreadable ones go.
// After a crash at any point there are manifest, list and files of before or of after.
func WriteListed(s *Store, name string, m *Manifest, gone ...string) (Digest, error) {
	return write(s, name, m, &listing{m, gone})
}

// A sumLine is a line of SHA256SUMS whose texts stand elsewhere: DogSeg has 310,000.
type sumLine struct {
	path *string
	sum  *Digest
}

// linesText yields a line at a time, which the next overwrites. The paths of a store have neither a
// backslash nor a line break, which would need escapes.
func linesText(lines []sumLine) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var b []byte
		for _, l := range lines {
			b = append(append(append(append(b[:0], *l.sum...), "  "...), *l.path...), '\n')
			if !yield(b) {
				return
			}
		}
	}
}

// sortLines sorts lines by path and keeps the first of each.
func sortLines(lines []sumLine) []sumLine {
	slices.SortStableFunc(lines, func(a, b sumLine) int { return strings.Compare(*a.path, *b.path) })
	return slices.CompactFunc(lines, func(a, b sumLine) bool { return *a.path == *b.path })
}

// storedLines are the lines of a manifest in the store and of all that it names, by path.
func storedLines(s *Store, name string, m *Manifest) ([]sumLine, error) {
	data, ix, err := readIndex(s, name)
	if err != nil {
		return nil, err
	}
	own := map[string]Digest{name + ".yaml": Sum(data)}
	for _, p := range ix.files() {
		own[p.Path] = p.SHA256
	}
	return m.lines(own), nil
}

// lines are those of a manifest's own files and of its records', by path.
func (m *Manifest) lines(own map[string]Digest) []sumLine {
	n := len(own) + len(m.Records)
	for i := range m.Records {
		n += len(m.Records[i].Masks)
	}
	lines := make([]sumLine, 0, n+n/16) // and some of other manifests
	for p, d := range own {
		lines = append(lines, sumLine{&p, &d})
	}
	for i := range m.Records {
		r := &m.Records[i]
		lines = append(lines, sumLine{&r.Image.Path, &r.Image.SHA256})
		for j := range r.Masks {
			lines = append(lines, sumLine{&r.Masks[j].Path, &r.Masks[j].SHA256})
		}
	}
	return sortLines(lines)
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

// FormatSums writes digests by path as sha256sum does, sorted by path.
func FormatSums(sums map[string]Digest) (text []byte) {
	for _, p := range slices.Sorted(maps.Keys(sums)) {
		text = fmt.Appendf(text, "%s  %s\n", sums[p], p)
	}
	return text
}

// ParseSums reads what sha256sum writes: a map from path to digest. An error names the line.
func ParseSums(data []byte) (map[string]Digest, error) {
	sums, n := map[string]Digest{}, 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		p, sum, ok := parseLine(line)
		switch _, twice := sums[p]; {
		case strings.HasSuffix(line, "\r"):
			return nil, fmt.Errorf("%s:%d: %s", SumsFile, n, lineEnds)
		case !ok:
			return nil, fmt.Errorf("%s:%d: %q: want a digest, two spaces and a path", SumsFile, n, line)
		case twice:
			return nil, fmt.Errorf("%s:%d: %q: it has a line already", SumsFile, n, line)
		}
		sums[p] = sum
	}
	return sums, nil
}

func parseLine(line string) (p string, sum Digest, ok bool) {
	left, p, ok := strings.Cut(line, "  ")
	sum = Digest(left)
	return p, sum, ok && validDigest(sum) && validPath(p)
}

// A listing is what becomes visible with a manifest: a list of its files, and that others are gone.
type listing struct {
	m    *Manifest
	gone []string
}

// list stages the new list, of 34 MB for DogSeg, on the disk.
func (w *writer) list(gone []string) error {
	name := filepath.Join(w.s.dir, SumsFile)
	if err := regular(name); err != nil {
		return err
	}
	own, err := w.withLists()
	if err != nil {
		return err
	}
	lines, err := w.others(name, w.m.lines(own), gone)
	if err != nil {
		return err
	}
	if err := w.add(always(SumsFile), linesText(lines)); err != nil {
		return err
	}
	return w.s.Flush()
}

// others adds the old list's lines for files of other manifests.
func (w *writer) others(name string, lines []sumLine, gone []string) ([]sumLine, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	in, own := bufio.NewScanner(f), lines
	for in.Scan() {
		_, path, _ := bytes.Cut(in.Bytes(), []byte("  "))
		for len(own) > 0 && *own[0].path < string(path) {
			own = own[1:]
		}
		if len(own) > 0 && *own[0].path == string(path) {
			continue
		}
		p, sum, ok := parseLine(in.Text())
		if ok && p != w.name+".yaml" && !strings.HasPrefix(p, w.name+".d/") && !slices.Contains(gone, p) && w.s.has(p) {
			lines = append(lines, sumLine{&p, &sum})
		}
	}
	if err = in.Err(); errors.Is(err, bufio.ErrTooLong) {
		err = nil // it is no list
	}
	return sortLines(lines), err
}

// withLists returns the manifest's own files and the lists NAME.*.csv that lie beside its index.
func (w *writer) withLists() (map[string]Digest, error) {
	own := maps.Clone(w.named)
	entries, err := os.ReadDir(filepath.Join(w.s.dir, filepath.FromSlash(path.Dir(w.name))))
	if errors.Is(err, fs.ErrNotExist) {
		return own, nil
	}
	for _, e := range entries {
		if n := e.Name(); strings.HasPrefix(n, path.Base(w.name)+".") && strings.HasSuffix(n, ".csv") && err == nil {
			p := path.Join(path.Dir(w.name), n)
			own[p], err = w.s.sum(p)
		}
	}
	return own, err
}
