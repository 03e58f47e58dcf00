package study

import (
	"context"
	"maps"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests"
)

// A sample is training images, each with the labels of one of its tiers.
type sample struct {
	graphs lscrf.Memory
	tiers  map[manifests.Tier]bool
}

func (s *sample) add(t manifests.Tier, graphs ...*lscrf.Graph) {
	if s.tiers == nil {
		s.tiers = map[manifests.Tier]bool{}
	}
	for _, g := range graphs {
		h := *g
		h.Labels = map[manifests.Tier][]uint8{t: g.Labels[t]}
		s.graphs = append(s.graphs, &h)
		s.tiers[t] = true
	}
}

// measure trains a model on a sample and returns the confusion of the pixels of every test image.
func (s *state) measure(ctx context.Context, from *sample) ([]*metric.Confusion, error) {
	t := s.On(from.graphs)
	t.Seed, t.Workers, t.Loss = s.o.Seed, 1, nil // as many are trained at a time

	if s.o.Model == lscrf.Linear { // on the features as cached
		t.Options.TreeFeatures, t.Options.ChooseFolds = lscrf.TreeFeatureOptions{}, 0
	}
	spec := lscrf.Spec{Tiers: slices.SortedFunc(maps.Keys(from.tiers), compareTiers), Model: s.o.Model, Terms: s.terms,
		Balance: s.Options.Balance}
	got, err := t.Train(ctx, spec, func(int, int) {})
	if err != nil {
		return nil, err
	}
	return s.test.score(got.Model)
}

// A judge compares labelings with true pixels: of every superpixel it knows how many have each
// label.
type judge struct {
	images []bench.Scored
	pixels [][]int64 // per image: ground and figure of each superpixel
}

func newJudge(images []bench.Scored) *judge {
	j := &judge{images: images}
	for _, im := range images {
		j.pixels = append(j.pixels, superpixel.Counts(im.Map, im.Truth, 2))
	}
	return j
}

// score lets a model predict the images and returns the confusion of their pixels.
func (j *judge) score(m *lscrf.Model) ([]*metric.Confusion, error) {
	out := make([]*metric.Confusion, len(j.images))
	for i, im := range j.images {
		p, err := m.Predict(im.Graph)
		if err != nil {
			return nil, err
		}
		c := metric.NewConfusion(2)
		for sp, y := range p.Labels {
			c.N[y] += j.pixels[i][2*sp]
			c.N[3+y] += j.pixels[i][2*sp+1]
		}
		out[i] = c
	}
	return out, nil
}

// accuracy is the pooled per-class accuracy in percent.
func accuracy(c []*metric.Confusion) metric.Value {
	return metric.PerClassAccuracy(metric.Pool(2, c)).Scale(100)
}
