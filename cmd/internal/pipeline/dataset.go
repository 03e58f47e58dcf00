package pipeline

import (
	"encoding/json"
	"fmt"

	"hdseg/manifests"
)

// A Dataset is a manifest and the store that it lies in.
type Dataset struct {
	Store    *manifests.Store
	Manifest *manifests.Manifest
	Digest   manifests.Digest // of the manifest's index
}

// dataset reads a manifest of the build.
func (b *build) dataset(name string) (*Dataset, error) {
	m, digest, err := manifests.Read(b.store, name)
	return &Dataset{b.store, m, digest}, err
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
