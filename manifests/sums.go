package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// SumsFile is the list that WriteSums writes, in the folder of the store.
const SumsFile = "SHA256SUMS"

// WriteListed is Write and WriteSums.
func WriteListed(s *Store, name string, m *Manifest) (Digest, error) {
	d, err := Write(s, name, m)
	if err == nil {
		err = WriteSums(s, name, m)
	}
	return d, err
}

// WriteSums puts the files of the manifest that was written under name into SHA256SUMS; see Sums. The lines of other files stay as long as
// those are there: a store has several manifests. A list that cannot be read is written anew.
func WriteSums(s *Store, name string, m *Manifest) error {
	sums, err := sumsOf(s, name, m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.temp(), 0o777); err != nil {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	old, err := s.Read(SumsFile, "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	others, _ := ParseSums(old)
	for p, d := range others {
		if sums[p] == "" && p != name+".yaml" && !strings.HasPrefix(p, name+".d/") && s.has(p) {
			sums[p] = d
		}
	}
	return s.Replace(SumsFile, sumLines(sums))
}

// Sums lists the files of the manifest that was written under name: its index and parts, and every image
// and mask file of m, sorted by path. In the store's folder, "sha256sum -c SHA256SUMS" checks them all without
// hdseg. The digests are those of the manifest; no image is read.
func Sums(s *Store, name string, m *Manifest) ([]byte, error) {
	sums, err := sumsOf(s, name, m)
	if err != nil {
		return nil, err
	}
	return sumLines(sums), nil
}

func sumsOf(s *Store, name string, m *Manifest) (map[string]Digest, error) {
	sums, err := formSums(s, name)
	if err != nil {
		return nil, err
	}
	for i := range m.Records {
		r := &m.Records[i]
		sums[r.Image.Path] = r.Image.SHA256
		for _, k := range r.Masks {
			sums[k.Path] = k.SHA256
		}
	}
	return sums, nil
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
