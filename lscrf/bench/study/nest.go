package study

import (
	"context"
	"fmt"
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// A nest is a nested cross-validation on the manual images: their folds, the statistics of each, those of the other
// tiers, and what was measured with them.
type nest struct {
	*state
	folds [][]int // numbers of manual images
	cells []*sums // of each fold's manual images
	// masks are the sums of every tier but manual: one list for every fold, whose images were no sources of the masks, or one for all.
	masks [][]part
	known map[string][]*metric.Confusion
}

// A part of a tier's images are those that show pictures of a fold, which is trained without them, or no manual image's picture.
type part struct {
	tier int // of s.tiers, from 1 on
	fold int // the number of folds: no fold's
	sums *sums
}

func (s *state) newNest(ctx context.Context, progress func(string, int, int)) (*nest, error) {
	k := s.o.Folds
	n := &nest{state: s, folds: make([][]int, k), cells: make([]*sums, k), masks: make([][]part, max(1, len(s.Without))), known: map[string][]*metric.Confusion{}}
	deal := Deal(s.Manual, s.Alike, s.o)
	for i, im := range s.Manual {
		n.folds[deal[im.ID]] = append(n.folds[deal[im.ID]], i)
	}
	type todo struct {
		tier   manifests.Tier
		graphs []*lscrf.Graph
		to     *sums
	}
	var all []todo
	for f := range k {
		n.cells[f] = s.newSums()
		mine := slices.DeleteFunc(s.of(manifests.Manual), func(g *lscrf.Graph) bool { at, ok := deal[g.ID]; return !ok || at != f })
		all = append(all, todo{manifests.Manual, mine, n.cells[f]})
	}
	for m := range n.masks {
		for t, tier := range s.tiers[1:] {
			graphs := s.first(tier)
			if len(s.Without) > 0 {
				graphs = s.Without[m].relabel(graphs, tier)
			}
			for f, mine := range s.split(graphs) {
				if len(mine) == 0 {
					continue
				}
				p := part{t + 1, f, s.newSums()}
				n.masks[m] = append(n.masks[m], p)
				all = append(all, todo{tier, mine, p.sums})
			}
		}
	}
	_, err := each(ctx, s, "statistics", len(all), progress, func(i int) (struct{}, error) {
		return struct{}{}, all[i].to.add(all[i].tier, all[i].graphs...)
	})
	return n, err
}

// A job is a model: the weights of manual and the other tiers, trained without the pictures of two folds (which may be the same),
// whatever their tier, on masks whose sources were not of the fold masks; it predicts the images of one fold.
type job struct {
	weights []float64
	without [2]int
	masks   int
	predict int
}

func (n *nest) job(weights []float64, outer, inner int) job {
	j := job{weights: weights, without: [2]int{min(outer, inner), max(outer, inner)}, masks: outer, predict: inner}
	if len(n.Without) == 0 {
		j.masks = 0 // they are all the same
	}
	return j
}

func (j job) key() string { return fmt.Sprint(j) }

// lacks tells whether a job is trained without a fold.
func (j job) lacks(fold int) bool { return fold == j.without[0] || fold == j.without[1] }

// measure makes sure that jobs are known.
func (n *nest) measure(ctx context.Context, jobs []job, progress func(string, int, int)) error {
	var todo []job
	seen := map[string]bool{}
	for _, j := range jobs {
		if k := j.key(); n.known[k] == nil && !seen[k] {
			seen[k] = true
			todo = append(todo, j)
		}
	}
	got, err := each(ctx, n.state, "weights", len(todo), progress, func(i int) ([]*metric.Confusion, error) {
		j := todo[i]
		sum := n.newSums()
		for f, c := range n.cells {
			if !j.lacks(f) {
				sum.plus(c, j.weights[0])
			}
		}
		for _, p := range n.masks[j.masks] {
			if !j.lacks(p.fold) {
				sum.plus(p.sums, j.weights[p.tier])
			}
		}
		return n.manual.score(n.solve(sum), n.folds[j.predict])
	})
	for i, c := range got {
		n.known[todo[i].key()] = c
	}
	return err
}
