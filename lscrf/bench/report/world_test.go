package report

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
)

// counts of n images of 100 ground and 100 figure pixels, of which right are labeled right on average.
func counts(n, right int, rng *rand.Rand) bench.Counts {
	var out bench.Counts
	for range n {
		c := metric.NewConfusion(2)
		for l := range int64(2) {
			r := int64(min(100, max(0, right+rng.IntN(9)-4)))
			c.N[l*3+l], c.N[l*3+1-l] = r, 100-r
		}
		out = append(out, c)
	}
	return out
}

func score(c bench.Counts) *bench.Score {
	s := &bench.Score{Labels: 2, Images: c}
	for i := range c {
		s.Boundary = append(s.Boundary, metric.Of(0.4+0.001*float64(c[i].N[0])))
		s.ImageMS = append(s.ImageMS, metric.Of(0.5+float64(c[i].N[4])/50))
	}
	return s
}

// table is a bench of three mixes, linear and trees, in which pairwise is 3 points better than unary and trees are
// not better than linear.
func table(class string, n int, seed uint64) *bench.Table {
	b := tableOf([]string{"manual", "manual,bbox", "manual,bbox,label"}, []string{lscrf.Linear, lscrf.Trees}, n, seed)
	for i := range b.Rows {
		b.Rows[i].Class = class
	}
	b.Oracle.Class = class
	return b
}

// tableOf is a bench of horses.
func tableOf(mixes, kinds []string, n int, seed uint64) *bench.Table {
	rng := rand.New(rand.NewPCG(seed, 0))
	o := bench.Defaults()
	o.Tiers, o.Models = mixes, kinds
	o.Balances = []string{"paper"}
	o.Samples = 200
	var models []bench.Measured
	for i, s := range o.Specs() {
		right := 80
		if s.Terms == lscrf.Pairwise {
			right = 83
		}
		models = append(models, bench.Measured{Spec: s, Images: 100 + i, TrainSeconds: 0.25 * float64(i), Score: score(counts(n, right, rng))})
	}
	var ids []string
	for i := range n {
		ids = append(ids, fmt.Sprintf("im%03d", i))
	}
	return must(bench.NewTable(context.Background(), "horse", ids, o.Specs(), models, score(counts(n, 95, rng)), o.Samples, seed))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func near(t *testing.T, what string, got metric.Value, want float64) {
	t.Helper()
	if !got.OK || math.Abs(got.V-want) > 1e-9 {
		t.Errorf("%s: got %s, want %v", what, got, want)
	}
}
