package manifests

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"sync"

	"hdseg/manifests/canon"
)

// An index is what NAME.yaml holds. Its digest stands for the whole manifest.
type index struct {
	Header
	Name    string // where it lies in its store, without .yaml
	Records int
	Counts  []Count
	Parts   []part
	Skips   []part // the list of what was left out: thousands would bury the index
	Options []part // at most one: the settings, whose digest is Config; its records are 1
}

func (ix *index) files() []part { return slices.Concat(ix.Parts, ix.Skips, ix.Options) }

// A part is one file of at most PartRecords records, or of skips.
type part struct {
	Path    string // relative to the store
	Records int
	SHA256  Digest
}

// Write stores m under name, "horseseg" or a path as "stages/ingest", and returns the digest of the
// index: the parts name.d/0000.DIGEST.yaml and so on, name.d/skipped.DIGEST.yaml and
// name.d/settings.DIGEST.yaml if there are any, and the index name.yaml. Equal manifests give equal
// names and bytes. It sorts m, sets m.Schema, and refuses what Validate does. After a crash at any
// point there is the old manifest or the new one; the parts of the old one are removed last.
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

// CopyListed is WriteListed of the manifest m that another store has under name, byte for byte.
func CopyListed(to, from *Store, name string, m *Manifest, gone ...string) (Digest, error) {
	index, ix, err := readIndex(from, name)
	if err != nil {
		return "", err
	}
	return publish(to, name, &listing{m, gone}, func(w *writer) error {
		for _, p := range ix.files() {
			data, err := from.Read(p.Path, p.SHA256)
			if err == nil {
				err = w.add(p.Path, data, false)
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
		p, err := writePart(w, "skipped", m.Skipped, skipFields, true)
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

func writePart[T any](w *writer, stem string, items []T, fields []canon.Field[T], inline bool) (part, error) {
	return w.part(stem, len(items), func(out io.Writer) error { return writeItems(out, items, fields, inline) })
}

// writeItems writes a list as a file, a few items at a time: the text of a part would be 7 MB.
func writeItems[T any](out io.Writer, items []T, fields []canon.Field[T], inline bool) error {
	const atOnce = 64 << 10
	b := make([]byte, 0, atOnce+atOnce/4)
	for i := range items {
		b = canon.AppendItem(b, &items[i], fields, 0, inline)
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

func appendIndex(b []byte, ix *index) []byte { return canon.AppendMapping(b, ix, indexFields) }

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

// publish makes what write adds visible at once, with what l lists and removes. It starts again if
// another process meanwhile removed a part that both have.
func publish(s *Store, name string, l *listing, write func(*writer) error) (Digest, error) {
	for {
		w := writer{s: s, name: name, listing: l, named: map[string]Digest{}}
		err := write(&w)
		if err == nil {
			err = w.commit()
		}
		w.close()
		if errors.Is(err, errGone) {
			continue
		} else if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		return w.sum, nil
	}
}

// A writer collects the files of one manifest.
type writer struct {
	s        *Store
	name     string
	sum      Digest // of the index
	*listing        // nil for none

	mu    sync.Mutex
	files []*staged         // that are new, the index last
	kept  []string          // that the store has
	named map[string]Digest // both, by path
}

func (w *writer) part(stem string, records int, fill func(io.Writer) error) (part, error) {
	var p part
	err := w.file(false, fill, func(sum Digest) string {
		p = part{fmt.Sprintf("%s.d/%s.%s.yaml", w.name, stem, sum.Short()), records, sum}
		return p.Path
	})
	return p, err
}

// index adds the index last: with new parts in any case, since another may replace it meanwhile.
func (w *writer) index(data []byte) error {
	w.sum = Sum(data)
	return w.add(w.name+".yaml", data, len(w.files) > 0)
}

func (w *writer) add(p string, data []byte, always bool) error {
	return w.file(always, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	}, func(Digest) string { return p })
}

// file adds a file that fill writes and whose path name tells by its digest. If the store has it,
// that is kept, unless always is set.
func (w *writer) file(always bool, fill func(io.Writer) error, name func(sum Digest) string) error {
	g, err := begin(w.s.temp())
	if err != nil {
		return err
	}
	h := sha256.New()
	err = fill(io.MultiWriter(g, h))
	sum := Digest(hex.EncodeToString(h.Sum(nil)))
	p := name(sum)
	file, bad := w.s.Path(p)
	if err = cmp.Or(err, bad); err != nil {
		g.close()
		return err
	}
	have, missing := SumFile(file)
	kept := !always && missing == nil && have == sum
	if !kept {
		err = g.finish(file, !canFlush)
	}
	if kept || err != nil {
		g.close()
	}
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.named[p] = sum; kept {
		w.kept = append(w.kept, file)
	} else {
		w.files = append(w.files, g)
	}
	return nil
}

// commit makes files and list visible and removes the parts of the manifest before.
func (w *writer) commit() error {
	if err := w.s.Flush(); err != nil || len(w.files) == 0 && w.listing == nil {
		return err
	}
	return w.s.commit(func() (files []*staged, gone []string, err error) {
		for _, file := range w.kept {
			if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
				return nil, nil, errGone
			}
		}
		if len(w.files) > 0 {
			if gone, err = w.stale(); err != nil {
				return nil, nil, err
			}
		}
		if w.listing != nil {
			gone = append(gone, w.gone...)
			err = w.list(gone)
		}
		return w.files, gone, err
	})
}

var errGone = errors.New("another process replaced the manifest meanwhile")

// partName is what parts are called, now, by earlier versions and in a bucket.
var partName = regexp.MustCompile(`^(([0-9]{4,}|skipped|settings)(\.[0-9a-f]{12})?|[0-9a-f]{64})\.yaml$`)

func (w *writer) stale() (out []string, err error) {
	dir, err := w.s.Path(w.name + ".d")
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if p := w.name + ".d/" + e.Name(); partName.MatchString(e.Name()) && w.named[p] == "" {
			out = append(out, p)
		}
	}
	return out, err
}

// close removes what was staged and did not become visible.
func (w *writer) close() {
	for _, g := range w.files {
		g.close()
	}
}
