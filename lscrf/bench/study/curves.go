package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// A Curve is the accuracy on the test split of models trained on growing parts of a tier, drawn at
// random.
type Curve struct {
	Tier   manifests.Tier `json:"tier"`
	Points []Point        `json:"points"`
}

// A Point of a curve. Draws are the accuracies of the random orders; the last point, all images,
// has one.
type Point struct {
	Images int            `json:"images"`
	Mean   metric.Value   `json:"mean"`
	SD     metric.Value   `json:"sd"` // over draws (n-1); none for one
	Draws  []metric.Value `json:"draws"`

	counts [][]*metric.Confusion // of every draw, by test image
}

// A draw is so many images of a tier, the first of one random order of them.
type draw struct {
	tier   manifests.Tier
	images int
	order  int
}

// draws returns the draws of all curves: by tier, size and order. With all images the order is of
// no matter: only the first measures them.
func (s *state) draws() []draw {
	var out []draw
	for _, t := range s.tiers {
		all := len(s.of(t))
		for n := first; n < all; n *= 2 {
			for order := range s.o.Draws {
				out = append(out, draw{t, n, order})
			}
		}
		out = append(out, draw{t, all, 0})
	}
	return out
}

// sample returns the images of a draw in the order of the source, by which trees of all images are
// those of the results table.
func (s *state) sample(d draw) *sample {
	graphs := s.of(d.tier)
	order := rand.New(rand.NewPCG(s.o.Seed, uint64(d.order))).Perm(len(graphs))
	out := new(sample)
	for _, i := range slices.Sorted(slices.Values(order[:d.images])) {
		out.add(d.tier, graphs[i])
	}
	return out
}

// curves draws every tier's curve. A point with too few images for the settings is left out, and
// left says why.
func (s *state) curves(ctx context.Context) (out []Curve, left []string, err error) {
	draws := s.draws()
	got, err := s.each(ctx, "training models on growing parts of each tier", len(draws), func(i int) *sample { return s.sample(draws[i]) })
	if err != nil {
		return nil, nil, err
	}
	out = []Curve{}
	for i := 0; i < len(draws); {
		at := draws[i]
		p := Point{Images: at.images}
		var few *lscrf.FewError
		for ; i < len(draws) && draws[i].tier == at.tier && draws[i].images == at.images; i++ {
			if got[i].few != nil {
				few = got[i].few
				continue
			}
			p.Draws, p.counts = append(p.Draws, accuracy(got[i].counts)), append(p.counts, got[i].counts)
		}
		if few != nil {
			left = append(left, fmt.Sprintf("curves: the point of %d %s images is left out: %v", p.Images, at.tier, few))
			continue
		}
		p.Mean, _ = metric.Mean(p.Draws)
		p.SD = metric.Deviation(p.Draws)
		if len(out) == 0 || out[len(out)-1].Tier != at.tier {
			out = append(out, Curve{Tier: at.tier})
		}
		c := &out[len(out)-1]
		c.Points = append(c.Points, p)
	}
	return out, left, nil
}
