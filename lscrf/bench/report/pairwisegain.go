package report

import (
	"slices"

	"hdseg/lscrf"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

// stacked puts the confusions of two models on the same images into one with twice the labels, so
// that a single score can compare the two.
func stacked(a, b bench.Counts) bench.Counts {
	if len(a) != len(b) {
		return nil
	}
	out := make(bench.Counts, len(a))
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

// pairwiseGains asks whether pairwise terms add more to a mix with manual masks than to manual
// masks alone.
func pairwiseGains(rows []bench.Row, ask func(row, base bench.Row, a, b bench.Counts)) {
	for _, r := range rows {
		if r.Terms != lscrf.Pairwise || mixKey(r) == "manual" || !slices.Contains(r.Tiers, manifests.Manual) {
			continue
		}
		unary := find(rows, mixKey(r), r.Model, lscrf.Unary)
		base, baseUnary := find(rows, "manual", r.Model, lscrf.Pairwise), find(rows, "manual", r.Model, lscrf.Unary)
		if unary != nil && base != nil && baseUnary != nil {
			ask(r, *base, stacked(r.Counts, unary.Counts), stacked(base.Counts, baseUnary.Counts))
		}
	}
}
