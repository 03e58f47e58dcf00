package study

import (
	"context"
	"math"
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
}

// curves draws every tier's curve. An order's parts contain each other, so a curve of linear models costs one pass.
func (s *state) curves(ctx context.Context, progress func(string, int, int)) ([]Curve, error) {
	draws, err := each(ctx, s, "curves", len(s.tiers)*s.o.Draws, progress, func(i int) ([]metric.Value, error) {
		return s.curve(ctx, s.tiers[i/s.o.Draws], i%s.o.Draws)
	})
	if err != nil {
		return nil, err
	}
	out := []Curve{}
	for i, t := range s.tiers {
		c := Curve{Tier: t}
		for j, n := range s.sizes(len(s.of(t))) {
			p := Point{Images: n}
			for _, d := range draws[i*s.o.Draws : (i+1)*s.o.Draws] {
				if j < len(d) {
					p.Draws = append(p.Draws, d[j])
				}
			}
			p.Mean, _ = metric.Mean(p.Draws)
			p.SD = metric.Deviation(p.Draws)
			c.Points = append(c.Points, p)
		}
		out = append(out, c)
	}
	return out, nil
}

// sizes returns First, doubled until n, and n.
func (s *state) sizes(n int) []int {
	var out []int
	for k := s.o.First; k < n; k *= 2 {
		out = append(out, k)
	}
	return append(out, n)
}

// curve returns the accuracy at every size of one order of a tier's images. With all images the order is of no
// matter: only the first draw measures it.
func (s *state) curve(ctx context.Context, t manifests.Tier, draw int) ([]metric.Value, error) {
	graphs := s.of(t)
	order := rand.New(rand.NewPCG(s.o.Seed, uint64(draw))).Perm(len(graphs))
	learn := s.newLearner()
	have := 0
	var out []metric.Value
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
		if err != nil {
			return nil, err
		}
		c, err := s.test.score(m, s.test.all())
		if err != nil {
			return nil, err
		}
		out = append(out, accuracy(c))
	}
	return out, nil
}

// An Exchange says how many images of a tier reach what some manual images reach.
type Exchange struct {
	Tier     manifests.Tier `json:"tier"`
	Manual   int            `json:"manual_images"`
	Accuracy metric.Value   `json:"accuracy"` // mean of that many manual images
	Images   metric.Value   `json:"images"`   // of the tier; none if out of reach or below the curve
	Rate     metric.Value   `json:"rate"`     // of the tier per manual image
	Bound    string         `json:"bound"`    // "" if Rate is known; "above" if all images of the tier do not reach it, "below" if its first point exceeds it
	Limit    float64        `json:"limit"`    // the rate that Bound is of, where there is one
}

// exchange reads the rates off the mean curves, straight between points over the logarithm of the number of images.
func exchange(curves []Curve) []Exchange {
	out := []Exchange{}
	if len(curves) == 0 || curves[0].Tier != manifests.Manual {
		return out
	}
	for _, c := range curves[1:] {
		for _, p := range curves[0].Points {
			e := Exchange{Tier: c.Tier, Manual: p.Images, Accuracy: p.Mean}
			n, bound := c.reach(p.Mean.V)
			if e.Bound = bound; bound == "" {
				e.Images, e.Rate = metric.Of(n), metric.Of(n/float64(p.Images))
			} else {
				e.Limit = n / float64(p.Images)
			}
			out = append(out, e)
		}
	}
	return out
}

// reach returns at how many images a curve first reaches an accuracy. Where it lies below the first point or above all
// points, bound says so, and the number is that of the curve's first or last point.
func (c Curve) reach(accuracy float64) (images float64, bound string) {
	for i, p := range c.Points {
		if p.Mean.V < accuracy {
			continue
		}
		if i == 0 {
			if p.Mean.V == accuracy {
				return float64(p.Images), ""
			}
			return float64(p.Images), "below"
		}
		q := c.Points[i-1]
		f := (accuracy - q.Mean.V) / (p.Mean.V - q.Mean.V)
		return math.Exp((1-f)*math.Log(float64(q.Images)) + f*math.Log(float64(p.Images))), ""
	}
	return float64(c.Points[len(c.Points)-1].Images), "above"
}
