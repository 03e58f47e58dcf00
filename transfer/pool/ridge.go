package pool

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests/arith"
)

// A Ridge is a pool made ready to answer by kernel ridge regression: the mask of a window is the
// mean mask plus a weighted sum of the sources' deviations from it,
//
//	M = T̄ + Σᵢ wᵢ (Tᵢ - T̄),   w = (K + λI)⁻¹ k,   Kᵢⱼ = exp(-g·d²ᵢⱼ / d̄²),
//
// where d² are squared descriptor distances, d̄² is their mean over pairs of sources, and k are the
// kernel's values between the window and the sources (Saunders, Gammerman and Vovk, "Ridge
// regression learning algorithm in dual variables", ICML 1998). Weights may be negative: similar
// sources share one vote, where nearest neighbours would count them all. It is only read after Fit.
type Ridge struct {
	pool    *Pool
	source  []int     // pool window of source i
	inverse []float64 // n x n, (K + λI)⁻¹
	meanD   float64   // d̄²
	mean    []float32 // T̄
	masks   []float32 // 255 Tᵢ, one after another
}

// Fit prepares the pool's windows, or RidgeWindows of them evenly spaced if it has more. Cost: n²
// products of descriptors and n³ for the inverse, 8n² bytes and 16 KB a window. It returns an error
// only if the kernel matrix cannot be inverted.
func (p *Pool) Fit() (*Ridge, error) { return p.fit(lambda) }

func (p *Pool) fit(lambda float64) (*Ridge, error) {
	n := min(len(p.windows), p.o.RidgeWindows)
	r := &Ridge{pool: p, source: make([]int, n), mean: make([]float32, MaskSide*MaskSide)}
	for i := range r.source {
		r.source[i] = i * len(p.windows) / n
	}
	d := make([]float64, n*n)
	var sum float64
	for i, a := range r.source {
		for j, b := range r.source[:i] {
			v := math.Max(0, float64(p.norm[a]+p.norm[b]-float32(2*dot(p.descriptor(b), p.descriptor(a)))))
			d[i*n+j] = v
			sum += v
		}
		for j, v := range p.masks[a*len(r.mean):][:len(r.mean)] {
			r.mean[j] += float32(v) / (255 * float32(n))
			r.masks = append(r.masks, float32(v))
		}
	}
	r.meanD = 1
	if sum > 0 {
		r.meanD = sum / float64(n*(n-1)/2)
	}
	return r, r.invert(d, lambda)
}

// invert computes the inverse of the kernel matrix of squared distances d[i*n+j], j < i.
func (r *Ridge) invert(d []float64, lambda float64) error {
	n := len(r.source)
	if n == 0 {
		return nil
	}
	k := make([]float64, n*n)
	for i := range n {
		for j := range i {
			k[i*n+j] = r.kernel(d[i*n+j])
		}
		k[i*n+i] = 1 + lambda
	}
	chol, ok := arith.Factor(k, n)
	if !ok {
		return fmt.Errorf("pool: kernel matrix of %d windows is not positive definite; want a lambda above %g", n, lambda)
	}
	r.inverse = chol.Inverse()
	return nil
}

func (r *Ridge) kernel(d float64) float64 { return arith.Exp(-kernelWidth * d / r.meanD) }

// Vote makes the soft mask of a window with the given descriptor without the windows that exclude
// names (may be nil); these count as if they had never been in the pool, but for the mean mask and
// d̄². Without sources it is 0.5 everywhere and has no voters. Cost: n descriptor products, n² and
// n masks.
func (r *Ridge) Vote(query []float32, exclude func(id string) bool) Prior {
	p := r.pool
	if len(query) != descSize {
		panic(fmt.Sprintf("pool: %d query values, want %d", len(query), descSize))
	}
	var out []int // sources that are excluded
	for i, s := range r.source {
		if exclude != nil && exclude(p.windows[s].ID) {
			out = append(out, i)
		}
	}
	n := len(r.source)
	if len(out) == n {
		return Prior{Soft: slices.Repeat([]float32{0.5}, MaskSide*MaskSide)}
	}
	norm := dot(query, query)
	k := make([]float64, n)
	for i, s := range r.source {
		k[i] = r.kernel(math.Max(0, float64(norm+p.norm[s]-float32(2*dot(p.descriptor(s), query)))))
	}
	for _, i := range out {
		k[i] = 0
	}
	w := make([]float64, n)
	for j, v := range k {
		arith.AddScaled(w, v, r.inverse[j*n:]) // its columns are its rows
	}
	r.remove(w, out)
	return r.mix(w)
}

// remove makes weights those of the system without some of its rows and columns: w - A[:,E]
// A[E,E]⁻¹ w[E] with A the whole inverse, which is zero on E.
func (r *Ridge) remove(w []float64, out []int) {
	if len(out) == 0 {
		return
	}
	n := len(r.source)
	a, x := make([]float64, len(out)*len(out)), make([]float64, len(out))
	for i, p := range out {
		x[i] = w[p]
		for j, q := range out[:i+1] {
			a[i*len(out)+j] = r.inverse[p*n+q]
		}
	}
	chol, ok := arith.Factor(a, len(out))
	if !ok {
		panic("pool: a block of a positive definite inverse is not positive definite")
	}
	chol.Solve(x, 1)
	for i := range w {
		for j, q := range out {
			w[i] -= float64(r.inverse[i*n+q] * x[j])
		}
	}
	for _, p := range out {
		w[p] = 0
	}
}

// mix sums the masks. Voters are the Neighbors records of largest positive weight.
func (r *Ridge) mix(w []float64) Prior {
	p, size := r.pool, len(r.mean)
	out := Prior{Soft: make([]float32, size)}
	votes := map[string]float64{}
	var sum float64
	for i, s := range r.source {
		if w[i] == 0 {
			continue
		}
		sum += w[i]
		feature.AddTimes(out.Soft, r.masks[i*size:], float32(w[i]/255))
		if w[i] > 0 {
			votes[p.windows[s].ID] += w[i]
		}
	}
	for j, v := range out.Soft {
		out.Soft[j] = min(max(v+float32(float32(1-sum)*r.mean[j]), 0), 1)
	}
	out.Voters = strongest(votes, p.o.Neighbors)
	return out
}

// strongest returns the k voters of largest weight, scaled to sum 1.
func strongest(votes map[string]float64, k int) []Voter {
	var out []Voter
	for id, w := range votes {
		out = append(out, Voter{id, w})
	}
	SortVoters(out)
	out = out[:min(k, len(out))]
	var sum float64
	for _, v := range out {
		sum += v.Weight
	}
	for i := range out {
		out[i].Weight /= sum
	}
	return out
}

// SortVoters sorts by falling weight, then by id.
func SortVoters(v []Voter) {
	slices.SortFunc(v, func(a, b Voter) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.ID, b.ID))
	})
}
