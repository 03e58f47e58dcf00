package lscrf

import (
	"context"
	"fmt"
	"math/rand/v2"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/load"
)

// LearnVocabulary learns the words of the set hdseg from training pictures only: from all, or from
// feature.MaxSamples evenly spaced ones in the manifest's order. What is drawn in a picture
// depends on its id and the seed alone. A picture that cannot be read contributes nothing.
func LearnVocabulary(ctx context.Context, m *manifests.Manifest, store *manifests.Store, o feature.Options, seed uint64, workers int, progress func(done, total int)) (*feature.Vocabulary, error) {
	var train []*manifests.Record
	for i := range m.Records {
		if r := &m.Records[i]; r.Split == manifests.Train && len(r.Masks) > 0 {
			train = append(train, r)
		}
	}
	n := min(len(train), feature.MaxSamples)
	var samples []feature.Sample
	err := manifests.Each(ctx, workers, n,
		func(_ context.Context, i int) (s feature.Sample, err error) {
			r := train[i*len(train)/n]
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
		return nil, fmt.Errorf("features: no training picture to learn the vocabulary from")
	}
	return feature.NewVocabulary(samples, o, rand.New(rand.NewPCG(seed, 0))), nil
}
