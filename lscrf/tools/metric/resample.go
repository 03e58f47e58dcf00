package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// An Interval is a 95% confidence interval. Samples counts the resamples on which the score was
// defined; with none, both ends are undefined.
type Interval struct {
	Low     Value `json:"low"`     // lower end
	High    Value `json:"high"`    // upper end
	Samples int   `json:"samples"` // that were drawn
}

// Ends returns both ends times a scale, which is 100 for percents.
func (i Interval) Ends(scale float64) [2]Value {
	return [2]Value{i.Low.Scale(scale), i.High.Scale(scale)}
}

// A Resampling says how often an interval or a test draws, and when it gives up.
type Resampling struct {
	Samples int         // 1..
	Stop    func() bool // asked before every draw: true ends all, without a result; nil: never
}

// Times returns a resampling that draws so often, whatever happens.
func Times(samples int) Resampling { return Resampling{Samples: samples} }

func (r Resampling) stopped() bool { return r.Stop != nil && r.Stop() }

// Bootstrap returns the 95% percentile interval of a score over n images (Efron and
// Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13): score is called with
// lists of n image numbers drawn with replacement, 1000 to 2000 being usual, and
// must not keep the list. To compare two models on the same images let score
// return the difference: the images are then resampled in pairs. The result depends only on the
// arguments and the state of rng; nothing is defined if it was stopped.
func Bootstrap(n int, often Resampling, rng *rand.Rand, score func(pick []int) Value) Interval {
	check(n, often.Samples)
	pick := make([]int, n)
	got := make([]float64, 0, often.Samples)
	for range often.Samples {
		if often.stopped() {
			return Interval{}
		}
		for i := range pick {
			pick[i] = rng.IntN(n)
		}
		if v := score(pick); v.OK {
			got = append(got, v.V)
		}
	}
	if len(got) == 0 {
		return Interval{}
	}
	slices.Sort(got)
	return Interval{Of(quantile(got, 0.025)), Of(quantile(got, 0.975)), len(got)}
}

// BootstrapMean returns the interval of the mean over images of one score.
func BootstrapMean(values []Value, often Resampling, rng *rand.Rand) Interval {
	sub := make([]Value, len(values))
	return Bootstrap(len(values), often, rng, func(pick []int) Value {
		for i, p := range pick {
			sub[i] = values[p]
		}
		m, _ := Mean(sub)
		return m
	})
}

// BootstrapPooled returns the interval of a score of the pooled confusion.
func BootstrapPooled(images []*Confusion, often Resampling, rng *rand.Rand, score func(*Confusion) Value) Interval {
	return Bootstrap(len(images), often, rng, func(pick []int) Value {
		return score(poolOf(images, pick))
	})
}

// BootstrapDifference returns the interval of score(a) - score(b) of the pooled confusions of two
// models on the same images in the same order.
func BootstrapDifference(a, b []*Confusion, often Resampling, rng *rand.Rand, score func(*Confusion) Value) Interval {
	same(len(a), len(b))
	return Bootstrap(len(a), often, rng, func(pick []int) Value {
		return score(poolOf(a, pick)).Sub(score(poolOf(b, pick)))
	})
}

func poolOf(images []*Confusion, pick []int) *Confusion {
	sum := NewConfusion(images[0].Labels)
	for _, p := range pick {
		sum.Merge(images[p])
	}
	return sum
}

// Permutation tests whether two models differ on the same n images. difference(swap)
// returns a's score minus b's when the two models' results are exchanged on the images with
// swap[i]; no swap gives the observed difference. The two-sided p value is
// (1 + #{|d| >= |observed|}) / (1 + samples) over random swaps, undefined if the observed
// difference is or if it was stopped; samples without a difference count against significance.
func Permutation(n int, often Resampling, rng *rand.Rand, difference func(swap []bool) Value) (observed, p Value) {
	check(n, often.Samples)
	swap := make([]bool, n)
	observed = difference(swap)
	if !observed.OK {
		return observed, Value{}
	}
	least := math.Abs(observed.V) * (1 - 1e-12) // sums in another order must not lose a tie
	hits := 1
	for range often.Samples {
		if often.stopped() {
			return observed, Value{}
		}
		for i := range swap {
			swap[i] = rng.Uint64()&1 == 1
		}
		if d := difference(swap); !d.OK || math.Abs(d.V) >= least {
			hits++
		}
	}
	return observed, Of(float64(hits) / float64(often.Samples+1))
}

// PermutationPooled tests the difference of a score of the pooled confusions.
func PermutationPooled(a, b []*Confusion, often Resampling, rng *rand.Rand, score func(*Confusion) Value) (observed, p Value) {
	same(len(a), len(b))
	return Permutation(len(a), often, rng, func(swap []bool) Value {
		x, y := NewConfusion(a[0].Labels), NewConfusion(a[0].Labels)
		for i, s := range swap {
			if s {
				x.Merge(b[i])
				y.Merge(a[i])
			} else {
				x.Merge(a[i])
				y.Merge(b[i])
			}
		}
		return score(x).Sub(score(y))
	})
}

// quantile interpolates linearly between the order statistics of sorted values.
func quantile(sorted []float64, q float64) float64 {
	at := float64(q * float64(len(sorted)-1))
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

func check(n, samples int) {
	if n < 1 || samples < 1 {
		panic(fmt.Sprintf("metric: %d samples of %d images, want at least one of each", samples, n))
	}
}

func same(a, b int) {
	if a != b {
		panic(fmt.Sprintf("metric: results on %d and %d images, want the same images", a, b))
	}
}
