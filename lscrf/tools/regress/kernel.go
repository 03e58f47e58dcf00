package regress

import "math"

// A kernelSet is one implementation of the inner loops. All sets give the same bits.
type kernelSet struct {
	name    string
	addTile func(k int, a, b, w []float32, stride int, c []int64) // see addTileGeneric
	apply   func(dst []float64, x []float32, w []float64)         // see applyGeneric
}

var genericKernels = kernelSet{"generic", addTileGeneric, applyGeneric}

// kernels is the fastest set that this machine runs.
var kernels = func() kernelSet {
	all := kernelSets()
	return all[len(all)-1]
}()

// addTileGeneric adds the sum over i < k of (w_i b_i) a_iᵀ to a tile, rounded to integers: element
// (r, c) gets Σ_i a[i*stride+r] * (w[i]*b[i*stride+c]), summed from i = 0 on in float32, where each
// product and each sum is rounded. k is at most maxTerms. It is the definition that the assembly
// must meet bit for bit.
//
// Six rows at a time keep as many sums in registers as hide the latency of an addition.
func addTileGeneric(k int, a, b, w []float32, stride int, c []int64) {
	var term [tileCols][maxTerms]float32
	for i, u := range w[:k] {
		for q, v := range b[i*stride:][:tileCols] {
			term[q][i] = u * v
		}
	}
	var row0, row1, row2, row3, row4, row5 [maxTerms]float32
	for r := 0; r < tileRows; r += 6 {
		for i := range k {
			v := a[i*stride+r:][:6]
			row0[i], row1[i], row2[i], row3[i], row4[i], row5[i] = v[0], v[1], v[2], v[3], v[4], v[5]
		}
		for q := range term {
			var s0, s1, s2, s3, s4, s5 float32
			for i, u := range term[q][:k] {
				s0 += float32(row0[i] * u)
				s1 += float32(row1[i] * u)
				s2 += float32(row2[i] * u)
				s3 += float32(row3[i] * u)
				s4 += float32(row4[i] * u)
				s5 += float32(row5[i] * u)
			}
			for j, s := range [6]float32{s0, s1, s2, s3, s4, s5} {
				c[(r+j)*tileCols+q] += int64(math.RoundToEven(float64(s)))
			}
		}
	}
}

// applyGeneric adds Σ_i x[i] * row i of w to dst, in order, in float64, where each product and each
// sum is rounded; w has len(x) rows of len(dst) columns, a multiple of 8.
func applyGeneric(dst []float64, x []float32, w []float64) {
	width := len(dst)
	for at := 0; at < width; at += 4 {
		d := dst[at:][:4]
		s0, s1, s2, s3 := d[0], d[1], d[2], d[3]
		for i, v := range x {
			u, v := w[i*width+at:][:4], float64(v)
			s0 += float64(v * u[0])
			s1 += float64(v * u[1])
			s2 += float64(v * u[2])
			s3 += float64(v * u[3])
		}
		d[0], d[1], d[2], d[3] = s0, s1, s2, s3
	}
}
