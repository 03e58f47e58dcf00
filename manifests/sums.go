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
	for l := range linesOf(own, m).all {
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

// sumLines are the lines of a manifest and its own files, in the order of their paths. Of the many lines only the order is held, 8 bytes each.
type sumLines struct {
	own   []sumLine
	m     *Manifest
	order []place
}

// A place says where a line's digest stands: a record's image (mask -1) or one of its masks, or of record -1 the manifest's own file number mask.
type place struct{ record, mask int32 }

// linesOf are those of a manifest, whose own files are given.
func linesOf(own map[string]Digest, m *Manifest) *sumLines {
	n := len(own)
	for i := range m.Records {
		n += 1 + len(m.Records[i].Masks)
	}
	l := &sumLines{m: m, order: make([]place, 0, n)}
	for p, d := range own {
		l.order = append(l.order, place{-1, int32(len(l.own))})
		l.own = append(l.own, sumLine{p, d})
	}
	for i := range m.Records {
		for k := range len(m.Records[i].Masks) + 1 {
			l.order = append(l.order, place{int32(i), int32(k - 1)})
		}
	}
	slices.SortStableFunc(l.order, func(a, b place) int { return strings.Compare(l.of(a).path, l.of(b).path) })
	l.order = slices.CompactFunc(l.order, func(a, b place) bool { return l.of(a).path == l.of(b).path })
	return l
}

func (l *sumLines) of(p place) sumLine {
	if p.record < 0 {
		return l.own[p.mask]
	}
	r := &l.m.Records[p.record]
	if p.mask < 0 {
		return sumLine{r.Image.Path, r.Image.SHA256}
	}
	return sumLine{r.Masks[p.mask].Path, r.Masks[p.mask].SHA256}
}

// all goes over the lines.
func (l *sumLines) all(yield func(sumLine) bool) {
	for _, p := range l.order {
		if !yield(l.of(p)) {
			return
		}
	}
}

// formSums returns the digests of a manifest's own files.
func formSums(s *Store, name string) (map[string]Digest, error) {
	data, ix, err := readIndex(s, name)
	if err != nil {
		return nil, err
	}
	sums := map[string]Digest{name + ".yaml": Sum(data)}
	for _, p := range ix.files() {
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
	for _, p := range ix.files() {
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
