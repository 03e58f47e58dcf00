package manifests

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// An index is what NAME.yaml holds. Its digest stands for the whole manifest, since it names the digests of
// the parts.
type index struct {
	Header
	Name    string // where it lies in its store, without .yaml
	Records int
	Counts  []Count
	Parts   []part
	Skips   []part // the list of what was left out: thousands would bury the index
	Options []part // at most one: the settings, whose digest is Config; its records are 1
}

// files lists all the parts.
func (ix *index) files() []part { return slices.Concat(ix.Parts, ix.Skips, ix.Options) }

// A part is one file of at most PartRecords records, or of skips.
type part struct {
	Path    string // relative to the store
	Records int
	SHA256  Digest
}

// Write stores m under name, "horseseg" or a path below the store as "stages/ingest", and returns the digest
// of the index: the parts name.d/0000.DIGEST.yaml, name.d/0001.DIGEST.yaml, ..., the list name.d/skipped.DIGEST.yaml
// if anything was left out, name.d/settings.DIGEST.yaml if m has its settings, DIGEST being Digest.Short of the file, and the index name.yaml. Equal manifests give equal
// names and bytes.
//
// It sorts m.Records, each record's masks and m.Skipped in place, sets m.Schema, and refuses a manifest in which
// Validate finds a fault. A reader, or a run after a crash at any point, sees the old manifest or the new one: the
// parts of both have names of their own, and those of the old one are removed after the index was replaced.
func Write(s *Store, name string, m *Manifest) (Digest, error) { return write(s, name, m, nil) }

func write(s *Store, name string, m *Manifest, l *listing) (Digest, error) {
	if !validPath(name) {
		return "", fmt.Errorf("manifest %q: want a clean relative path with '/'", name)
	}
	m.normalize()
	if errs := m.Validate(); len(errs) > 0 {
		return "", fmt.Errorf("%s: %w", name, joinSome(errs))
	}
	counts := m.Counts()
	return publish(s, name, l, func(w *writer) error {
		ix := index{Header: m.Header, Name: name, Records: len(m.Records), Counts: counts}
		return w.write(&ix, m)
	})
}

// CopyListed is WriteListed of the manifest m that another store has under name, byte for byte. Of the records it asks nothing: Read does.
func CopyListed(to, from *Store, name string, m *Manifest, gone ...string) (Digest, error) {
	index, ix, err := readIndex(from, name)
	if err != nil {
		return "", err
	}
	return publish(to, name, &listing{m, gone}, func(w *writer) error {
		for _, p := range ix.files() {
			data, err := from.Read(p.Path, p.SHA256)
			if err == nil {
				err = w.add(p.Path, data)
			}
			if err != nil {
				return err
			}
		}
		return w.index(index)
	})
}

// write adds m, whose index ix is but for the parts.
func (w *writer) write(ix *index, m *Manifest) error {
	chunks := slices.Collect(slices.Chunk(m.Records, PartRecords))
	err := Each(context.Background(), partsAtOnce, len(chunks), func(_ context.Context, i int) (part, error) {
		return writePart(w, fmt.Sprintf("%04d", i), chunks[i], recordFields, false)
	}, func(_ int, p part, err error) error {
		ix.Parts = append(ix.Parts, p)
		return err
	})
	if err != nil {
		return err
	}
	if len(m.Skipped) > 0 {
		p, err := writePart(w, "skipped", m.Skipped, skipFields, inline)
		if err != nil {
			return err
		}
		ix.Skips = []part{p}
	}
	if m.Settings != "" {
		p, err := w.part("settings", 1, func(out io.Writer) error {
			_, err := io.WriteString(out, m.Settings)
			return err
		})
		if err != nil {
			return err
		}
		ix.Options = []part{p}
	}
	return w.index(appendIndex(nil, ix))
}

// normalize puts everything into the order in which it is kept.
func (m *Manifest) normalize() {
	m.Schema = Schema
	byRecord := func(a, b Record) int { return a.Compare(&b) }
	if !slices.IsSortedFunc(m.Records, byRecord) { // a swap moves 300 bytes
		slices.SortStableFunc(m.Records, byRecord)
	}
	for i := range m.Records {
		slices.SortStableFunc(m.Records[i].Masks, func(a, b Mask) int { return a.Compare(&b) })
	}
	slices.SortFunc(m.Skipped, func(a, b Skip) int { return a.Compare(&b) })
}

// writePart adds a list as a part.
func writePart[T any](w *writer, stem string, items []T, fields []field[T], inline bool) (part, error) {
	return w.part(stem, len(items), func(out io.Writer) error { return writeItems(out, items, fields, inline) })
}

// writeItems writes a list as a file of its own, a few items at a time: the whole text of a part would be 7 MB.
func writeItems[T any](out io.Writer, items []T, fields []field[T], inline bool) error {
	const atOnce = 64 << 10
	b := make([]byte, 0, atOnce+atOnce/4)
	for i := range items {
		b = appendItem(b, &items[i], fields, 0, inline)
		if i == 0 {
			b = b[1:] // an item begins with a line break
		}
		if len(b) >= atOnce {
			if _, err := out.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := out.Write(append(b, '\n'))
	return err
}

func appendIndex(b []byte, ix *index) []byte {
	b = (&block[index]{ix, indexFields}).write(b, 0)
	return append(b[1:], '\n')
}

// joinSome joins the first ten errors and says how many more there are.
func joinSome[E error](errs []E) error {
	const most = 10
	var out []error
	for i, e := range errs {
		if i == most {
			out = append(out, fmt.Errorf("and %d more", len(errs)-most))
			break
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}
