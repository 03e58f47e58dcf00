package manifests

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests/canon"
)

// SumsFile is the list that WriteListed writes, in the folder of the store.
const SumsFile = "SHA256SUMS"

// WriteListed is Write and at once puts the files of the manifest into SHA256SUMS, see Sums, and
// removes the files gone. The lines of other files stay as long as those are there: a store has
// several manifests. A list that cannot be read is written anew. A reader, or a run after a crash
// at any point, finds manifest, list and files of before or of after.
func WriteListed(s *Store, name string, m *Manifest, gone ...string) (Digest, error) {
	return write(s, name, m, &listing{m, gone})
}

// Sums lists the files of the manifest that was written under name: its index and parts, and every
// image and mask file of m, sorted by path. In the store's folder, "sha256sum -c SHA256SUMS" checks
// them all without hdseg. The digests are those of the manifest; no image is read.
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

// sumLines are the lines of a manifest and its own files, in the order of their paths. Of the many
// lines only the order is held, 8 bytes each.
type sumLines struct {
	own   []sumLine
	m     *Manifest
	order []place
}

// A place says where a line's digest stands: a record's image (mask -1) or one of its masks, or of
// record -1 the manifest's own file number mask.
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

// readIndex reads the index of name alone.
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

// A listing is what becomes visible with a manifest: a list of its files, and that others are gone.
type listing struct {
	m    *Manifest
	gone []string
}

// list stages the list, unless it stays as it is.
func (w *writer) list(gone []string) error {
	lines := linesOf(w.named, w.m)
	name := filepath.Join(w.s.dir, SumsFile)
	if err := regular(name); err != nil {
		return err
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return w.merge(lines, noLines, gone)
	} else if err != nil {
		return err
	}
	defer f.Close()
	err = w.merge(lines, linesIn(f), gone)
	switch {
	case errors.Is(err, errOrder): // by another tool
		data, err := w.s.Read(SumsFile, "")
		if err != nil {
			return err
		}
		sums, _ := ParseSums(data)
		var sorted bytes.Buffer
		for l := range linesOf(sums, &Manifest{}).all {
			l.write(&sorted)
		}
		return w.merge(lines, linesIn(&sorted), gone)
	case errors.Is(err, errNoSums):
		return w.merge(lines, noLines, gone)
	}
	return err
}

var (
	errOrder  = errors.New("the lines are not in the order of their paths")
	errNoSums = errors.New("a line is not one of " + SumsFile)
)

// A rawLine is a line of a list as it is read: of all of DogSeg there are 34 MB, of which no copy
// is held. It is valid until the next is read.
type rawLine struct{ sum, path []byte }

func noLines() (rawLine, error) { return rawLine{}, io.EOF }

// linesIn returns what reads the next line of a list, or fails with errNoSums, errOrder or, after
// the last, io.EOF.
func linesIn(r io.Reader) func() (rawLine, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var last []byte
	return func() (l rawLine, err error) {
		line, err := in.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return l, err
		} else if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return l, err
		}
		var ok bool
		l.sum, l.path, ok = bytes.Cut(bytes.TrimSuffix(line, []byte{'\n'}), []byte("  "))
		if !ok || len(l.sum) != 2*sha256.Size || err == bufio.ErrBufferFull {
			return l, errNoSums
		}
		if bytes.Compare(l.path, last) <= 0 {
			return l, errOrder
		}
		last = append(last[:0], l.path...)
		return l, nil
	}
}

// merge stages a list of the manifest's lines and those of the old list for other files that are
// there. Both are in the order of their paths.
func (w *writer) merge(lines *sumLines, old func() (rawLine, error), gone []string) error {
	g, err := begin(w.s.temp())
	if err != nil {
		return err
	}
	staged := false
	defer func() {
		if !staged {
			g.close()
		}
	}()
	leaves := map[string]bool{w.name + ".yaml": true}
	for _, p := range gone {
		leaves[p] = true
	}
	parts := []byte(w.name + ".d/")
	out, changed := bufio.NewWriterSize(g, 64<<10), false
	was, end := old()
	for i := 0; i < len(lines.order) || end == nil; {
		var next sumLine
		if i < len(lines.order) {
			next = lines.of(lines.order[i])
		}
		switch {
		case end != nil, next.path != "" && next.path < string(was.path):
			next.write(out)
			i, changed = i+1, true
			continue
		case next.path == string(was.path):
			changed = changed || string(next.sum) != string(was.sum)
			next.write(out)
			i++
		case leaves[string(was.path)] || bytes.HasPrefix(was.path, parts) || !validDigest(Digest(was.sum)) || !w.s.has(string(was.path)):
			changed = true
		default:
			sumLine{string(was.path), Digest(was.sum)}.write(out)
		}
		was, end = old()
	}
	if end != io.EOF {
		return end
	}
	if !changed {
		return nil
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := g.finish(filepath.Join(w.s.dir, SumsFile), true); err != nil {
		return err
	}
	staged, w.files = true, append(w.files, g)
	return nil
}
