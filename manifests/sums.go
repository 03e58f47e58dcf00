package manifests

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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

// Sums lists the files of the manifest that was written under name: its index and parts, and every image
// and mask file of m, sorted by path. In the store's folder, "sha256sum -c SHA256SUMS" checks them all without
// hdseg. The digests are those of the manifest; no image is read.
func Sums(s *Store, name string, m *Manifest) ([]byte, error) {
	own, err := formSums(s, name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, l := range linesOf(own, m) {
		l.write(&b)
	}
	return b.Bytes(), nil
}

// A sumLine is a line of SHA256SUMS.
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

// linesOf are those of a manifest, whose own files are given, by path.
func linesOf(own map[string]Digest, m *Manifest) []sumLine {
	n := len(own)
	for i := range m.Records {
		n += 1 + len(m.Records[i].Masks)
	}
	out := make([]sumLine, 0, n)
	for p, d := range own {
		out = append(out, sumLine{p, d})
	}
	for i := range m.Records {
		r := &m.Records[i]
		out = append(out, sumLine{r.Image.Path, r.Image.SHA256})
		for _, k := range r.Masks {
			out = append(out, sumLine{k.Path, k.SHA256})
		}
	}
	slices.SortStableFunc(out, func(a, b sumLine) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(out, func(a, b sumLine) bool { return a.path == b.path })
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
	for n, next := 1, scanSums(bytes.NewReader(data)); ; n++ {
		l, err := next()
		if err == io.EOF {
			return sums, nil
		} else if err != nil {
			return nil, err
		}
		if _, ok := sums[l.path]; ok {
			return nil, fmt.Errorf("%s:%d: %q: it has a line already", SumsFile, n, l.path)
		}
		sums[l.path] = l.sum
	}
}

// scanSums returns what reads the next line, or fails with io.EOF after the last.
func scanSums(r io.Reader) func() (sumLine, error) {
	in, n := bufio.NewReaderSize(r, 64<<10), 0
	return func() (sumLine, error) {
		line, err := in.ReadString('\n')
		if line == "" {
			return sumLine{}, err
		} else if err != nil && err != io.EOF {
			return sumLine{}, err
		}
		n++
		line = strings.TrimSuffix(line, "\n")
		sum, p, ok := strings.Cut(line, "  ")
		d, err := ParseDigest(sum)
		if !ok || err != nil || !validPath(p) {
			return sumLine{}, fmt.Errorf("%s:%d: %q: want a digest, two spaces and a path", SumsFile, n, line)
		}
		return sumLine{p, d}, nil
	}
}
