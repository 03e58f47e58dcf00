package lscrf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A Scored is a picture with true pixels to compare a labeling with.
type Scored struct {
	*Graph
	Map   *superpixel.Map
	Truth []uint8 // label of pixel (x, y) at y*Map.Width+x; 255 is void
}

// NewScored segments a picture and computes its features. Its graph has the label of every superpixel under a tier.
func NewScored(id string, img *raster.RGB, truth []uint8, labels int, tier manifests.Tier, setup Setup) Scored {
	s := Scored{Truth: truth}
	s.Graph, s.Map = NewGraph(id, img, setup)
	s.Labels = map[manifests.Tier][]uint8{tier: majority(s.Map, truth, labels)}
	return s
}

// LoadScored reads the records of a split that have a manual mask. A record that cannot be read is skipped, and so is
// a test record without the mask; training records without it are not asked for.
func LoadScored(ctx context.Context, m *manifests.Manifest, split manifests.Split, store *manifests.Store, setup Setup, workers int, progress func(done, total int)) ([]Scored, []manifests.Skip, error) {
	var todo []*manifests.Record
	for i := range m.Records {
		r := &m.Records[i]
		if _, ok := r.MaskOf(manifests.Manual); r.Split == split && (ok || split == manifests.Test) {
			todo = append(todo, r)
		}
	}
	var images []Scored
	var skips []manifests.Skip
	err := manifests.Each(ctx, workers, len(todo),
		func(_ context.Context, i int) (s Scored, err error) {
			r := todo[i]
			mask, ok := r.MaskOf(manifests.Manual)
			if !ok {
				return s, errNoMask(r)
			}
			truth, err := load.Mask(store, r, mask)
			if err != nil {
				return s, err
			}
			img, err := load.Image(store, r)
			if err != nil {
				return s, err
			}
			return NewScored(r.ID, img, truth.Pix, 2, manifests.Manual, setup), nil
		},
		func(i int, s Scored, err error) error {
			progress(i+1, len(todo))
			if err != nil {
				skips = append(skips, unreadable(todo[i], err))
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

// Sort brings images into the order of CrossValidate's scores: by fold, and as they were within one.
func (f Folds) Sort(images []Scored) {
	slices.SortStableFunc(images, func(a, b Scored) int { return cmp.Compare(f[a.ID], f[b.ID]) })
}

// A Memory is the Source of graphs that are in memory.
type Memory []Scored

// Len returns the number of graphs.
func (m Memory) Len() int { return len(m) }

// Graph returns graph i.
func (m Memory) Graph(i int) (*Graph, error) { return m[i].Graph, nil }

// A without is a Source that leaves some ids of another out.
type without struct {
	Source
	which []int
}

// leaveOut returns the graphs of src that are like none of some ids.
func leaveOut(src Source, ids []string, alike Alike) (*without, error) {
	w := &without{Source: src}
	out := map[string]bool{}
	for _, id := range ids {
		out[alike.Of(id)] = true
	}
	for i := range src.Len() {
		g, err := src.Graph(i)
		if err != nil {
			return nil, err
		}
		if !out[alike.Of(g.ID)] {
			w.which = append(w.which, i)
		}
	}
	return w, nil
}

// Len returns the number of graphs.
func (w *without) Len() int { return len(w.which) }

// Graph returns graph i.
func (w *without) Graph(i int) (*Graph, error) { return w.Source.Graph(w.which[i]) }
