package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// Weighted compares tier weights, chosen by nested cross-validation, with unweighted mixes. Manual images are dealt
// to folds. For every fold, weights are chosen by the accuracy on the other folds, each predicted without itself and
// without the outer one; then they are measured on the outer fold, which the choice never saw: nor did the masks, if
// they were transferred without its images.
type Weighted struct {
	Tiers    []manifests.Tier `json:"tiers"`
	Apart    bool             `json:"masks_apart"`       // no image of the outer fold was a source of the masks that are trained on
	Chosen   [][]float64      `json:"chosen"`            // per outer fold, the weight of each tier
	Mixed    []string         `json:"chosen_unweighted"` // per outer fold, the best unweighted mix on the other folds
	Final    []float64        `json:"final"`             // chosen by the accuracy over all folds: what to train with
	Mix      string           `json:"final_mix"`         // the same as --tiers takes it
	Accuracy metric.Value     `json:"accuracy"`          // of the chosen weights on outer folds
	Mixes    []MixScore       `json:"unweighted"`        // on the same folds
	Best     string           `json:"best_mix"`          // of them in hindsight, so that it has an advantage
	Against  Comparison       `json:"against_best"`
	Inner    Comparison       `json:"against_inner"` // against Mixed: neither choice saw the outer fold
}

// A MixScore is an unweighted mix on the outer folds.
type MixScore struct {
	Mix      string       `json:"mix"` // "manual,bbox"
	Accuracy metric.Value `json:"accuracy"`
	Taken    metric.Value `json:"as_taken"` // with the masks as they are, whose sources the outer fold's images were; none if Accuracy is of these
}

// A Comparison is a difference of accuracy in points with its paired interval.
type Comparison struct {
	Difference metric.Value    `json:"difference"`
	CI         [2]metric.Value `json:"ci"`
}

// compare returns a minus b over the same images; a single one has no interval.
func (s *state) compare(a, b []*metric.Confusion) Comparison {
	c := Comparison{Difference: accuracy(a).Sub(accuracy(b))}
	if len(a) < 2 { // a single image tells nothing of others
		return c
	}
	i := metric.BootstrapDifference(a, b, s.often, rand.New(rand.NewPCG(s.o.Seed, 1<<32)), metric.PerClassAccuracy)
	c.CI = [2]metric.Value{i.Low.Scale(100), i.High.Scale(100)}
	return c
}

// inner returns what weights reach on all folds but the outer one, each predicted without itself and the outer; outer -1
// leaves none out.
func (n *nest) inner(weights []float64, outer int) []*metric.Confusion {
	var out []*metric.Confusion
	for _, j := range n.jobs(weights, outer) {
		out = append(out, n.known[j.key()]...)
	}
	return out
}

// jobs are the models that inner needs.
func (n *nest) jobs(weights []float64, outer int) []job {
	var out []job
	for f := range n.folds {
		switch outer {
		case f:
		case -1:
			out = append(out, n.job(weights, f, f))
		default:
			out = append(out, n.job(weights, outer, f))
		}
	}
	return out
}

// choose returns weights and an unweighted mix by the inner accuracy. The mix is the best, the first of several. Weights are
// the mean of all candidates that are within one standard error of the best one, by the paired bootstrap: what lies
// there differs by chance, and its middle varies less from sample to sample than whichever comes out best.
func (n *nest) choose(ctx context.Context, outer int, progress func(string, int, int)) (weights, unweighted []float64, err error) {
	all := n.o.candidates(len(n.tiers))
	var jobs []job
	for _, w := range all {
		jobs = append(jobs, n.jobs(w, outer)...)
	}
	if err := n.measure(ctx, jobs, progress); err != nil {
		return nil, nil, err
	}
	best := func(all [][]float64) []float64 {
		top, high := all[0], metric.Value{}
		for _, w := range all {
			if v := accuracy(n.inner(w, outer)); v.OK && (!high.OK || v.V > high.V) {
				top, high = w, v
			}
		}
		return top
	}
	top := n.inner(best(all), outer)
	weights = make([]float64, len(n.tiers))
	for _, w := range all {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if !n.near(n.inner(w, outer), top) {
			continue
		}
		for t, v := range w {
			weights[t] += v
		}
	}
	weights = scaled(weights)
	for t, v := range weights {
		weights[t] = math.Round(v*1000) / 1000 // to be read
	}
	return weights, best(mixesOf(len(n.tiers))), ctx.Err()
}

// near tells whether a is worse than the best by no more than one standard error of the difference.
func (s *state) near(a, best []*metric.Confusion) bool {
	c := s.compare(a, best)
	if !c.CI[0].OK {
		return false
	}
	const widthOf95 = 2 * 1.96 // standard errors of a normal distribution
	return -c.Difference.V <= (c.CI[1].V-c.CI[0].V)/widthOf95
}

// ChooseWeights returns the mix that a study chooses for training on everything: all tiers of the training images, by
// cross-validation on the manual ones. Of in, Test is not used.
func ChooseWeights(ctx context.Context, in *Input, o Options, progress func(part string, done, total int)) (lscrf.Mix, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s, err := newState(ctx, in, o)
	if err != nil {
		return nil, err
	}
	if len(in.Manual) < o.Folds {
		return nil, fmt.Errorf("tier weights: %d training images have a manual mask, want %d or more, one for each fold", len(in.Manual), o.Folds)
	}
	n, err := s.newNest(ctx, progress)
	if err != nil {
		return nil, err
	}
	w, _, err := n.choose(ctx, -1, progress)
	return s.mix(w), err
}

func (s *state) weights(ctx context.Context, progress func(string, int, int)) (*Weighted, error) {
	n, err := s.newNest(ctx, progress)
	if err != nil {
		return nil, err
	}
	out := &Weighted{Tiers: s.tiers, Apart: len(s.Without) > 0, Mixes: []MixScore{}}
	var chosen, inner []*metric.Confusion
	for f := range n.folds {
		w, u, err := n.choose(ctx, f, progress)
		if err != nil {
			return nil, err
		}
		a, b := n.job(w, f, f), n.job(u, f, f)
		if err := n.measure(ctx, []job{a, b}, progress); err != nil {
			return nil, err
		}
		out.Chosen, out.Mixed = append(out.Chosen, w), append(out.Mixed, s.mix(u).Key())
		chosen, inner = append(chosen, n.known[a.key()]...), append(inner, n.known[b.key()]...)
	}
	if out.Final, _, err = n.choose(ctx, -1, progress); err != nil {
		return nil, err
	}
	out.Mix = s.mix(out.Final).Key()
	out.Accuracy, out.Inner = accuracy(chosen), s.compare(chosen, inner)
	taken, err := s.taken(ctx, progress)
	if err != nil {
		return nil, err
	}
	top := metric.Value{}
	for i, w := range mixesOf(len(s.tiers)) {
		c := n.inner(w, -1)
		m := MixScore{Mix: s.mix(w).Key(), Accuracy: accuracy(c)}
		if taken != nil {
			m.Taken = taken[i]
		}
		out.Mixes = append(out.Mixes, m)
		if m.Accuracy.OK && (!top.OK || m.Accuracy.V > top.V) {
			top, out.Best, out.Against = m.Accuracy, m.Mix, s.compare(chosen, c)
		}
	}
	return out, nil
}

// taken returns the accuracy of every unweighted mix with the masks as they are; nil if there are no others.
func (s *state) taken(ctx context.Context, progress func(string, int, int)) ([]metric.Value, error) {
	if len(s.Without) == 0 {
		return nil, nil
	}
	in := *s.Input
	in.Without = nil
	plain := *s
	plain.Input = &in
	n, err := plain.newNest(ctx, progress)
	if err != nil {
		return nil, err
	}
	var out []metric.Value
	for _, w := range mixesOf(len(s.tiers)) {
		if err := n.measure(ctx, n.jobs(w, -1), progress); err != nil {
			return nil, err
		}
		out = append(out, accuracy(n.inner(w, -1)))
	}
	return out, nil
}

// mix returns the mix of all tiers that have a weight.
func (s *state) mix(w []float64) lscrf.Mix {
	var mix lscrf.Mix
	for t, v := range w {
		if v > 0 {
			mix = append(mix, lscrf.Weighted(s.tiers[t], v))
		}
	}
	return mix
}
