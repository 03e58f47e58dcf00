package manifests

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"

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
	if err := m.prepare(name); err != nil {
		return "", err
	}
	return publish(s, name, l, func(w *writer) error { return m.encode(name, w.add) })
}

// IndexDigest returns the digest that Write gives m under a name, and like it sorts m.
func IndexDigest(name string, m *Manifest) (digest Digest, err error) {
	if err := m.prepare(name); err != nil {
		return "", err
	}
	err = m.encode(name, func(path func(Digest) string, text iter.Seq[[]byte]) (err error) {
		digest, err = writeText(io.Discard, text) // that of the index comes last
		path(digest)
		return err
	})
	return digest, err
}

// prepare puts m into the order in which it is kept, and returns what keeps it from being written.
func (m *Manifest) prepare(name string) error {
	if !validPath(name) {
		return fmt.Errorf("manifest %q: want a clean relative path with '/'", name)
	}
	m.normalize()
	if errs := m.Validate(); len(errs) > 0 {
		return fmt.Errorf("%s: %w", name, joinSome(errs))
	}
	return nil
}

// encode hands the files of a manifest to add, the index last: the text, piece by piece, and the
// path that it gets by its digest.
func (m *Manifest) encode(name string, add func(path func(Digest) string, text iter.Seq[[]byte]) error) (err error) {
	ix := index{Header: m.Header, Name: name, Records: len(m.Records), Counts: m.Counts()}
	to := func(list *[]part, stem string, records int, text iter.Seq[[]byte]) error {
		return add(func(sum Digest) string {
			p := part{fmt.Sprintf("%s.d/%s.%s.yaml", name, stem, sum.Short()), records, sum}
			*list = append(*list, p)
			return p.Path
		}, text)
	}
	for records := range slices.Chunk(m.Records, PartRecords) {
		if err = to(&ix.Parts, fmt.Sprintf("%04d", len(ix.Parts)), len(records), pieces(records, recordFields, false)); err != nil {
			return err
		}
	}
	if len(m.Skipped) > 0 {
		err = to(&ix.Skips, "skipped", len(m.Skipped), pieces(m.Skipped, skipFields, true))
	}
	if m.Settings != "" && err == nil {
		err = to(&ix.Options, "settings", 1, whole([]byte(m.Settings)))
	}
	if err != nil {
		return err
	}
	return add(always(name+".yaml"), whole(appendIndex(nil, &ix)))
}

// writeText writes a text, piece by piece, and returns its digest.
func writeText(out io.Writer, text iter.Seq[[]byte]) (Digest, error) {
	h := sha256.New()
	b := bufio.NewWriter(io.MultiWriter(out, h)) // it keeps an error until Flush
	for piece := range text {
		b.Write(piece)
	}
	err := b.Flush()
	return Digest(hex.EncodeToString(h.Sum(nil))), err
}

func whole(text []byte) iter.Seq[[]byte] { return slices.Values([][]byte{text}) }

func always(p string) func(Digest) string { return func(Digest) string { return p } }

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
				err = w.add(always(p.Path), whole(data))
			}
			if err != nil {
				return err
			}
		}
		return w.add(always(name+".yaml"), whole(index))
	})
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

// pieces yields a list as it stands in a file of its own, a few items at a time: the text of a part
// would be 7 MB. A piece is overwritten by the next.
func pieces[T any](items []T, fields []canon.Field[T], inline bool) iter.Seq[[]byte] {
	const atOnce = 64 << 10
	return func(yield func([]byte) bool) {
		b := make([]byte, 0, atOnce+atOnce/4)
		for i := range items {
			b = canon.AppendItem(b, &items[i], fields, 0, inline)
			if i == 0 {
				b = b[1:] // an item begins with a line break
			}
			if len(b) >= atOnce {
				if !yield(b) {
					return
				}
				b = b[:0]
			}
		}
		yield(append(b, '\n'))
	}
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

// publish makes what write adds visible at once, with what l lists and removes.
func publish(s *Store, name string, l *listing, write func(*writer) error) (Digest, error) {
	w := writer{s: s, name: name, listing: l, named: map[string]Digest{}}
	defer w.close()
	err := write(&w)
	if err == nil {
		err = w.commit()
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return w.named[name+".yaml"], nil
}

// A writer stages the files of one manifest.
type writer struct {
	s        *Store
	name     string
	*listing // nil for none

	files []*staged         // the index last, and behind it the list
	named map[string]Digest // of the files, by path
}

// add adds a file of text, whose path its digest gives.
func (w *writer) add(path func(Digest) string, text iter.Seq[[]byte]) error {
	g, err := stage(w.s.temp(), !canFlush, func(f *os.File) (string, error) {
		sum, err := writeText(f, text)
		p := path(sum)
		w.named[p] = sum
		file, bad := w.s.Path(p)
		return file, cmp.Or(err, bad)
	})
	if err != nil {
		return err
	}
	w.s.fresh.add(g.temp)
	w.files = append(w.files, g)
	return nil
}

// commit makes files and list visible and removes the parts of the manifest before.
func (w *writer) commit() error {
	if err := w.s.Flush(); err != nil {
		return err
	}
	return w.s.commit(func() (files []*staged, gone []string, err error) {
		if gone, err = w.stale(); err == nil && w.listing != nil {
			gone = append(gone, w.gone...)
			err = w.list(gone)
		}
		return w.files, gone, err
	})
}

// partName is what parts are called, now, by earlier versions and in a bucket.
var partName = regexp.MustCompile(`^(([0-9]{4,}|skipped|settings)(\.[0-9a-f]{12})?|[0-9a-f]{64})\.yaml$`)

func (w *writer) stale() (out []string, err error) {
	entries, err := os.ReadDir(filepath.Join(w.s.dir, filepath.FromSlash(w.name)+".d"))
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
