package appearance

import (
	"math"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests/arith"
)

// affinity returns exp(-‖aᵢ-aⱼ‖²/2σ²) of all pairs of superpixel colours at one of the colour
// scales, n x n, 0 on the diagonal: a superpixel does not speak for itself.
func (v *view) affinity(scale int) []float32 {
	n := len(v.regions)
	if v.pairs[scale] != nil {
		return v.pairs[scale]
	}
	out := make([]float32, n*n)
	v.pairs[scale] = out
	sigma := colorScales[scale]
	f := -1 / (2 * sigma * sigma)
	for i := range n {
		a := &v.regions[i].lab
		for j := range i {
			b := &v.regions[j].lab
			x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
			d := f * (float64(x*x) + float64(y*y) + float64(z*z))
			if d < -12 {
				continue
			}
			e := float32(arith.Exp(d))
			out[i*n+j], out[j*n+i] = e, e
		}
	}
	return out
}

// smooth returns Σⱼ kᵢⱼ wⱼ for symmetric k.
func smooth(k []float32, w []float32) []float32 {
	n := len(w)
	out := make([]float32, n)
	for j, f := range w {
		feature.AddTimes(out, k[j*n:], f)
	}
	return out
}

// odds returns, per superpixel, how likely its colour is under those of superpixels with figure
// probability p against those without: kernel densities a and b, each of total mass one, as
// a/(a+b).
func (v *view) odds(k []float32, p []float32) []float32 {
	n := len(p)
	figure, ground := make([]float32, n), make([]float32, n)
	var sf, sg float32
	for i, q := range p {
		area := float32(v.regions[i].area)
		figure[i], ground[i] = float32(q*area), float32((1-q)*area)
		sf += figure[i]
		sg += ground[i]
	}
	a, b := smooth(k, figure), smooth(k, ground)
	for i := range a {
		x, y := a[i]/(sf+1)+1e-5, b[i]/(sg+1)+1e-5
		a[i] = x / (x + y)
	}
	return a
}

// posterior joins a prior and odds.
func posterior(prior, odds []float32) []float32 {
	out := make([]float32, len(prior))
	for i, p := range prior {
		a, b := float32(p*odds[i]), float32((1-p)*(1-odds[i]))
		if a+b > 0 {
			out[i] = a / (a + b)
		}
	}
	return out
}

// geodesic returns, per superpixel, the length of the shortest path of adjacent superpixels to one
// of the seeds, where a step costs the CIELAB distance of its ends plus one; far if there is none.
func (v *view) geodesic(seed func(r *region) bool) []float32 {
	return v.geodesicOf(func(i int) bool { return seed(&v.regions[i]) })
}

func (v *view) geodesicOf(seed func(i int) bool) []float32 {
	const far = 500
	n := len(v.regions)
	dist := make([]float32, n)
	for i := range dist {
		dist[i] = far
		if seed(i) {
			dist[i] = 0
		}
	}
	cost := make([]float32, len(v.edges))
	for e, ij := range v.edges {
		a, b := &v.regions[ij[0]].lab, &v.regions[ij[1]].lab
		x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
		cost[e] = 1 + float32(math.Sqrt(float64(x*x)+float64(y*y)+float64(z*z)))
	}
	// Bellman-Ford, forward and backward over edges that are sorted by superpixel, which lie in
	// reading order: a few passes.
	for changed := true; changed; {
		changed = false
		relax := func(e int) {
			i, j := v.edges[e][0], v.edges[e][1]
			if d := dist[i] + cost[e]; d < dist[j] {
				dist[j], changed = d, true
			}
			if d := dist[j] + cost[e]; d < dist[i] {
				dist[i], changed = d, true
			}
		}
		for e := range v.edges {
			relax(e)
		}
		for e := len(v.edges) - 1; e >= 0; e-- {
			relax(e)
		}
	}
	return dist
}

// between tells how far superpixels are on the way from where a is 0, 0, to where b is, nearly 1.
func between(a, b []float32) []float32 {
	out := make([]float32, len(a))
	for i := range out {
		out[i] = a[i] / (a[i] + b[i] + 1)
	}
	return out
}

// neighbors returns the mean of the values of adjacent superpixels.
func (v *view) neighbors(values []float32) []float32 {
	sum, count := make([]float32, len(values)), make([]float32, len(values))
	for _, e := range v.edges {
		i, j := e[0], e[1]
		sum[i] += values[j]
		sum[j] += values[i]
		count[i]++
		count[j]++
	}
	for i := range sum {
		if count[i] > 0 {
			sum[i] /= count[i]
		} else {
			sum[i] = values[i]
		}
	}
	return sum
}
