package study

import "slices"

// candidates returns all weights that may be chosen for n tiers: every unweighted mix, the first tier alone first, and then
// every other combination of the options' weights, the largest of each scaled to 1, since the scale of all is of no matter.
func (o Options) candidates(n int) [][]float64 {
	out := mixesOf(n)
	var grow func(w []float64)
	grow = func(w []float64) {
		if len(w) < n {
			for _, v := range o.Weights {
				grow(append(slices.Clone(w), v))
			}
			return
		}
		if w = scaled(w); w != nil && !slices.ContainsFunc(out, func(u []float64) bool { return slices.Equal(u, w) }) {
			out = append(out, w)
		}
	}
	grow(nil)
	return out
}

// scaled divides weights by the largest; nil if all are 0.
func scaled(w []float64) []float64 {
	top := slices.Max(w)
	if top == 0 {
		return nil
	}
	out := make([]float64, len(w))
	for i, v := range w {
		out[i] = v / top
	}
	return out
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
