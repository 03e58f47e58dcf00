package manifests

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

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

// A rawLine is a line of a list as it is read: of all of DogSeg there are 34 MB, of which no copy is held. It is valid until the next is read.
type rawLine struct{ sum, path []byte }

func noLines() (rawLine, error) { return rawLine{}, io.EOF }

// linesIn returns what reads the next line of a list, or fails with errNoSums, errOrder or, after the last, io.EOF.
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

// merge stages a list of the manifest's lines and those of the old list for other files that are there. Both are in the order of their paths.
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
