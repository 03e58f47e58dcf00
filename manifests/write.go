package manifests

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
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
}

// A part is one file of at most PartRecords records, or of skips.
type part struct {
	Path    string // relative to the store
	Records int
	SHA256  Digest
}

// Write stores m under name, "horseseg" or a path below the store as "stages/ingest", and returns the digest
// of the index: the parts name.d/0000.yaml, name.d/0001.yaml, ..., the list name.d/skipped.yaml if anything was
// left out, and the index name.yaml. Equal manifests give equal bytes.
//
// It sorts m.Records, each record's masks and m.Skipped in place, sets m.Schema, and refuses a manifest in which
// Validate finds a fault. A reader, or a run after a crash at any point, sees the old manifest or the new one.
func Write(s *Store, name string, m *Manifest) (Digest, error) {
	if !validPath(name) {
		return "", fmt.Errorf("manifest %q: want a clean relative path with '/'", name)
	}
	m.normalize()
	if errs := m.Validate(); len(errs) > 0 {
		return "", fmt.Errorf("%s: %w", name, joinSome(errs))
	}
	w := writer{s: s}
	defer w.close()
	ix := index{Header: m.Header, Name: name, Records: len(m.Records), Counts: m.Counts()}
	sum, err := w.write(&ix, m)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return sum, nil
}

// A writer collects the files of one manifest, all of which become visible at once.
type writer struct {
	s     *Store
	mu    sync.Mutex
	files []*staged
}

func (w *writer) write(ix *index, m *Manifest) (Digest, error) {
	chunks := slices.Collect(slices.Chunk(m.Records, PartRecords))
	buffers := make(chan []byte, runtime.GOMAXPROCS(0))
	for range cap(buffers) {
		buffers <- nil
	}
	err := Each(context.Background(), cap(buffers), len(chunks), func(_ context.Context, i int) (part, error) {
		const usual = 1 << 10 // bytes of a record, so that a buffer grows once or twice
		b := slices.Grow((<-buffers)[:0], usual*len(chunks[i]))
		b = appendFile(b, chunks[i], recordFields, false)
		defer func() { buffers <- b }()
		return w.add(partPath(ix.Name, i), len(chunks[i]), b)
	}, func(_ int, p part, err error) error {
		ix.Parts = append(ix.Parts, p)
		return err
	})
	if err != nil {
		return "", err
	}
	if n := len(m.Skipped); n > 0 {
		p, err := w.add(ix.Name+".d/skipped.yaml", n, appendFile(nil, m.Skipped, skipFields, inline))
		if err != nil {
			return "", err
		}
		ix.Skips = []part{p}
	}
	last, err := w.add(ix.Name+".yaml", 0, appendIndex(nil, ix))
	if err != nil {
		return "", err
	}
	if err := w.s.Flush(); err != nil {
		return "", err
	}
	if len(w.files) == 0 {
		return last.SHA256, nil
	}
	return last.SHA256, w.s.commit(w.files)
}

// add stages a file, unless the store has it with these bytes.
func (w *writer) add(p string, records int, data []byte) (part, error) {
	sum := part{p, records, Sum(data)}
	file, err := w.s.Path(p)
	if err != nil || holds(file, data) {
		return sum, err
	}
	g, err := stage(file, w.s.temp(), data, !canFlush)
	if err != nil {
		return sum, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = append(w.files, g)
	w.s.fresh.add(g.temp)
	return sum, nil
}

// close removes what was staged and did not become visible.
func (w *writer) close() {
	for _, g := range w.files {
		g.close()
	}
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

func partPath(name string, i int) string { return fmt.Sprintf("%s.d/%04d.yaml", name, i) }

// appendFile appends a list as a file of its own.
func appendFile[T any](b []byte, items []T, fields []field[T], inline bool) []byte {
	b = (&list[T]{&items, fields, inline}).write(b, 0)
	return append(b[1:], '\n') // the list begins with a line break
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
