package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A Scored is a picture with true pixels to compare a labeling with.
type Scored struct {
	*lscrf.Graph
	Map   *superpixel.Map
	Truth []uint8 // label of pixel (x, y) at y*Map.Width+x; 255 is void
}

// NewScored segments a picture and computes its features. Its graph has the label of every
// superpixel under a tier. It fails as lscrf.NewGraph does.
func NewScored(id string, img *raster.RGB, truth []uint8, labels int, tier manifests.Tier, setup lscrf.Setup) (s Scored, err error) {
	s.Truth = truth
	if s.Graph, s.Map, _, err = lscrf.NewGraph(id, img, setup); err != nil {
		return s, err
	}
	s.Labels = map[manifests.Tier][]uint8{tier: superpixel.MajorityLabel(s.Map, truth, labels)}
	return s, nil
}

// Load reads the records of a split that have a manual mask. A record that cannot be read is
// skipped, and so is a test record without a manual mask. It is an error if the features need the
// arrays of a network, and no picture has one.
func Load(ctx context.Context, m *manifests.Manifest, split manifests.Split, store *manifests.Store, setup lscrf.Setup, workers int,
	progress func(done, total int)) ([]Scored, []manifests.Skip, error) {
	var todo []*manifests.Record
	var images []Scored
	var skips []manifests.Skip
	for i := range m.Records {
		r := &m.Records[i]
		if _, ok := r.MaskOf(manifests.Manual); r.Split == split && ok {
			todo = append(todo, r)
		} else if r.Split == split && split == manifests.Test {
			skips = append(skips, manifests.Skip{Record: r.ID, Reason: "no_mask", Detail: r.ID + ": the test record has no manual mask"})
		}
	}
	var ids []string
	for _, r := range todo {
		ids = append(ids, r.ID)
	}
	if err := dense.Some(setup.Feature.Dense, ids); err != nil {
		return nil, nil, err
	}
	err := manifests.Each(ctx, workers, len(todo),
		func(_ context.Context, i int) (s Scored, err error) {
			r := todo[i]
			mask, _ := r.MaskOf(manifests.Manual)
			defer load.Hold(r, raster.Segmenting)()
			truth, err := load.Mask(store, r, mask)
			if err != nil {
				return s, err
			}
			img, err := load.Image(store, r)
			if err != nil {
				return s, err
			}
			return NewScored(r.ID, img, truth.Pix, 2, manifests.Manual, setup)
		},
		func(i int, s Scored, err error) error {
			progress(i+1, len(todo))
			if err != nil {
				skips = append(skips, lscrf.Skip(todo[i].ID, err))
				return nil
			}
			images = append(images, s)
			return nil
		})
	return images, skips, err
}

// IDs returns the ids of images in their order.
func IDs(images []Scored) []string {
	ids := []string{}
	for _, im := range images {
		ids = append(ids, im.ID)
	}
	return ids
}

// TruthDigest returns a digest of the true pixels of images, by their ids, whatever their order.
func TruthDigest(images []Scored) manifests.Digest {
	var lines []string
	for _, im := range images {
		lines = append(lines, fmt.Sprintf("%s %d %s\n", im.ID, im.Map.Width, manifests.Sum(im.Truth)))
	}
	slices.Sort(lines)
	return manifests.Sum([]byte(strings.Join(lines, "")))
}

// SortByFold brings images into the order of CrossValidate's scores: by fold, and as they were
// within one.
func SortByFold(images []Scored, f lscrf.Folds) {
	slices.SortStableFunc(images, func(a, b Scored) int { return cmp.Compare(f[a.ID], f[b.ID]) })
}

// Graphs returns the graphs of images, to train on.
func Graphs(images []Scored) lscrf.Memory {
	var out lscrf.Memory
	for _, im := range images {
		out = append(out, im.Graph)
	}
	return out
}
