package report

import (
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
)

// stacked puts what two models made of the same images into one confusion of twice as many labels per image: what can be asked of
// a model can so be asked of the difference of two.
func stacked(a, b lscrf.Counts) lscrf.Counts {
	if len(a) != len(b) {
		return nil
	}
	out := make(lscrf.Counts, len(a))
	for i := range a {
		n := a[i].Labels
		out[i] = metric.NewConfusion(2 * n)
		for k, c := range []*metric.Confusion{a[i], b[i]} {
			for t := range n {
				row := out[i].N[(k*n+t)*(2*n+1):]
				copy(row[k*n:(k+1)*n], c.N[t*(n+1):])
				row[2*n] = c.N[t*(n+1)+n] // void
			}
		}
	}
	return out
}

// gain is the per-class accuracy of the first of two stacked models minus that of the second.
func gain(c *metric.Confusion) metric.Value {
	n := c.Labels / 2
	of := func(k int) metric.Value {
		m := metric.NewConfusion(n)
		for t := range n {
			row := c.N[(k*n+t)*(2*n+1):]
			copy(m.N[t*(n+1):], row[k*n:(k+1)*n])
			m.N[t*(n+1)+n] = row[2*n]
		}
		return metric.PerClassAccuracy(m)
	}
	return of(0).Sub(of(1))
}

// gains asks whether pairwise terms add more to a mix with manual masks than to manual masks alone.
func gains(rows []lscrf.Row, ask func(row, base lscrf.Row, a, b lscrf.Counts)) {
	for _, r := range rows {
		mix := lscrf.Mix(r.Tiers)
		if r.Terms != lscrf.Pairwise || mix.Key() == "manual" || !slices.Contains(mix, "manual") {
			continue
		}
		unary, ok1 := find(rows, mix.Key(), r.Model, lscrf.Unary)
		base, ok2 := find(rows, "manual", r.Model, lscrf.Pairwise)
		baseUnary, ok3 := find(rows, "manual", r.Model, lscrf.Unary)
		if ok1 && ok2 && ok3 {
			ask(r, base, stacked(r.Counts, unary.Counts), stacked(base.Counts, baseUnary.Counts))
		}
	}
}
