package lscrf

import (
	"slices"

	"hdseg/lscrf/internal/faults"
	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/raster"
)

// A Setup says how a picture becomes a graph. A Model carries the one it was trained with.
type Setup struct {
	Superpixel superpixel.Options `yaml:"superpixel"`
	Feature    feature.Options    `yaml:"feature"`
}

// Validate returns all faults of s.
func (s Setup) Validate() error {
	var f faults.List
	f.In("superpixel", s.Superpixel.Validate())
	f.In("feature", s.Feature.Validate())
	return f.Err()
}

// A Graph is a picture as a model sees it: N superpixels, an edge between any two that
// touch, and a row of features for each.
type Graph struct {
	ID       string
	N, Dim   int
	Features []float32  // N x Dim, row-major
	Edges    [][2]int32 // i < j, sorted, each pair once
	Sizes    []int32    // pixels of each superpixel

	// Labels holds a label per superpixel for every tier that has a mask: the majority of its
	// pixels that are not void, a tie is ground; 255 where all are void.
	Labels map[manifests.Tier][]uint8

	persons []uint8 // 1 for superpixels that show persons; nil where nothing tells
}

// withPersons returns labels of figure and ground with the label person for ground that shows
// persons.
func withPersons(labels, persons []uint8) []uint8 {
	if persons == nil {
		return labels
	}
	out := slices.Clone(labels)
	for i, p := range persons {
		if p == 1 && out[i] == raster.Ground {
			out[i] = person
		}
	}
	return out
}

// NewGraph segments a picture and computes its features. The map assigns the pixels to the
// nodes. It fails if the features need the array of a network that cannot be read; its file has the
// name id. The array is what it read, nil if the features need none.
func NewGraph(id string, img *raster.RGB, s Setup) (*Graph, *superpixel.Map, *feature.Array, error) {
	array, err := dense.Read(s.Feature.Dense, id, img)
	if err != nil {
		return nil, nil, nil, err
	}
	sp := superpixel.Segment(img, s.Superpixel)
	raster.Collect(len(sp.Labels))
	return &Graph{
		ID:       id,
		N:        sp.N,
		Dim:      s.Dim(),
		Features: array.Beside(feature.Extract(img, sp, s.Feature), sp),
		Edges:    sp.Edges(),
		Sizes:    sp.Sizes(),
	}, sp, array, nil
}

// Dim returns the number of features per superpixel.
func (s Setup) Dim() int { return feature.Dim(s.Feature) }
