package manifests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hdseg/manifests/canon"
)

// Read returns the manifest name and the digest of its index. It is strict: unknown, repeated and
// missing keys, unquoted ids, values outside their range, missing or changed parts, unsorted or
// repeated records, wrong counts, another schema version and an index that is not what SHA256SUMS
// lists are errors, which name the file and line. Parts in the canonical form are read at about
// 100,000 records a second and core; files that were edited by hand go through yaml.v3. The index
// may give its parts any names.
func Read(s *Store, name string) (*Manifest, Digest, error) {
	m, d, faults, err := readSettled(s, name, false)
	if err == nil && len(faults) > 0 {
		err = joinSome(faults)
	}
	if err != nil {
		return nil, "", err
	}
	return m, d, nil
}

// ReadFile reads a manifest by its file, as OUT/stages/ingest.yaml, and returns its store too.
func ReadFile(file string) (*Store, *Manifest, Digest, error) {
	s, name, err := Locate(file)
	if err != nil {
		return nil, nil, "", err
	}
	m, sum, err := Read(s, name)
	return s, m, sum, err
}

// Locate returns the store of a manifest's file and the manifest's name, without reading its parts.
func Locate(file string) (*Store, string, error) {
	if st, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: no such manifest: %w", file, fs.ErrNotExist)
	} else if err == nil && st.IsDir() {
		return nil, "", fmt.Errorf("%s: is a folder%s", file, manifestsIn(file))
	}
	if base, ok := strings.CutSuffix(file, ".run.yaml"); ok {
		return nil, "", fmt.Errorf("%s: is the record of a run: name the manifest, %s.yaml", file, base)
	}
	data, err := readRegular(file, nil)
	if err != nil {
		return nil, "", err
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil, "", fmt.Errorf("%s: is JSON: want a manifest, a YAML file such as out/horseseg.yaml", file)
	}
	d := &canon.Decoder{File: file}
	ix := decodeIndex(d, data)
	if len(d.Faults) > 0 {
		return nil, "", joinSome(d.Faults)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, "", err
	}
	dir, ok := strings.CutSuffix(filepath.ToSlash(abs), "/"+ix.Name+".yaml")
	if !ok {
		return nil, "", fmt.Errorf("%s: the file was renamed: it holds manifest %q", file, ix.Name)
	}
	if rel, err := filepath.Rel(".", filepath.FromSlash(dir)); err == nil && !filepath.IsAbs(file) {
		dir = rel
	}
	s, err := OpenStore(filepath.FromSlash(dir))
	if err != nil {
		return nil, "", err
	}
	return s, ix.Name, nil
}

// manifestsIn says which manifests a folder has, or what is wanted if it has none.
func manifestsIn(dir string) string {
	all, _ := fs.Glob(os.DirFS(dir), "*.yaml") // the pattern is good
	var files []string
	for _, f := range all {
		if !strings.HasSuffix(f, ".run.yaml") {
			files = append(files, filepath.Join(dir, f))
		}
	}
	if len(files) == 0 {
		return " without a manifest: name one, such as out/horseseg.yaml, as build and ingest write it"
	}
	return ": name the manifest in it, " + strings.Join(files, " or ")
}

// readSettled reads again, locked, if another process was replacing the manifest or died there.
func readSettled(s *Store, name string, check bool) (m *Manifest, d Digest, faults []Fault, err error) {
	m, d, faults, err = read(s, name, check)
	changed := func(f Fault) bool { return f.Kind == FaultPart || f.Kind == FaultPartDigest || f.Kind == FaultSums }
	if err != nil || !slices.ContainsFunc(faults, changed) {
		return m, d, faults, err
	}
	settled := s.settle(func() { m, d, faults, err = read(s, name, check) })
	if settled != nil && !ReadOnly(settled) {
		return nil, "", nil, settled
	}
	return m, d, faults, err
}

// read returns what can be read of a manifest and all that is wrong with its form. err tells that
// there is no index. With check, bytes that are not canonical are a fault.
func read(s *Store, name string, check bool) (m *Manifest, sum Digest, faults []Fault, err error) {
	file := name + ".yaml"
	data, err := s.Read(file, "")
	if err != nil {
		return nil, "", nil, err
	}
	d := &canon.Decoder{File: file}
	ix := decodeIndex(d, data)
	if len(d.Faults) == 0 && ix.Name != name {
		d.Fail(1, FaultValue, "name: got %q, want %q: the file was moved", ix.Name, name)
	}
	if check && len(d.Faults) == 0 {
		switch want := appendIndex(nil, &ix); {
		case bytes.Equal(want, data):
		case bytes.Equal(want, unixLines(data)):
			d.Fail(1, FaultCanonical, "%s", lineEnds)
		default:
			d.Fail(1, FaultCanonical, "%s", notCanonical)
		}
	}
	m = &Manifest{Header: ix.Header}
	m.Records, faults = readParts(s, ix.Parts, recordCodec, check)
	d.Faults = append(d.Faults, faults...)
	m.Skipped, faults = readParts(s, ix.Skips, skipCodec, check)
	faults = append(d.Faults, faults...)
	for _, p := range ix.Options {
		text, err := s.Read(p.Path, "")
		found := s.partFault(p, Sum(text), err)
		if faults = append(faults, found...); len(found) == 0 {
			m.Settings = string(text)
		}
	}
	if !slices.ContainsFunc(faults, unread) {
		faults = append(faults, ix.compare(m, file)...)
	}
	sum = Sum(data)
	if !check { // which holds all against the list
		faults = append(faults, checkIndex(s, file, sum)...)
	}
	return m, sum, faults, nil
}

func (ix *index) compare(m *Manifest, file string) (faults []Fault) {
	if ix.Records != len(m.Records) {
		faults = append(faults, fault("", FaultCounts, "%s: records: got %d, want %d", file, ix.Records, len(m.Records)))
	}
	want := m.Counts()
	if !slices.Equal(ix.Counts, want) {
		faults = append(faults, fault("", FaultCounts, "%s: counts: got %v, want %v", file, ix.Counts, want))
	}
	return faults
}

// A codec is what reading a list of T needs.
type codec[T any] struct {
	fields []canon.Field[T]
	inline bool
	check  func(*T, report)        // one item by itself
	order  func(a, b *T, _ report) // a and b, the item before it
}

var (
	recordCodec = codec[Record]{recordFields, false, (*Record).check, (*Record).checkOrder}
	skipCodec   = codec[Skip]{skipFields, true, (*Skip).check, (*Skip).checkOrder}
)

// partsAtOnce bounds memory: a reader holds the text of a part, 7 MB. Two read 150,000 records a
// second.
const partsAtOnce = 2

func readParts[T any](s *Store, parts []part, c codec[T], check bool) (all []T, faults []Fault) {
	// Each part is read into its place among all: Concat would hold a second copy. One that is longer
	// than its index says moves all to a copy.
	room := make([]int, len(parts)+1)
	for i, p := range parts {
		room[i+1] = room[i] + s.atMost(p)
	}
	all = make([]T, room[len(parts)])
	type result struct {
		items  []T
		faults []Fault
	}
	var last *T // of the parts before
	lists, inPlace := make([][]T, len(parts)), true
	readers := make(chan *partReader, partsAtOnce)
	for range partsAtOnce {
		readers <- &partReader{}
	}
	Each(context.Background(), partsAtOnce, len(parts), func(_ context.Context, i int) (r result, _ error) {
		reader := <-readers
		r.items, r.faults = c.readPart(reader, s, parts[i], check, all[room[i]:room[i]:room[i+1]])
		readers <- reader
		return r, nil
	}, func(i int, r result, _ error) error {
		faults = append(faults, r.faults...)
		lists[i] = r.items
		inPlace = inPlace && len(r.items) > 0 && len(r.items) == room[i+1]-room[i] && &r.items[0] == &all[room[i]]
		if len(r.items) == 0 {
			last = nil
			return nil
		}
		if last != nil {
			c.order(&r.items[0], last, func(field, kind, format string, args ...any) {
				faults = append(faults, fault("", kind, "%s:1: %s", parts[i].Path, fmt.Sprintf(format, args...)))
			})
		}
		last = &r.items[len(r.items)-1]
		return nil
	})
	if !inPlace || len(parts) == 0 {
		all = slices.Concat(lists...)
	}
	return all, faults
}

// atMost returns the items that p claims, 0 if its file cannot hold that many.
func (s *Store) atMost(p part) int {
	const least = 32 // bytes of an item
	name, err := s.Path(p.Path)
	if err != nil {
		return 0
	}
	if st, err := os.Stat(name); err != nil || p.Records < 0 || int64(p.Records) > st.Size()/least {
		return 0
	}
	return p.Records
}
