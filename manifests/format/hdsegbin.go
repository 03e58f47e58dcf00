package format

import (
	"fmt"
	"io"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format/hdf5"
)

// An HDSegFile is one of HDSeg's published feature files (horse-features.bin and its kin): an HDF5
// file with seven datasets for each image, named by a six-digit index from 0 (method facts 1.3).
type HDSegFile struct {
	Images int
	f      *hdf5.File
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

// Names reads what the files of image i are called: image_name and annotation_file.
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

// HDSegName takes the name of a training image or annotation apart, imgX_A_B.EXT or annoX_A_B.EXT:
// X is a, b or c for the tiers manual, bbox and label, A_B the picture's id.
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
