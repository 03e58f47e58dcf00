package regress

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// SolveCG solves by conjugate gradients what SolveGram solves by Cholesky (Hestenes and Stiefel,
// 1952), on the standardized normal equations and output by output. Dependent columns need no ridge: from
// zero the iterations stay in the range of the matrix. The report holds the largest number of iterations and
// residual of the outputs, and their sum of products with the matrix; Status is Limit if one did not converge.
func SolveCG(g *Gram, o Options, it IterOptions) (*Linear, Iterations) {
	m := NewLinear(g.Width-1, g.Outputs)
	st := standardize(g, o.Standardize)
	n := len(st.keep)
	r := Iterations{Status: Converged}
	if g.Total() == 0 {
		return m, r
	}
	v := make([]float64, n*g.Outputs)
	if n > 0 {
		a := blas64.Symmetric{N: n, Stride: n, Data: st.a, Uplo: blas.Upper}
		for i := range n {
			st.a[i*n+i] += o.Lambda
		}
		b := make([]float64, n)
		for p := range g.Outputs {
			for i := range b {
				b[i] = st.b[i*g.Outputs+p]
			}
			x, q := conjugate(a, b, it)
			for i, u := range x {
				v[i*g.Outputs+p] = u
			}
			r.Iterations, r.Gradient = max(r.Iterations, q.Iterations), max(r.Gradient, q.Gradient)
			r.Passes += q.Passes
			if q.Status != Converged {
				r.Status = q.Status
			}
		}
	}
	st.toModel(m, v)
	for p := range g.Outputs {
		r.Value += g.SquaredError(m, p)
	}
	return m, r
}

// conjugate solves a x = b from x = 0.
func conjugate(a blas64.Symmetric, b []float64, it IterOptions) ([]float64, Iterations) {
	n := len(b)
	x, res, dir, ad := make([]float64, n), append([]float64(nil), b...), append([]float64(nil), b...), make([]float64, n)
	vec := func(v []float64) blas64.Vector { return blas64.Vector{N: n, Inc: 1, Data: v} }
	rr := floats.Dot(res, res)
	stop := it.Tolerance * math.Sqrt(rr)
	r := Iterations{Status: Limit}
	for ; r.Iterations < it.Iterations; r.Iterations++ {
		if math.Sqrt(rr) <= stop {
			r.Status = Converged
			break
		}
		blas64.Symv(1, a, vec(dir), 0, vec(ad))
		r.Passes++
		curvature := floats.Dot(dir, ad)
		if !(curvature > 0) {
			r.Status = Stalled
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
	if r.Status == Limit && math.Sqrt(rr) <= stop {
		r.Status = Converged
	}
	r.Gradient = math.Sqrt(rr)
	return x, r
}
