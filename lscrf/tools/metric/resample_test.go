package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

func pcg(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestBootstrapOfAKnownMean(t *testing.T) {
	// 400 images, half 0 and half 1: the standard error of the mean is 0.5/20 = 0.025, so the
	// interval is 0.5 -+ 1.96*0.025 = 0.451..0.549 up to the noise of 2000 resamples (about 0.003).
	values := make([]Value, 400)
	for i := range values {
		values[i] = Of(float64(i % 2))
	}
	got := BootstrapMean(values, Times(2000), pcg(1))
	if math.Abs(got.Low.V-0.451) > 0.008 || math.Abs(got.High.V-0.549) > 0.008 || got.Samples != 2000 {
		t.Errorf("interval %v, want 0.451..0.549 of 2000 samples", got)
	}
	if again := BootstrapMean(values, Times(2000), pcg(1)); again != got {
		t.Errorf("same seed: %v, then %v", got, again)
	}
}

func TestBootstrapCoversTheTruth(t *testing.T) {
	// A 95% interval of the mean of 60 normal draws covers 0 in about 94% of trials; 400 trials
	// have a standard error of 1.2%.
	rng, covered := pcg(2), 0
	const trials = 400
	values := make([]Value, 60)
	for range trials {
		for i := range values {
			values[i] = Of(rng.NormFloat64())
		}
		if v := BootstrapMean(values, Times(300), rng); v.Low.V <= 0 && 0 <= v.High.V {
			covered++
		}
	}
	if f := float64(covered) / trials; f < 0.89 || f > 0.98 {
		t.Errorf("coverage %.3f, want about 0.94", f)
	}
}

func TestBootstrapConstantAndUndefined(t *testing.T) {
	got := BootstrapMean([]Value{Of(0.5), {}, Of(0.5)}, Times(200), pcg(3))
	if got.Low != Of(0.5) || got.High != Of(0.5) || got.Samples >= 200 || got.Samples < 150 {
		// All three picks are the undefined image in 1 of 27 resamples.
		t.Errorf("interval %v, want 0.5..0.5 of about 193 samples", got)
	}
	if got := BootstrapMean([]Value{{}, {}}, Times(50), pcg(3)); got != (Interval{}) {
		t.Errorf("interval of nothing: %v", got)
	}
}

func TestQuantileByHand(t *testing.T) {
	s := []float64{1, 2, 4, 8}
	for q, want := range map[float64]float64{0: 1, 0.5: 3, 1: 8, 0.25: 1.75, 0.9: 6.8} {
		// position q*3: 1.5 -> halfway between 2 and 4; 0.75 -> 1 + 0.75*1; 2.7 -> 4 + 0.7*4.
		if got := quantile(s, q); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v = %v, want %v", q, got, want)
		}
	}
}

func TestPermutation(t *testing.T) {
	// Three images, differences +1 each: of the 8 sign patterns, +++ and --- reach |mean| = 1, so p
	// is about 1/4.
	mean := func(each float64) func(swap []bool) Value {
		return func(swap []bool) Value {
			sum := 0.0
			for _, s := range swap {
				if s {
					sum -= each
				} else {
					sum += each
				}
			}
			return Of(sum / 3)
		}
	}
	d, p := Permutation(3, Times(4000), pcg(4), mean(1))
	is(t, "difference", d, 1)
	if math.Abs(p.V-0.25) > 0.03 {
		t.Errorf("p = %v, want about 0.25", p)
	}
	if _, p := Permutation(3, Times(100), pcg(4), mean(0)); p != Of(1) {
		t.Errorf("p of a model against itself = %v, want 1", p)
	}
}

func TestPooledComparison(t *testing.T) {
	// Ten images of 10 figure and 10 ground pixels; model a gets 9 + 9 right, model b 6 + 9: pooled
	// per class 0.9 and 0.75. All images agree, so the interval is one point and p about 2/1024.
	var a, b []*Confusion
	for range 10 {
		a = append(a, &Confusion{2, []int64{9, 1, 0, 1, 9, 0}})
		b = append(b, &Confusion{2, []int64{9, 1, 0, 4, 6, 0}})
	}
	got := BootstrapDifference(a, b, Times(200), pcg(5), PerClassAccuracy)
	is(t, "low", got.Low, 0.15)
	is(t, "high", got.High, 0.15)
	d, p := PermutationPooled(a, b, Times(3000), pcg(6), PerClassAccuracy)
	is(t, "difference", d, 0.15)
	if p.V > 0.01 {
		t.Errorf("p = %v, want about 0.002", p)
	}
	one := BootstrapPooled(a, Times(100), pcg(7), PerClassAccuracy)
	is(t, "pooled low", one.Low, 0.9)
}

func BenchmarkBootstrapPooled(b *testing.B) {
	var images []*Confusion
	for i := range 241 {
		images = append(images, &Confusion{2, []int64{int64(1000 + i), 30, 0, 40, 500, 0}})
	}
	b.ReportAllocs()
	for b.Loop() {
		BootstrapPooled(images, Times(1000), pcg(1), PerClassAccuracy)
	}
}

// Resampling that is stopped ends at once and gives no result, whatever was drawn before.
func TestResamplingStops(t *testing.T) {
	asked := 0
	often := Resampling{Samples: 1 << 40, Stop: func() bool { asked++; return asked > 5 }} // would not end, nor find the memory, otherwise
	scored := 0
	if got := Bootstrap(3, Resampling{Samples: 1000, Stop: often.Stop}, pcg(1), func([]int) Value { scored++; return Of(1) }); got != (Interval{}) || scored != 5 {
		t.Errorf("bootstrap: got %v after %d draws, want none after 5", got, scored)
	}
	asked, scored = 0, 0
	if d, p := Permutation(3, often, pcg(1), func([]bool) Value { scored++; return Of(2) }); d != Of(2) || p.OK || scored != 6 {
		t.Errorf("permutation: got %v and p %v after %d, want what was observed and no p after 6", d, p, scored)
	}
}
