package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"hdseg/lscrf"
	"hdseg/lscrf/metric"
	"hdseg/manifests"
)

// Weighted compares tier weights, chosen by nested cross-validation, with unweighted mixes. Manual images are dealt
// to folds. For every fold, weights are chosen by the accuracy on the other folds, each predicted without itself and
// without the outer one; then they are measured on the outer fold, which the choice never saw. Transferred masks
// are taken as they are: manual images of a held-out fold may have voted for them, in all mixes alike.
type Weighted struct {
	Tiers    []manifests.Tier `json:"tiers"`
	Chosen   [][]float64      `json:"chosen"`     // per outer fold, the weight of each tier
	Final    []float64        `json:"final"`      // chosen by the accuracy over all folds: what to train with
	Accuracy metric.Value     `json:"accuracy"`   // of the chosen weights on outer folds
	Mixes    []MixScore       `json:"unweighted"` // on the same folds
	Best     string           `json:"best_mix"`   // of them in hindsight, so that it has an advantage
	Against  Comparison       `json:"against_best"`
	Inner    Comparison       `json:"against_inner"` // against the unweighted mix that the inner folds choose
}

// A MixScore is an unweighted mix on the outer folds.
type MixScore struct {
	Mix      string       `json:"mix"` // "manual,bbox"
	Accuracy metric.Value `json:"accuracy"`
}

// A Comparison is a difference of accuracy in points with its paired interval.
type Comparison struct {
	Difference metric.Value    `json:"difference"`
	CI         [2]metric.Value `json:"ci"`
}

// compare returns a minus b over the same images.
func (s *state) compare(a, b []*metric.Confusion) Comparison {
	i := metric.BootstrapDifference(a, b, s.o.Samples, rand.New(rand.NewPCG(s.o.Seed, 1<<32)), metric.PerClassAccuracy)
	return Comparison{accuracy(a).Sub(accuracy(b)), [2]metric.Value{i.Low.Scale(100), i.High.Scale(100)}}
}

// A nest holds the statistics of the manual folds and of the other tiers, and what was measured with them.
type nest struct {
	*state
	folds [][]int // numbers of manual images
	cells []*sums // of each fold's manual images
	tiers []*sums // of every tier but manual, as s.tiers from 1 on
	known map[string][]*metric.Confusion
}

func (s *state) newNest(ctx context.Context, progress func(string, int, int)) (*nest, error) {
	n := &nest{state: s, folds: make([][]int, s.o.Folds), known: map[string][]*metric.Confusion{}}
	deal := lscrf.DealFolds(lscrf.IDs(s.Manual), s.o.Folds, s.o.Seed)
	for i, im := range s.Manual {
		n.folds[deal[im.ID]] = append(n.folds[deal[im.ID]], i)
	}
	all, err := each(ctx, s, "statistics", s.o.Folds+len(s.tiers)-1, progress, func(i int) (*sums, error) {
		out := s.newSums()
		if i >= s.o.Folds {
			t := s.tiers[1+i-s.o.Folds]
			return out, out.add(t, s.first(t)...)
		}
		var graphs []*lscrf.Graph
		for _, g := range s.of(manifests.Manual) {
			if f, ok := deal[g.ID]; ok && f == i {
				graphs = append(graphs, g)
			}
		}
		return out, out.add(manifests.Manual, graphs...)
	})
	if err == nil {
		n.cells, n.tiers = all[:s.o.Folds], all[s.o.Folds:]
	}
	return n, err
}

// A job is a model: weights of manual and the other tiers, trained without two folds (which may be the same).
type job struct {
	weights []float64
	without [2]int
}

func (j job) key(fold int) string { return fmt.Sprint(j.weights, j.without, fold) }

// measure makes sure that jobs are known: each scores the folds that it was trained without.
func (n *nest) measure(ctx context.Context, jobs []job, progress func(string, int, int)) error {
	var todo []job
	seen := map[string]bool{}
	for _, j := range jobs {
		k := j.key(j.without[0])
		if n.known[k] == nil && !seen[k] {
			seen[k] = true
			todo = append(todo, j)
		}
	}
	type scored [2][]*metric.Confusion
	got, err := each(ctx, n.state, "weights", len(todo), progress, func(i int) (out scored, err error) {
		j := todo[i]
		sum := n.newSums()
		for f, c := range n.cells {
			if f != j.without[0] && f != j.without[1] {
				sum.plus(c, j.weights[0])
			}
		}
		for t, c := range n.tiers {
			sum.plus(c, j.weights[t+1])
		}
		m := n.solve(sum)
		for k, f := range j.without {
			if k == 0 || f != j.without[0] {
				if out[k], err = n.manual.score(m, n.folds[f]); err != nil {
					return out, err
				}
			}
		}
		return out, nil
	})
	for i, s := range got {
		j := todo[i]
		n.known[j.key(j.without[0])] = s[0]
		if j.without[1] != j.without[0] {
			n.known[j.key(j.without[1])] = s[1]
		}
	}
	return err
}

// without orders two folds.
func without(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// inner returns what weights reach on all folds but the outer one, each predicted without itself and the outer; outer -1
// leaves none out.
func (n *nest) inner(weights []float64, outer int) []*metric.Confusion {
	var out []*metric.Confusion
	for f := range n.folds {
		if f != outer {
			out = append(out, n.known[job{weights, n.pair(f, outer)}.key(f)]...)
		}
	}
	return out
}

func (n *nest) pair(f, outer int) [2]int {
	if outer < 0 {
		return [2]int{f, f}
	}
	return without(f, outer)
}

// jobs are the models that inner needs for some weights.
func (n *nest) jobs(all [][]float64, outer int) []job {
	var out []job
	for _, w := range all {
		for f := range n.folds {
			if f != outer {
				out = append(out, job{w, n.pair(f, outer)})
			}
		}
	}
	return out
}

// choose returns the weights of the best inner accuracy: the best unweighted mix, whose tiers then get the
// weights that do best, one tier after the other, twice. Of equals the first is taken.
func (n *nest) choose(ctx context.Context, outer int, progress func(string, int, int)) (weights, unweighted []float64, err error) {
	best := func(all [][]float64) ([]float64, error) {
		if err := n.measure(ctx, n.jobs(all, outer), progress); err != nil {
			return nil, err
		}
		var top []float64
		high := metric.Value{}
		for _, w := range all {
			if v := accuracy(n.inner(w, outer)); v.OK && (!high.OK || v.V > high.V) {
				top, high = w, v
			}
		}
		return top, nil
	}
	if unweighted, err = best(mixesOf(len(n.tiers) + 1)); err != nil {
		return nil, nil, err
	}
	weights = unweighted
	for range 2 {
		for t := range weights {
			all := [][]float64{weights} // equals keep what is there
			for _, v := range n.o.Weights {
				w := slices.Clone(weights)
				if w[t] = v; slices.Max(w) > 0 {
					all = append(all, w)
				}
			}
			if weights, err = best(all); err != nil {
				return nil, nil, err
			}
		}
	}
	return weights, unweighted, nil
}

// mixesOf returns all unweighted mixes of n tiers, the first tier alone first.
func mixesOf(n int) [][]float64 {
	var out [][]float64
	for bits := 1; bits < 1<<n; bits++ {
		w := make([]float64, n)
		for t := range w {
			w[t] = float64(bits >> t & 1)
		}
		out = append(out, w)
	}
	return out
}

func (s *state) weights(ctx context.Context, progress func(string, int, int)) (*Weighted, error) {
	n, err := s.newNest(ctx, progress)
	if err != nil {
		return nil, err
	}
	out := &Weighted{Tiers: s.tiers, Mixes: []MixScore{}}
	var chosen, inner []*metric.Confusion
	outerOf := func(w []float64, f int) []*metric.Confusion { return n.known[job{w, [2]int{f, f}}.key(f)] }
	for f := range n.folds {
		w, u, err := n.choose(ctx, f, progress)
		if err != nil {
			return nil, err
		}
		if err := n.measure(ctx, []job{{w, [2]int{f, f}}, {u, [2]int{f, f}}}, progress); err != nil {
			return nil, err
		}
		out.Chosen = append(out.Chosen, w)
		chosen, inner = append(chosen, outerOf(w, f)...), append(inner, outerOf(u, f)...)
	}
	if out.Final, _, err = n.choose(ctx, -1, progress); err != nil {
		return nil, err
	}
	out.Accuracy, out.Inner = accuracy(chosen), s.compare(chosen, inner)
	top := metric.Value{}
	for _, w := range mixesOf(len(s.tiers)) {
		var c []*metric.Confusion
		for f := range n.folds {
			c = append(c, outerOf(w, f)...)
		}
		m := MixScore{s.mixName(w), accuracy(c)}
		out.Mixes = append(out.Mixes, m)
		if m.Accuracy.OK && (!top.OK || m.Accuracy.V > top.V) {
			top, out.Best, out.Against = m.Accuracy, m.Mix, s.compare(chosen, c)
		}
	}
	return out, nil
}

func (s *state) mixName(w []float64) string {
	var names []string
	for t, v := range w {
		if v > 0 {
			names = append(names, string(s.tiers[t]))
		}
	}
	return strings.Join(names, ",")
}
