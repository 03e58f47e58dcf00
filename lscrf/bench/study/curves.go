package study

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
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

// curves draws every tier's curve. A point with too few images for the settings is left out, and left says why.
func (s *state) curves(ctx context.Context, progress func(string, int, int)) (out []Curve, left []string, err error) {
	var jobs []curveJob
	for t := range s.tiers {
		for draw := range s.o.Draws {
			jobs = append(jobs, s.curveJobs(t, draw)...)
		}
	}
	done, err := each(ctx, s, "curves", len(jobs), progress, func(i int) ([]drawn, error) { return s.curve(ctx, jobs[i]) })
	if err != nil {
		return nil, nil, err
	}
	draws := make([][][]drawn, len(s.tiers)) // by tier and draw
	for i, j := range jobs {
		if j.draw == len(draws[j.tier]) {
			draws[j.tier] = append(draws[j.tier], nil)
		}
		draws[j.tier][j.draw] = append(draws[j.tier][j.draw], done[i]...)
	}
	out = []Curve{}
	for i, t := range s.tiers {
		c := Curve{Tier: t}
		for j, n := range s.sizes(len(s.of(t))) {
			p := Point{Images: n}
			var few *lscrf.FewError
			for _, d := range draws[i] {
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

// A curveJob measures some sizes of one order of a tier's images, which contain each other.
type curveJob struct {
	tier, draw int
	sizes      []int
}

// curveJobs returns the jobs of one order: one for linear models, for which growing costs one pass, and one for each size for
// trees, which start from nothing. With all images the order is of no matter: only the first draw measures them.
func (s *state) curveJobs(tier, draw int) []curveJob {
	sizes := s.sizes(len(s.of(s.tiers[tier])))
	if draw > 0 {
		sizes = sizes[:len(sizes)-1]
	}
	if s.o.Model != lscrf.Trees {
		return []curveJob{{tier, draw, sizes}}
	}
	var out []curveJob
	for i := range sizes {
		out = append(out, curveJob{tier, draw, sizes[i : i+1]})
	}
	return out
}

// curve returns what models make of the test images at every size of a job. Images are added in the order of the source, by which
// trees of all images are those of the results table.
func (s *state) curve(ctx context.Context, j curveJob) ([]drawn, error) {
	t := s.tiers[j.tier]
	graphs := s.of(t)
	order := rand.New(rand.NewPCG(s.o.Seed, uint64(j.draw))).Perm(len(graphs))
	learn := s.newLearner()
	have := 0
	var out []drawn
	for _, n := range j.sizes {
		part := make([]*lscrf.Graph, 0, n)
		for _, i := range slices.Sorted(slices.Values(order[have:n])) {
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
