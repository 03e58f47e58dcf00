package regress

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// correlation returns the Cholesky factor of the correlations of the features over the labeled
// nodes, a little off so that it always exists; features without variance get 1.
func (d *Data) correlation(mean, inverse []float64) blas64.Triangular {
	n, stride := d.Dim, (d.Dim+7)/8*8
	sum := make([]float64, n*stride)
	nodes := 0
	var rows []float64 // standardized features, node by node
	var cols []float32 // the same, feature by feature
	for _, m := range d.Images {
		rows, cols = resize(rows, len(m.Y)*stride), slices.Grow(cols[:0], len(m.X))[:len(m.X)]
		k := 0
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			row := rows[k*stride : (k+1)*stride]
			clear(row[n:])
			for i, v := range m.X[s*n : (s+1)*n] {
				row[i] = (float64(v) - mean[i]) * inverse[i]
				cols[i*len(m.Y)+k] = float32(row[i])
			}
			k++
		}
		for i := range n {
			kernels.apply(sum[i*stride:(i+1)*stride], cols[i*len(m.Y):][:k], rows)
		}
		nodes += k
	}
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			c.SetSym(i, j, sum[i*stride+j]/float64(max(nodes, 1)))
		}
		v := c.At(i, i) + 1e-4
		if inverse[i] == 0 {
			v = 1
		}
		c.SetSym(i, i, v)
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		panic("regress: correlations are not positive definite") // 1e-4 is far above rounding
	}
	var l mat.TriDense
	chol.LTo(&l)
	return l.RawTriangular()
}
