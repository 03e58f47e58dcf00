package regress

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// cgTolerance ends conjugate gradients: the length of the residual, relative to the right-hand
// side.
const cgTolerance = 1e-6

// conjugateGradients solves the standardized normal equations output by output (Hestenes and
// Stiefel, "Methods of conjugate gradients for solving linear systems", 1952). A pass is one
// product with the matrix. It stops at cgTolerance, and at the latest after ten passes per column.
// Dependent columns need no ridge: from zero the passes stay in the range of the matrix.
func (st *standard) conjugateGradients(lambda float64) []float64 {
	n, outputs := len(st.keep), len(st.meanY)
	a := blas64.Symmetric{N: n, Stride: n, Data: st.a, Uplo: blas.Upper}
	for i := range n {
		st.a[i*n+i] += lambda
	}
	v, b := make([]float64, n*outputs), make([]float64, n)
	for p := range outputs {
		for i := range b {
			b[i] = st.b[i*outputs+p]
		}
		for i, u := range conjugate(a, b) {
			v[i*outputs+p] = u
		}
	}
	return v
}

// conjugate solves a x = b from x = 0.
func conjugate(a blas64.Symmetric, b []float64) []float64 {
	n := len(b)
	x, res, dir, ad := make([]float64, n), append([]float64(nil), b...), append([]float64(nil), b...), make([]float64, n)
	vec := func(v []float64) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: v} }
	rr := floats.Dot(res, res)
	stop := cgTolerance * math.Sqrt(rr)
	for range 10 * n {
		if math.Sqrt(rr) <= stop {
			break
		}
		blas64.Symv(1, a, vec(dir), 0, vec(ad))
		curvature := floats.Dot(dir, ad)
		if !(curvature > 0) { // rounding leaves nothing to gain
			break
		}
		step := rr / curvature
		floats.AddScaled(x, step, dir)
		floats.AddScaled(res, -step, ad)
		next := floats.Dot(res, res)
		floats.Scale(next/rr, dir)
		floats.Add(dir, res)
		rr = next
	}
	return x
}
