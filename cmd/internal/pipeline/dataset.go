package pipeline

import (
	"encoding/json"
	"fmt"

	"hdseg/manifests"
)

// A Dataset is a manifest and the store that it lies in.
type Dataset struct {
	Store    *manifests.Store
	Name     string // of the manifest in the store; "" for one that has no file
	Manifest *manifests.Manifest
	Digest   manifests.Digest // of the manifest's index
}

// dataset reads a manifest of the build.
func (b *build) dataset(name string) (*Dataset, error) {
	m, digest, err := manifests.Read(b.store, name)
	return &Dataset{b.store, name, m, digest}, err
}

// A Shard is part I, from 0, of Of parts of a manifest's records; with Of 0 it is all of them.
type Shard struct {
	I  int `yaml:"i"`
	Of int `yaml:"of"`
}

// Cut returns the manifest with the records of the shard alone, every Of-th one.
func (s Shard) Cut(m *manifests.Manifest) *manifests.Manifest {
	if s.Of == 0 {
		return m
	}
	part := *m
	part.Records = nil
	for i := s.I; i < len(m.Records); i += s.Of {
		part.Records = append(part.Records, m.Records[i])
	}
	return &part
}

// place returns where the features of a shard lie.
func (s Shard) place() place {
	if s.Of == 0 {
		return aside
	}
	dir := fmt.Sprintf(".work/shards/%d-of-%d/", s.I, s.Of)
	return place{dir + "features", dir + "vocabulary/words.bin", s}
}

// readJSON reads a file of a store into v. The error names the file.
func readJSON(s *manifests.Store, name string, v any) error {
	data, err := s.Read(name, "")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// WriteJSON writes v into a file of a store.
func WriteJSON(s *manifests.Store, name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return s.Replace(name, append(data, '\n'))
}
