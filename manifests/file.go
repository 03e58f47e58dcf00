package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// index is what NAME.yaml holds.
type index struct {
	Name   string
	Header Header
	Counts []Count
	Parts  []part
}

type part struct {
	Path    string
	Records int
	SHA256  Digest
}

// Write stores m under name ("horseseg" or "stages/ingest"): the parts name.d/0000.yaml, ... first,
// the index name.yaml last. It sorts m.Records and m.Skipped in place, refuses a manifest that
// Validate finds fault with, and returns the digest of the index.
func Write(s *Store, name string, m *Manifest) (Digest, error) {
	m.Schema = Schema
	slices.SortFunc(m.Records, func(a, b Record) int { return a.Compare(&b) })
	slices.SortFunc(m.Skipped, func(a, b Skip) int {
		if c := strings.Compare(a.Record, b.Record); c != 0 {
			return c
		}
		return strings.Compare(a.Reason, b.Reason)
	})
	if errs := m.Validate(); len(errs) > 0 {
		return "", fmt.Errorf("%s: %w", name, errors.Join(errs...))
	}
	ix := index{Name: name, Header: m.Header, Counts: m.Counts()}
	n := 0
	for recs := range slices.Chunk(m.Records, PartRecords) {
		data, err := yaml.Marshal(recs)
		if err != nil {
			return "", err
		}
		p := part{fmt.Sprintf("%s.d/%04d.yaml", name, n), len(recs), Sum(data)}
		if err := s.Replace(p.Path, data); err != nil {
			return "", err
		}
		ix.Parts = append(ix.Parts, p)
		n++
	}
	data, err := yaml.Marshal(ix)
	if err != nil {
		return "", err
	}
	return Sum(data), s.Replace(name+".yaml", data)
}

// Read returns the manifest that Write stored under name and its index's digest.
func Read(s *Store, name string) (*Manifest, Digest, error) {
	file := name + ".yaml"
	data, err := s.Read(file, "")
	if err != nil {
		return nil, "", err
	}
	var ix index
	if err := decode(data, &ix); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	if ix.Header.Schema != Schema {
		return nil, "", fmt.Errorf("%s: schema: got %d, want %d", file, ix.Header.Schema, Schema)
	}
	m := &Manifest{Header: ix.Header}
	for _, p := range ix.Parts {
		data, err := s.Read(p.Path, p.SHA256)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		var recs []Record
		if err := decode(data, &recs); err != nil {
			return nil, "", fmt.Errorf("%s: %w", p.Path, err)
		}
		if len(recs) != p.Records {
			return nil, "", fmt.Errorf("%s: got %d records, want %d", p.Path, len(recs), p.Records)
		}
		m.Records = append(m.Records, recs...)
	}
	if errs := m.Validate(); len(errs) > 0 {
		return nil, "", fmt.Errorf("%s: %w", file, errors.Join(errs...))
	}
	return m, Sum(data), nil
}

// ReadFile reads a manifest by its file, DIR/horseseg.yaml, and returns the store that it lies in too.
func ReadFile(file string) (*Store, *Manifest, Digest, error) {
	name, ok := strings.CutSuffix(filepath.Base(file), ".yaml")
	if !ok {
		return nil, nil, "", fmt.Errorf("%s: want a .yaml file", file)
	}
	s, err := OpenStore(filepath.Dir(file))
	if err != nil {
		return nil, nil, "", err
	}
	m, d, err := Read(s, name)
	return s, m, d, err
}

func decode(data []byte, v any) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	return d.Decode(v)
}
