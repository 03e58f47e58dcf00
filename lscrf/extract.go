package lscrf

import (
	"context"
	"fmt"

	"hdseg/lscrf/tools/cache"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

// Extract makes the graph of every record that has a mask and writes them as a feature cache into
// the store's folder dir, in the manifest's order whatever the number of workers. key is the
// digest of all that the features depend on. A record whose image or mask cannot be read is
// skipped. It returns the number of graphs written.
func Extract(ctx context.Context, m *manifests.Manifest, store *manifests.Store, setup Setup, dir string, key manifests.Digest, workers int, progress func(done, total int)) (int, []manifests.Skip, error) {
	var todo []*manifests.Record
	for i := range m.Records {
		if r := &m.Records[i]; len(r.Masks) > 0 {
			todo = append(todo, r)
		}
	}
	w := cache.NewWriter(store, dir, setup.Dim(), key)
	var skips []manifests.Skip
	err := manifests.Each(ctx, workers, len(todo),
		func(_ context.Context, i int) (*cache.Image, error) { return imageOf(store, todo[i], setup) },
		func(i int, im *cache.Image, err error) error {
			progress(i+1, len(todo))
			if err != nil {
				skips = append(skips, unreadable(todo[i], err))
				return nil
			}
			return w.Add(im)
		})
	if err != nil {
		return 0, nil, err
	}
	return len(todo) - len(skips), skips, w.Close()
}

// imageOf returns the graph of a record with the labels of each of its tiers.
func imageOf(store *manifests.Store, r *manifests.Record, setup Setup) (*cache.Image, error) {
	img, err := load.Image(store, r)
	if err != nil {
		return nil, err
	}
	g, sp := NewGraph(r.ID, img, setup)
	im := &cache.Image{ID: r.ID, Split: r.Split, N: g.N, Dim: g.Dim, Features: g.Features, Edges: g.Edges, Sizes: g.Sizes}
	for _, t := range r.Tiers() {
		mask, ok := r.MaskOf(t)
		if !ok {
			continue
		}
		px, err := load.Mask(store, r, mask)
		if err != nil {
			return nil, err
		}
		im.Labels = append(im.Labels, cache.Labels{Tier: t, Y: superpixel.Majority(sp, px)})
	}
	return im, nil
}

// A Cached is the Source of one split of a feature cache.
type Cached struct {
	cache *cache.Cache
	which []int
}

// FromCache returns the graphs of one split.
func FromCache(c *cache.Cache, split manifests.Split) *Cached {
	s := &Cached{cache: c}
	for i := range c.Len() {
		if c.Split(i) == split {
			s.which = append(s.which, i)
		}
	}
	return s
}

// Len returns the number of graphs.
func (s *Cached) Len() int { return len(s.which) }

// Graph returns graph i, whose slices lie in the cache's file.
func (s *Cached) Graph(i int) (*Graph, error) {
	im, err := s.cache.Get(s.which[i])
	if err != nil {
		return nil, err
	}
	g := &Graph{ID: im.ID, N: im.N, Dim: im.Dim, Features: im.Features, Edges: im.Edges, Sizes: im.Sizes, Labels: map[manifests.Tier][]uint8{}}
	for _, l := range im.Labels {
		g.Labels[l.Tier] = l.Y
	}
	return g, nil
}

func errNoMask(r *manifests.Record) error {
	return fmt.Errorf("%s: the test record has no manual mask", r.ID)
}

func unreadable(r *manifests.Record, err error) manifests.Skip {
	return manifests.Skip{Record: r.ID, Reason: "unreadable", Detail: err.Error()}
}
