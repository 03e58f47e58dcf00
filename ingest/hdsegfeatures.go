package ingest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"hdseg/manifests"
	"hdseg/manifests/format"
)

// hdsegData takes what lies in the folder data beside a published tree: data/CLASS-features*.bin is kept for checkFeatures, pictures of
// superpixels in data/CLASS-superpixels* are counted. It tells whether the file is one of them.
func (l *lister) hdsegData(e entry, t *hdsegTree) bool {
	dir, base := path.Split(e.name)
	folder := path.Base(dir)
	class, rest, found := strings.Cut(base, "-features")
	switch {
	case path.Base(path.Dir(path.Clean(dir))) == "data" && strings.Contains(folder, "-superpixels"):
		l.other["hdseg_superpixels"]++
	case folder != "data" || !found || !strings.HasSuffix(rest, ".bin"):
		return false
	case !strings.EqualFold(class, l.class.Name):
		l.other["other_dataset"]++
	default:
		t.features = append(t.features, e)
	}
	return true
}

// checkFeatures holds the order of a feature file, which is the only list of its data set that was published, against the masks of the tree:
// whatever it names and the tree does not have is listed, and so is a name that cannot be read. The features themselves become no records.
func (l *lister) checkFeatures(e entry, t *hdsegTree) {
	test := strings.HasSuffix(e.name, "-test.bin")
	err := withReaderAt(&e, func(r io.ReaderAt) error {
		h, err := format.OpenHDSeg(r, e.size)
		if err != nil {
			return err
		}
		for i := range h.Images {
			image, annotation, err := h.Names(i)
			if err != nil {
				return err
			}
			key, tier, err := l.featureKey(image, annotation, test)
			if err != nil {
				l.lost(fmt.Sprintf("%s!%06d", e.origin, i), "bad_name", err.Error())
				continue
			}
			l.other["hdseg_features"]++
			if !t.has(key, tier) {
				l.lost(path.Base(key), "feature_without_mask", fmt.Sprintf("%s: image %d is %s, of which the tree has no %s mask", e.origin, i, key, tier))
			}
		}
		return nil
	})
	if err != nil {
		l.lost(e.origin, "bad_feature_file", err.Error())
	}
}

// featureKey is FOLDER/ID and the tier of an image by the names that a feature file gives (method facts 1.3): those of the image and of its
// annotation must agree.
func (l *lister) featureKey(image, annotation string, test bool) (string, manifests.Tier, error) {
	if test {
		id, tier, ok := l.hdsegName("test", annotation)
		if !ok {
			return "", "", fmt.Errorf("annotation_file: got %q, want the name of a PNG file", annotation)
		}
		return "test/" + id, tier, nil
	}
	tier, id, err := format.HDSegName(annotation)
	if err != nil {
		return "", "", err
	}
	if t, i, err := format.HDSegName(image); err != nil || t != tier || i != id {
		return "", "", fmt.Errorf("image_name: got %q, want the tier and id of %q", image, annotation)
	}
	folder, _, _ := strings.Cut(id, "_")
	if !wnidPattern.MatchString(folder) { // a year
		folder = "voc12"
	}
	return folder + "/" + id, tier, nil
}

// has tells whether the tree has a mask.
func (t *hdsegTree) has(key string, tier manifests.Tier) bool {
	for _, l := range t.masks[key] {
		if l.tier == tier {
			return true
		}
	}
	return false
}

// withReaderAt gives the bytes of an entry for reading here and there.
func withReaderAt(e *entry, use func(io.ReaderAt) error) error {
	if e.file == "" {
		return use(bytes.NewReader(e.data))
	}
	f, err := os.Open(e.file)
	if err != nil {
		return pathless(err)
	}
	defer f.Close()
	return use(io.NewSectionReader(f, e.offset, e.size))
}
