package format

import (
	"fmt"
	"io"
	"math"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format/hdf5"
)

// An HDSegFile is one of HDSeg's published feature files (horse-features.bin and its kin): an HDF5 file with seven datasets
// for each image, named by a six-digit index from 0 (method facts 1.3).
type HDSegFile struct {
	Images int
	f      *hdf5.File
}

// An HDSegGraph is an image of such a file as the superpixel graph that it was published as.
type HDSegGraph struct {
	Nodes, Width int
	Features     []float32 // Nodes x Width, row by row
	Edges        [][2]int  // node numbers from 0, one row for each undirected edge
	Labels       []uint8   // 0 ground, 1 figure, of each node
	Annotation   string    // annotation_file
	Image        string    // image_name
}

// OpenHDSeg opens a feature file and counts its images.
func OpenHDSeg(r io.ReaderAt, size int64) (*HDSegFile, error) {
	f, err := hdf5.Open(r, size)
	if err != nil {
		return nil, err
	}
	names, err := f.List("")
	if err != nil {
		return nil, err
	}
	h := &HDSegFile{f: f}
	const prefix = "superpixel_count_"
	for _, n := range names {
		if strings.HasPrefix(n, prefix) {
			if want := fmt.Sprintf("%s%06d", prefix, h.Images); n != want {
				return nil, fmt.Errorf("hdseg features: got %s, want %s: an image is missing", n, want)
			}
			h.Images++
		}
	}
	if h.Images == 0 {
		return nil, fmt.Errorf("hdseg features: got no dataset %s000000", prefix)
	}
	return h, nil
}

// Graph reads image i, from 0. What does not fit together is an error that names the dataset.
func (h *HDSegFile) Graph(i int) (*HDSegGraph, error) {
	g := &HDSegGraph{}
	var err error
	fail := func(dataset string, err error) error {
		return fmt.Errorf("hdseg features: %s_%06d: %w", dataset, i, err)
	}
	open := func(dataset string) (*hdf5.Dataset, error) { return h.f.Dataset(fmt.Sprintf("%s_%06d", dataset, i)) }
	ints := func(dataset string, want int) []int64 {
		if err != nil {
			return nil
		}
		d, e := open(dataset)
		if e == nil && want >= 0 && d.Len() != want {
			e = fmt.Errorf("got shape %v, want %d numbers", d.Shape, want)
		}
		var v []int64
		if e == nil {
			v, e = d.Ints()
		}
		if e != nil {
			err = fail(dataset, e)
		}
		return v
	}
	counts := append(ints("superpixel_count", 1), ints("edge_count", 1)...)
	if err == nil && (counts[0] < 1 || counts[0] > math.MaxInt32 || counts[1] < 0 || counts[1] > math.MaxInt32) {
		err = fail("superpixel_count", fmt.Errorf("got %d nodes and %d edges", counts[0], counts[1]))
	}
	if err != nil {
		return nil, err
	}
	g.Nodes = int(counts[0])
	for k, v := range ints("edge_structure", 2*int(counts[1])) {
		if v < 0 || v >= counts[0] {
			return nil, fail("edge_structure", fmt.Errorf("row %d: got node %d, want 0..%d", k/2, v, counts[0]-1))
		}
		if k%2 == 0 {
			g.Edges = append(g.Edges, [2]int{})
		}
		g.Edges[k/2][k%2] = int(v)
	}
	for k, v := range ints("labels", g.Nodes) {
		if v != 0 && v != 1 {
			return nil, fail("labels", fmt.Errorf("node %d: got %d, want 0 or 1", k, v))
		}
		g.Labels = append(g.Labels, uint8(v))
	}
	if err != nil {
		return nil, err
	}
	if g.Image, g.Annotation, err = h.Names(i); err != nil {
		return nil, err
	}
	d, err := open("features")
	if err == nil && (len(d.Shape) != 2 || d.Shape[0] != g.Nodes) {
		err = fmt.Errorf("got shape %v, want %d rows", d.Shape, g.Nodes)
	}
	if err == nil {
		g.Width = d.Shape[1]
		g.Features, err = d.Float32s()
	}
	if err != nil {
		return nil, fail("features", err)
	}
	return g, nil
}

// Names reads only what the files of image i are called: image_name and annotation_file.
func (h *HDSegFile) Names(i int) (image, annotation string, err error) {
	for dataset, to := range map[string]*string{"image_name": &image, "annotation_file": &annotation} {
		d, err := h.f.Dataset(fmt.Sprintf("%s_%06d", dataset, i))
		var s []string
		if err == nil {
			s, err = d.Strings()
		}
		if err == nil && len(s) != 1 {
			err = fmt.Errorf("got %d strings, want 1", len(s))
		}
		if err != nil {
			return "", "", fmt.Errorf("hdseg features: %s_%06d: %w", dataset, i, err)
		}
		*to = s[0]
	}
	return image, annotation, nil
}

// HDSegName takes the name of a training image or annotation apart, imgX_A_B.EXT or annoX_A_B.EXT: X is a, b or c for the tiers
// manual, bbox and label, A_B the picture's id.
func HDSegName(name string) (tier manifests.Tier, id string, err error) {
	stem, _, _ := strings.Cut(name, ".")
	parts := strings.Split(stem, "_")
	kind := strings.TrimPrefix(strings.TrimPrefix(parts[0], "img"), "anno")
	tiers := map[string]manifests.Tier{"a": manifests.Manual, "b": manifests.BBox, "c": manifests.Label}
	tier, ok := tiers[kind]
	if !ok || len(parts) != 3 || len(parts[0]) == 1 {
		return "", "", fmt.Errorf("hdseg name: got %q, want imgX_A_B or annoX_A_B with X one of a, b, c", name)
	}
	return tier, parts[1] + "_" + parts[2], nil
}
