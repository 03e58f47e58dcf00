package feature

import (
	"math"
	"math/rand/v2"
)

// kmeans returns k x dim centers of the n x dim vectors in x: k-means++ seeds (Arthur and
// Vassilvitskii, SODA 2007), then at most iterations of Lloyd's algorithm, fewer if nothing
// changes. A center that loses its last vector moves to the vector that is farthest from its own.
// If there are fewer than k different vectors, centers repeat.
func kmeans(x []float32, dim, k, iterations int, rng *rand.Rand) []float32 {
	n := len(x) / dim
	if n == 0 {
		panic("feature: k-means of nothing")
	}
	vec := func(i int) []float32 { return x[i*dim : (i+1)*dim] }
	centers := seed(x, dim, k, rng)
	own := make([]int, n)
	far := make([]float64, n) // squared distance to the own center
	for round := range iterations {
		t := newTable(centers, dim)
		changed := false
		for i := range n {
			w, s := t.nearest(vec(i))
			changed = changed || round == 0 || w != own[i]
			own[i] = w
			far[i] = square(vec(i)) - float64(2*float64(s))
		}
		if !changed {
			break
		}
		sums, count := make([]float64, k*dim), make([]int, k)
		for i := range n {
			count[own[i]]++
			to := sums[own[i]*dim : (own[i]+1)*dim]
			for d, v := range vec(i) {
				to[d] += float64(v)
			}
		}
		for c := range k {
			to := centers[c*dim : (c+1)*dim]
			if count[c] == 0 {
				i := argmax(far)
				far[i] = math.Inf(-1)
				copy(to, vec(i))
				continue
			}
			for d := range to {
				to[d] = float32(sums[c*dim+d] / float64(count[c]))
			}
		}
	}
	return centers
}

// seed draws each center after the first with probability proportional to the squared distance from
// those before it.
func seed(x []float32, dim, k int, rng *rand.Rand) []float32 {
	n := len(x) / dim
	centers := make([]float32, 0, k*dim)
	far := make([]float64, n)
	for i := range far {
		far[i] = math.Inf(1)
	}
	at := rng.IntN(n)
	for len(centers) < k*dim {
		c := x[at*dim : (at+1)*dim]
		centers = append(centers, c...)
		total := 0.0
		for i := range n {
			d := 0.0
			for j, v := range x[i*dim : (i+1)*dim] {
				e := float64(v - c[j])
				d += float64(e * e)
			}
			far[i] = min(far[i], d)
			total += far[i]
		}
		if total == 0 {
			at = rng.IntN(n)
			continue
		}
		r := rng.Float64() * total
		for at = 0; at < n-1; at++ {
			if r -= far[at]; r < 0 {
				break
			}
		}
	}
	return centers
}

// square returns the sum of squares.
func square(x []float32) float64 {
	s := 0.0
	for _, v := range x {
		s += float64(float64(v) * float64(v))
	}
	return s
}

func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
