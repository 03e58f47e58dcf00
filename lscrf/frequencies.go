package lscrf

import "hdseg/lscrf/tools/regress"

// frequencies returns the frequencies of outputs from their weights, in units of rows, times their factors, with half a row more of each (Krichevsky
// and Trofimov), so that none is 0.
func frequencies(weights, factors []float64) []float64 {
	total := float64(len(weights)) / 2
	for p, w := range weights {
		total += w * factors[p]
	}
	f := make([]float64, len(weights))
	for p, w := range weights {
		f[p] = (w*factors[p] + 0.5) / total
	}
	return f
}

// frequencies returns those of label pairs in a dataset, balanced as the edges are.
func (d *dataset) frequencies(o *TrainOptions) []float64 {
	rows := d.rows(o.kind())
	weights, learned := make([]float64, len(rows)), make([]bool, len(rows))
	for _, m := range d.Images {
		for e, ends := range m.Edges {
			j, k := int(m.Y[ends[0]]), int(m.Y[ends[1]])
			if j == regress.Skip || k == regress.Skip {
				continue
			}
			w := float64(weightOf(m.EdgeWeight, e))
			weights[j*d.Labels+k] += w
			if o.kind() == regress.Edges {
				weights[k*d.Labels+j] += w
			}
		}
	}
	for p, n := range rows {
		learned[p] = n > 0 && n >= o.MinRows
	}
	return frequencies(weights, regress.Balanced(o.Balance, o.kind(), d.Labels, weights, learned))
}
