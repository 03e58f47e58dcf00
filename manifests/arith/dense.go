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

// InverseNorm returns an estimate of Norm(A⁻¹) from a few solutions, n² multiplications each
// (Hager, "Condition estimates", 1984). It is never above it, up to rounding, and rarely below a
// third.
func (c *Cholesky) InverseNorm() (norm float64) {
	x, y, signs := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
	for i := range x {
		x[i] = 1 / float64(c.n)
	}
	for range 5 {
		copy(y, x)
		c.Solve(y, 1)
		sum := Norm(y, 1, c.n)
		if sum <= norm {
			return norm
		}
		norm = sum
		for i, v := range y {
			signs[i] = math.Copysign(1, v)
		}
		c.Solve(signs, 1)
		next := 0
		for i, v := range signs {
			if math.Abs(v) > math.Abs(signs[next]) {
				next = i
			}
		}
		if math.Abs(signs[next]) <= Dot(signs, x) {
			return norm
		}
		clear(x)
		x[next] = 1
	}
	return norm
}

// Norm returns the largest sum of absolute values in a row of a matrix, rows x columns.
func Norm(a []float64, rows, columns int) (norm float64) {
	for i := range rows {
		sum := 0.0
		for _, v := range a[i*columns : (i+1)*columns] {
			sum += math.Abs(v)
		}
		norm = max(norm, sum)
	}
	return norm
}
