package pipeline

import "hdseg/manifests"

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
