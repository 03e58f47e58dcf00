package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// SumsFile is the list that WriteListed writes, in the folder of the store.
const SumsFile = "SHA256SUMS"

// WriteListed is Write and at once puts the files of the manifest into SHA256SUMS, see Sums, and removes the files gone. The lines of other files
// stay as long as those are there: a store has several manifests. A list that cannot be read is written anew. A reader, or a run after a crash at any
// point, finds manifest, list and files of before or of after.
func WriteListed(s *Store, name string, m *Manifest, gone ...string) (Digest, error) {
	return write(s, name, m, &listing{m, gone})
}

// A listing is what becomes visible with a manifest: a list of its files, and that others are gone.
type listing struct {
	m    *Manifest
	gone []string
}

// list stages the list if it changes.
func (w *writer) list(gone []string) error {
	sums := maps.Clone(w.named)
	w.m.addSums(sums)
	old, err := w.s.Read(SumsFile, "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	leaves := map[string]bool{w.name + ".yaml": true}
	for _, p := range gone {
		leaves[p] = true
	}
	others, _ := ParseSums(old)
	for p, d := range others {
		if sums[p] == "" && !leaves[p] && !strings.HasPrefix(p, w.name+".d/") && w.s.has(p) {
			sums[p] = d
		}
	}
	data := sumLines(sums)
	if bytes.Equal(data, old) {
		return nil
	}
	g, err := stage(filepath.Join(w.s.dir, SumsFile), w.s.temp(), data, true)
	if err == nil {
		w.files = append(w.files, g)
	}
	return err
}

// Sums lists the files of the manifest that was written under name: its index and parts, and every image
// and mask file of m, sorted by path. In the store's folder, "sha256sum -c SHA256SUMS" checks them all without
// hdseg. The digests are those of the manifest; no image is read.
func Sums(s *Store, name string, m *Manifest) ([]byte, error) {
	sums, err := formSums(s, name)
	if err != nil {
		return nil, err
	}
	m.addSums(sums)
	return sumLines(sums), nil
}

// addSums adds the digests of the images and masks.
func (m *Manifest) addSums(sums map[string]Digest) {
	for i := range m.Records {
		r := &m.Records[i]
		sums[r.Image.Path] = r.Image.SHA256
		for _, k := range r.Masks {
			sums[k.Path] = k.SHA256
		}
	}
}

func sumLines(sums map[string]Digest) []byte {
	var b bytes.Buffer
	for _, p := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s  %s\n", sums[p], p) // a path has no backslash or line break, which would need escapes
	}
	return b.Bytes()
}

// formSums returns the digests of a manifest's own files.
func formSums(s *Store, name string) (map[string]Digest, error) {
	data, ix, err := readIndex(s, name)
	if err != nil {
		return nil, err
	}
	sums := map[string]Digest{name + ".yaml": Sum(data)}
	for _, p := range slices.Concat(ix.Parts, ix.Skips) {
		sums[p.Path] = p.SHA256
	}
	return sums, nil
}

// EarlierDigest returns the digest that the index of name has where its parts have the names of earlier versions, NAME.d/0000.yaml: by it archives
// and descendants that were made then know the same manifest.
func EarlierDigest(s *Store, name string) (Digest, error) {
	data, ix, err := readIndex(s, name)
	if err != nil {
		return "", err
	}
	for _, p := range slices.Concat(ix.Parts, ix.Skips) {
		if stem, ok := strings.CutSuffix(p.Path, "."+p.SHA256.Short()+".yaml"); ok {
			data = bytes.ReplaceAll(data, []byte(p.Path), []byte(stem+".yaml"))
		}
	}
	return Sum(data), nil
}

// readIndex reads the index of name alone.
func readIndex(s *Store, name string) (data []byte, ix index, err error) {
	file := name + ".yaml"
	if data, err = s.Read(file, ""); err != nil {
		return nil, index{}, err
	}
	d := &decoder{file: file}
	ix = d.index(data)
	if len(d.faults) > 0 {
		return nil, index{}, joinSome(d.faults)
	}
	return data, ix, nil
}

// ParseSums reads what sha256sum writes: a map from path to digest. An error names the line.
func ParseSums(data []byte) (map[string]Digest, error) {
	sums := map[string]Digest{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		sum, p, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		d, err := ParseDigest(sum)
		if !ok || err != nil || !validPath(p) {
			return nil, fmt.Errorf("%s:%d: %q: want a digest, two spaces and a path", SumsFile, n, strings.TrimSuffix(line, "\n"))
		}
		if _, ok := sums[p]; ok {
			return nil, fmt.Errorf("%s:%d: %q: it has a line already", SumsFile, n, p)
		}
		sums[p] = d
	}
	return sums, nil
}
