package cut

import "math"

// FitMixture returns a mixture of at most k components for weighted colours (interleaved RGB in [0,
// 1]; one weight ≥ 0 per colour): starting with one, the component with the largest spread is split
// again and again by the plane through its mean across its principal axis (Orchard and Bouman,
// "Color quantization of images", IEEE Trans. Signal Processing 39(12), 1991). Fewer components
// come back where the colours do not allow k; none if all weights are zero. Deterministic. Cost: k
// passes over the colours of the split components.
func FitMixture(colors, weights []float32, k int) *Mixture {
	checkColors(colors, weights)
	member := make([]int32, 0, len(weights))
	var all moments
	for i, w := range weights {
		if w > 0 {
			member = append(member, int32(i))
			all.add(colors[3*i:3*i+3], float64(w))
		}
	}
	if all.n <= 0 {
		return &Mixture{}
	}
	type part struct {
		members []int32
		m       moments
		axis    [3]float64
		// largest eigenvalue times weight: the squared error that a split can remove
		spread float64
	}
	finish := func(members []int32, m moments) part {
		p := part{members: members, m: m}
		g := m.gaussian(all.n)
		var lambda float64
		p.axis, lambda = principalAxis(g.Cov)
		p.spread = lambda * m.n
		return p
	}
	parts := []part{finish(member, all)}
	for len(parts) < k {
		widest := 0
		for j := range parts {
			if parts[j].spread > parts[widest].spread {
				widest = j
			}
		}
		p := parts[widest]
		if math.IsInf(p.spread, -1) {
			break
		}
		var cutAt float64
		for c := range 3 {
			cutAt += p.axis[c] * p.m.sum[c] / p.m.n
		}
		var low, high moments
		lo, hi := p.members[:0], make([]int32, 0, len(p.members)/2)
		for _, i := range p.members {
			c := colors[3*i : 3*i+3]
			if float64(p.axis[0]*float64(c[0]))+float64(p.axis[1]*float64(c[1]))+float64(p.axis[2]*float64(c[2])) <= cutAt {
				lo = append(lo, i)
				low.add(c, float64(weights[i]))
			} else {
				hi = append(hi, i)
				high.add(c, float64(weights[i]))
			}
		}
		if low.n <= 0 || high.n <= 0 { // one colour left
			parts[widest].spread = math.Inf(-1)
			continue
		}
		parts[widest] = finish(lo, low)
		parts = append(parts, finish(hi, high))
	}
	out := &Mixture{Components: make([]Gaussian, len(parts))}
	for j := range parts {
		out.Components[j] = parts[j].m.gaussian(all.n)
	}
	return out
}

// principalAxis returns the unit eigenvector of the largest eigenvalue of a symmetric positive
// semidefinite matrix (rr, rg, rb, gg, gb, bb) and that eigenvalue, by squaring the matrix until
// its columns are parallel.
func principalAxis(c [6]float64) (axis [3]float64, lambda float64) {
	m := [3][3]float64{{c[0], c[1], c[2]}, {c[1], c[3], c[4]}, {c[2], c[4], c[5]}}
	a := m
	for range 8 { // the second eigenvalue's share falls as (λ₂/λ₁)^256
		t := a[0][0] + a[1][1] + a[2][2]
		if t <= 0 {
			return [3]float64{1, 0, 0}, 0
		}
		var b [3][3]float64
		for i := range 3 {
			for j := range 3 {
				for k := range 3 {
					b[i][j] += float64(a[i][k] / t * (a[k][j] / t))
				}
			}
		}
		a = b
	}
	best := 0
	for i := range 3 {
		if a[i][i] > a[best][best] {
			best = i
		}
	}
	norm := math.Sqrt(float64(a[best][0]*a[best][0]) + float64(a[best][1]*a[best][1]) + float64(a[best][2]*a[best][2]))
	if norm == 0 {
		return [3]float64{1, 0, 0}, 0
	}
	for i := range 3 {
		axis[i] = a[best][i] / norm
	}
	for i := range 3 {
		for j := range 3 {
			lambda += float64(axis[i] * m[i][j] * axis[j])
		}
	}
	return axis, lambda
}
