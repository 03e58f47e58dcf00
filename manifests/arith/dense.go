package arith

import "math"

// Dot returns Σ aᵢbᵢ, len(a) = len(b), in four interleaved sums that are added in a fixed order.
func Dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for len(a) >= 4 {
		x, y := (*[4]float64)(a), (*[4]float64)(b)
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
		a, b = a[4:], b[4:]
	}
	for i, v := range a {
		s0 += float64(v * b[i])
	}
	return (s0 + s2) + (s1 + s3)
}

// AddScaled adds s times x to dst, len(x) = len(dst).
func AddScaled(dst []float64, s float64, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] += float64(s * v)
	}
}

// A Cholesky is a symmetric, positive definite n x n matrix A as L Lᵀ with L lower triangular.
type Cholesky struct {
	n int
	l []float64 // row by row; above the diagonal it is undefined
}

// Factor returns the factors of a, n x n, row by row, of which it reads the lower triangle and the
// diagonal; a is not kept. It reports false if a is not positive definite to rounding. The cost is
// n³/6 multiplications.
func Factor(a []float64, n int) (*Cholesky, bool) {
	c := &Cholesky{n, make([]float64, n*n)}
	for i := range n {
		row := c.row(i)
		for j := range i {
			row[j] = (a[i*n+j] - Dot(row[:j], c.row(j)[:j])) / c.l[j*n+j]
		}
		square := a[i*n+i] - Dot(row[:i], row[:i])
		if !(square > 0) || math.IsInf(square, 1) {
			return nil, false
		}
		row[i] = math.Sqrt(square)
	}
	return c, true
}

func (c *Cholesky) row(i int) []float64 { return c.l[i*c.n : (i+1)*c.n] }

// Solve replaces b, n x columns, by A⁻¹ b.
func (c *Cholesky) Solve(b []float64, columns int) {
	c.SolveLower(b, columns)
	c.SolveUpper(b, columns)
}

// SolveLower replaces b, n x columns, by L⁻¹ b.
func (c *Cholesky) SolveLower(b []float64, columns int) {
	for i := range c.n {
		row, x := c.row(i), b[i*columns:(i+1)*columns]
		for j, v := range row[:i] {
			AddScaled(x, -v, b[j*columns:(j+1)*columns])
		}
		for p := range x {
			x[p] /= row[i]
		}
	}
}

// SolveUpper replaces b, n x columns, by L⁻ᵀ b.
func (c *Cholesky) SolveUpper(b []float64, columns int) {
	for i := c.n - 1; i >= 0; i-- {
		row, x := c.row(i), b[i*columns:(i+1)*columns]
		for p := range x {
			x[p] /= row[i]
		}
		for j, v := range row[:i] {
			AddScaled(b[j*columns:(j+1)*columns], -v, x)
		}
	}
}

// Inverse returns A⁻¹, row by row. The cost is n³/3 multiplications.
func (c *Cholesky) Inverse() []float64 {
	n := c.n
	m := make([]float64, n*n) // row j is column j of L⁻¹, zero before element j
	for j := range n {
		x := m[j*n : (j+1)*n]
		x[j] = 1 / c.l[j*n+j]
		for i := j + 1; i < n; i++ {
			x[i] = -Dot(c.row(i)[j:i], x[j:i]) / c.l[i*n+i]
		}
	}
	inverse := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			v := Dot(m[i*n+i:(i+1)*n], m[j*n+i:(j+1)*n])
			inverse[i*n+j], inverse[j*n+i] = v, v
		}
	}
	return inverse
}

// Norm returns the largest sum of absolute values in a row of an n x n matrix.
func Norm(a []float64, n int) (norm float64) {
	for i := range n {
		sum := 0.0
		for _, v := range a[i*n : (i+1)*n] {
			sum += math.Abs(v)
		}
		norm = max(norm, sum)
	}
	return norm
}
