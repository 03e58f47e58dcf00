package study

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"hdseg/lscrf"
	"hdseg/lscrf/metric"
	"hdseg/manifests"
)

// A Curve is the accuracy on the test split of models trained on growing parts of a tier, drawn at random.
type Curve struct {
	Tier   manifests.Tier `json:"tier"`
	Points []Point        `json:"points"`
}

// A Point of a curve. Draws are the accuracies of the random orders; the last point, all images, has one.
type Point struct {
	Images int            `json:"images"`
	Mean   metric.Value   `json:"mean"`
	SD     metric.Value   `json:"sd"` // over draws (n-1); none for one
	Draws  []metric.Value `json:"draws"`

	counts [][]*metric.Confusion // of every draw, by test image
}

// A drawn is what models make of the test images at one size of one order, or why they could not be trained.
type drawn struct {
	counts []*metric.Confusion
	few    *lscrf.FewError
}

// curves draws every tier's curve. An order's parts contain each other, so a curve of linear models costs one pass. A point with too
// few images for the settings is left out, and left says why.
func (s *state) curves(ctx context.Context, progress func(string, int, int)) (out []Curve, left []string, err error) {
	draws, err := each(ctx, s, "curves", len(s.tiers)*s.o.Draws, progress, func(i int) ([]drawn, error) {
		return s.curve(ctx, s.tiers[i/s.o.Draws], i%s.o.Draws)
	})
	if err != nil {
		return nil, nil, err
	}
	out = []Curve{}
	for i, t := range s.tiers {
		c := Curve{Tier: t}
		for j, n := range s.sizes(len(s.of(t))) {
			p := Point{Images: n}
			var few *lscrf.FewError
			for _, d := range draws[i*s.o.Draws : (i+1)*s.o.Draws] {
				switch {
				case j >= len(d):
				case d[j].few != nil:
					few = d[j].few
				default:
					p.Draws, p.counts = append(p.Draws, accuracy(d[j].counts)), append(p.counts, d[j].counts)
				}
			}
			if few != nil {
				left = append(left, fmt.Sprintf("curves: the point of %d %s images is left out: %v", n, t, few))
				continue
			}
			p.Mean, _ = metric.Mean(p.Draws)
			p.SD = metric.Deviation(p.Draws)
			c.Points = append(c.Points, p)
		}
		if len(c.Points) > 0 {
			out = append(out, c)
		}
	}
	return out, left, nil
}

// sizes returns First, doubled until n, and n.
func (s *state) sizes(n int) []int {
	var out []int
	for k := s.o.First; k < n; k *= 2 {
		out = append(out, k)
	}
	return append(out, n)
}

// curve returns what models make of the test images at every size of one order of a tier's images. With all images the order is of no
// matter: only the first draw measures it.
func (s *state) curve(ctx context.Context, t manifests.Tier, draw int) ([]drawn, error) {
	graphs := s.of(t)
	order := rand.New(rand.NewPCG(s.o.Seed, uint64(draw))).Perm(len(graphs))
	learn := s.newLearner()
	have := 0
	var out []drawn
	for _, n := range s.sizes(len(graphs)) {
		if n == len(graphs) && draw > 0 {
			break
		}
		part := make([]*lscrf.Graph, 0, n)
		for _, i := range order[have:n] {
			part = append(part, graphs[i])
		}
		if err := learn.add(t, part...); err != nil {
			return nil, err
		}
		have = n
		m, err := learn.model(ctx)
		if few := new(lscrf.FewError); errors.As(err, &few) {
			out = append(out, drawn{few: few})
			continue
		}
		if err != nil {
			return nil, err
		}
		c, err := s.test.score(m, s.test.all())
		if err != nil {
			return nil, err
		}
		out = append(out, drawn{counts: c})
	}
	return out, nil
}
