package pipeline

import (
	"fmt"

	"hdseg/manifests"
)

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
