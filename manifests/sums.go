package manifests

import (
	"bytes"
	"errors"
	"fmt"
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
	sums, err := storedSums(s, name, m)
	return FormatSums(sums), err
}

// storedSums are the digests of a manifest in the store and of all that it names, by path.
func storedSums(s *Store, name string, m *Manifest) (map[string]Digest, error) {
	data, ix, err := readIndex(s, name)
	if err != nil {
		return nil, err
	}
	sums := map[string]Digest{name + ".yaml": Sum(data)}
	for _, p := range ix.files() {
		sums[p.Path] = p.SHA256
	}
	m.addSums(sums)
	return sums, nil
}

// addSums adds the files of the records.
func (m *Manifest) addSums(sums map[string]Digest) {
	for i := range m.Records {
		r := &m.Records[i]
		sums[r.Image.Path] = r.Image.SHA256
		for _, k := range r.Masks {
			sums[k.Path] = k.SHA256
		}
	}
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

// FormatSums writes digests by path as sha256sum does, sorted by path. The paths of a store have
// neither a backslash nor a line break, which would need escapes.
func FormatSums(sums map[string]Digest) []byte {
	n := 0
	for p, d := range sums {
		n += len(d) + len(p) + 3
	}
	b := make([]byte, 0, n)
	for _, p := range slices.Sorted(maps.Keys(sums)) {
		b = append(append(append(append(b, sums[p]...), "  "...), p...), '\n')
	}
	return b
}

// ParseSums reads what sha256sum writes: a map from path to digest. An error names the line.
func ParseSums(data []byte) (map[string]Digest, error) {
	sums, err := soundSums(data)
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// soundSums reads the lines that ParseSums would, and returns the error of the first that it would
// not.
func soundSums(data []byte) (sums map[string]Digest, first error) {
	sums = map[string]Digest{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		sum, p, ok := strings.Cut(line, "  ")
		wrong := ""
		switch _, twice := sums[p]; {
		case strings.HasSuffix(line, "\r"):
			wrong = lineEnds
		case !ok || !validDigest(Digest(sum)) || !validPath(p):
			wrong = fmt.Sprintf("%q: want a digest, two spaces and a path", line)
		case twice:
			wrong = fmt.Sprintf("%q: it has a line already", p)
		default:
			sums[p] = Digest(sum)
			continue
		}
		if first == nil {
			first = fmt.Errorf("%s:%d: %s", SumsFile, n, wrong)
		}
	}
	return sums, first
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
	sums, err := w.withLists()
	if err != nil {
		return err
	}
	w.m.addSums(sums)
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, _ := soundSums(unixLines(data))
	for p, d := range old {
		if sums[p] == "" && p != w.name+".yaml" && !strings.HasPrefix(p, w.name+".d/") && !slices.Contains(gone, p) && w.s.has(p) {
			sums[p] = d // of another manifest
		}
	}
	list := FormatSums(sums)
	if bytes.Equal(list, data) {
		return nil
	}
	g, err := stage(name, w.s.temp(), list, true)
	if err == nil {
		w.files = append(w.files, g)
	}
	return err
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
