package study

import (
	"context"
	"fmt"

	"hdseg/lscrf/metric"
	"hdseg/manifests"
)

// A nest is a nested cross-validation on the manual images: their folds, the statistics of each, those of the other
// tiers, and what was measured with them.
type nest struct {
	*state
	folds [][]int // numbers of manual images
	cells []*sums // of each fold's manual images
	// masks are the sums of every tier but manual, as s.tiers from 1 on: one list for every fold, whose images were no
	// sources of the masks, or the same list for all.
	masks [][]*sums
	known map[string][]*metric.Confusion
}

func (s *state) newNest(ctx context.Context, progress func(string, int, int)) (*nest, error) {
	k, tiers := s.o.Folds, len(s.tiers)-1
	n := &nest{state: s, folds: make([][]int, k), masks: make([][]*sums, k), known: map[string][]*metric.Confusion{}}
	deal := Deal(s.Manual, s.Alike, s.o)
	for i, im := range s.Manual {
		n.folds[deal[im.ID]] = append(n.folds[deal[im.ID]], i)
	}
	sets := 1
	if s.perFold() {
		sets = k
	}
	all, err := each(ctx, s, "statistics", k+sets*tiers, progress, func(i int) (*sums, error) {
		out := s.newSums()
		if i < k {
			for _, g := range s.of(manifests.Manual) {
				if f, ok := deal[g.ID]; ok && f == i {
					if err := out.add(manifests.Manual, g); err != nil {
						return nil, err
					}
				}
			}
			return out, nil
		}
		t := s.tiers[1+(i-k)%tiers]
		return out, out.add(t, s.apart(s.first(t), t, (i-k)/tiers)...)
	})
	if err != nil {
		return nil, err
	}
	n.cells = all[:k]
	for f := range k {
		first := k + f%sets*tiers
		n.masks[f] = all[first : first+tiers]
	}
	return n, nil
}

// A job is a model: the weights of manual and the other tiers, trained without two folds (which may be the same) on masks
// whose sources were not of the fold masks; it predicts the images of one fold.
type job struct {
	weights []float64
	without [2]int
	masks   int
	predict int
}

func (n *nest) job(weights []float64, outer, inner int) job {
	j := job{weights: weights, without: [2]int{min(outer, inner), max(outer, inner)}, masks: outer, predict: inner}
	if !n.perFold() {
		j.masks = 0 // they are all the same
	}
	return j
}

func (j job) key() string { return fmt.Sprint(j) }

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
			if f != j.without[0] && f != j.without[1] {
				sum.plus(c, j.weights[0])
			}
		}
		for t, c := range n.masks[j.masks] {
			sum.plus(c, j.weights[t+1])
		}
		return n.manual.score(n.solve(sum), n.folds[j.predict])
	})
	for i, c := range got {
		n.known[todo[i].key()] = c
	}
	return err
}
