package lscrf

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"hdseg/lscrf/tools/cache"
	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// Extract makes the graph of every record that has a mask and writes them as a feature cache into
// the store's folder dir, in the manifest's order whatever the number of workers. key is the
// digest of all that the features depend on. A record whose image, mask or array cannot be
// read is skipped. It returns the number of graphs written.
func Extract(ctx context.Context, m *manifests.Manifest, store *manifests.Store, setup Setup, dir string, key manifests.Digest,
	workers int, progress func(done, total int)) (int, []manifests.Skip, error) {
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
				skips = append(skips, Skip(todo[i].ID, err))
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
	defer load.Hold(r, raster.Segmenting)()
	img, err := load.Image(store, r)
	if err != nil {
		return nil, err
	}
	g, sp, _, err := NewGraph(r.ID, img, setup)
	if err != nil {
		return nil, err
	}
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
	if persons := r.Persons(); persons != "" && setup.Feature.Dense != nil { // see Model.Cells
		runs, err := format.ParseRLE(persons, img.Height, img.Width)
		if err != nil {
			return nil, fmt.Errorf("%s: persons: %w", r.ID, err)
		}
		px := raster.NewMask(img.Width, img.Height)
		runs.Paint(px, raster.Figure)
		im.Labels = append(im.Labels, cache.Labels{Tier: cache.Persons, Y: superpixel.Majority(sp, px)})
	}
	return im, nil
}

// SkipUnreadable is the reason of a Skip: a picture or mask is missing, changed, or cannot be read.
const SkipUnreadable = "unreadable"

// Skip says that a picture is left out, because it or its array cannot be read.
func Skip(name string, err error) manifests.Skip {
	reason := SkipUnreadable
	if errors.As(err, new(*dense.SkipError)) {
		reason = dense.Skip
	}
	return manifests.Skip{Record: name, Reason: reason, Detail: err.Error()}
}

// vocabularyPictures is the most pictures that a vocabulary is learned from. They give 50,000
// descriptors, about a hundred per word.
const vocabularyPictures = 500

// LearnVocabulary learns the words of the set hdseg from training pictures only: from all, or from
// vocabularyPictures evenly spaced ones in the manifest's order. What is drawn in a picture
// depends on its id and the seed alone. A picture that cannot be read contributes nothing.
func LearnVocabulary(ctx context.Context, m *manifests.Manifest, store *manifests.Store, o feature.Options, seed uint64, workers int,
	progress func(done, total int)) (*feature.Vocabulary, error) {
	var train []*manifests.Record
	for i := range m.Records {
		if r := &m.Records[i]; r.Split == manifests.Train && len(r.Masks) > 0 {
			train = append(train, r)
		}
	}
	n := min(len(train), vocabularyPictures)
	var samples []feature.Sample
	err := manifests.Each(ctx, workers, n,
		func(_ context.Context, i int) (s feature.Sample, err error) {
			r := train[i*len(train)/n]
			defer load.Hold(r, raster.Segmenting)()
			img, err := load.Image(store, r)
			if err != nil {
				return s, err
			}
			return feature.NewSample(img, o, rand.New(rand.NewPCG(seed, hashID(r.ID)))), nil
		},
		func(i int, s feature.Sample, err error) error {
			progress(i+1, n)
			if err == nil {
				samples = append(samples, s)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("features: no training picture to learn the vocabulary from")
	}
	return feature.NewVocabulary(samples, o, rand.New(rand.NewPCG(seed, 0))), nil
}

// hashID returns a number that depends on an id alone.
func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
