package regress

import (
	"math"
	"slices"

	"hdseg/manifests/arith"
)

// A Report says how a solution came about.
type Report struct {
	Factors []float64 // the weight that balancing gave the rows of each output
	Rare    []int     // outputs with fewer than MinRows rows, which predict a constant
	Lambda  float64   // the penalty that was asked for
	// Ridge is what was added to it because the columns are linearly dependent; 0 if they are not.
	Ridge float64
}

// Solve returns the weights that minimize the penalized squared error for every output, by
// Options.Solver. d holds the rows that s was summed from; only SGD reads it. Options must be
// valid.
//
// The closed form takes one Cholesky factorization for all outputs. If the columns are linearly
// dependent (tree probabilities sum to one, so they depend on the intercept) it adds a small ridge,
// and Report.Ridge says so. Without any rows all outputs are rare.
func Solve(s *Stats, d *Data, o Options) (*Linear, Report) {
	learned, weights := make([]bool, len(s.rows)), make([]float64, len(s.rows))
	for p, n := range s.rows {
		learned[p], weights[p] = n > 0 && n >= o.MinRows, float64(n)
	}
	factors := Balanced(o.Balance, s.kind, s.labels, weights, learned)
	g := s.gram(factors)
	m, r := solveGram(g, o, func(st *standard) []float64 {
		return st.descend(d, s.kind, factors, g.total(), o.Lambda)
	})
	r.Factors = factors
	for p, ok := range learned {
		if !ok {
			r.Rare = append(r.Rare, p)
			m.setConstant(p, o.Rare)
		}
	}
	return m, r
}

// SolveColumns returns the weights that minimize the penalized squared error of rows that have n
// columns alone, from column first on: the closed form. A row of each output counts its weight.
func SolveColumns(s *Stats, first, n int, lambda float64, weight []float64) *Linear {
	all, part := s.gram(weight), newGram(n+1, len(s.rows))
	column := func(i int) int {
		if i == n {
			return all.width - 1
		}
		return first + i
	}
	for i := range n + 1 {
		for j := range n + 1 {
			part.xx[i*part.width+j] = all.xx[column(i)*all.width+column(j)]
		}
		copy(part.xy[i*part.outputs:][:part.outputs], all.xy[column(i)*all.outputs:])
	}
	m, _ := solveGram(part, Options{Lambda: lambda, Solver: ClosedForm}, nil)
	return m
}

// The ridge for dependent columns: the correlation matrix of the statistics is exact to about 1e-7
// at worst, so directions with less variance than that are noise.
const (
	worstCond  = 1e9
	firstRidge = 1e-8
)

// solveGram solves a problem given by its normal equations; sgd does so by its rows. It ignores
// Balance, MinRows and Rare.
func solveGram(g *gram, o Options, sgd func(st *standard) []float64) (*Linear, Report) {
	m := NewLinear(g.width-1, g.outputs)
	r := Report{Lambda: o.Lambda}
	if g.total() == 0 {
		return m, r
	}
	st := standardize(g)
	switch n := len(st.keep); {
	case n == 0:
		st.toModel(m, nil)
	case o.Solver == SGD:
		st.toModel(m, sgd(st))
	case o.Solver == CG:
		for i := range n {
			st.a[i*n+i] += o.Lambda
		}
		st.toModel(m, conjugate(st.a, st.b, n, g.outputs))
	default:
		chol, ridge := factor(st.a, n, o.Lambda)
		r.Ridge = ridge
		chol.Solve(st.b, g.outputs)
		st.toModel(m, st.b)
	}
	return m, r
}

// cgTolerance ends conjugate gradients: the length of the residual, relative to the right-hand
// side.
const cgTolerance = 1e-6

// conjugate solves a x = b, n x n and n x outputs, output by output by conjugate gradients
// (Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952), in ten
// steps per column at most. Dependent columns need no ridge: from zero the steps stay in the
// range of a.
func conjugate(a, b []float64, n, outputs int) []float64 {
	x := make([]float64, n*outputs)
	res, ad := make([]float64, n), make([]float64, n)
	for p := range outputs {
		for i := range res {
			res[i] = b[i*outputs+p]
		}
		dir, rr := slices.Clone(res), arith.Dot(res, res)
		stop := cgTolerance * math.Sqrt(rr)
		for range 10 * n {
			if math.Sqrt(rr) <= stop {
				break
			}
			for i := range ad {
				ad[i] = arith.Dot(a[i*n:(i+1)*n], dir)
			}
			curvature := arith.Dot(dir, ad)
			if !(curvature > 0) { // rounding leaves nothing to gain
				break
			}
			step := rr / curvature
			for i, d := range dir {
				x[i*outputs+p] += float64(step * d)
			}
			arith.AddScaled(res, -step, ad)
			next := arith.Dot(res, res)
			for i, v := range res {
				dir[i] = v + float64(next/rr*dir[i])
			}
			rr = next
		}
	}
	return x
}

// factor returns the Cholesky factorization of a + (lambda+ridge) I, n x n, n > 0, with the
// smallest ridge of 0, 1e-8, 1e-7... (times the mean of a's diagonal) that keeps the condition
// number, as arith estimates it, below worstCond.
func factor(a []float64, n int, lambda float64) (*arith.Cholesky, float64) {
	trace := 0.0
	for i := range n {
		trace += a[i*n+i]
	}
	for ridge := 0.0; ; ridge = max(firstRidge*trace/float64(n), 10*ridge) {
		b := slices.Clone(a)
		for i := range n {
			b[i*n+i] += lambda + ridge
		}
		if chol, ok := arith.Factor(b, n); ok && arith.Norm(b, n, n)*chol.InverseNorm() < worstCond {
			return chol, ridge
		}
	}
}

// A standard holds the normal equations of the centered, scaled columns, divided by the sum of
// weights: a (n x n) and b (n x outputs) over the kept columns.
type standard struct {
	keep        []int
	mean, scale []float64 // per kept column
	meanY       []float64 // per output
	a, b        []float64
}

// standardize removes means and divides by standard deviations. Columns whose variance is not above
// rounding are constant and dropped.
func standardize(g *gram) *standard {
	st := &standard{meanY: make([]float64, g.outputs)}
	total, c := g.total(), g.width-1
	for i := range c {
		mean := g.xx[i*g.width+c] / total
		square := g.xx[i*g.width+i] / total
		variance := square - float64(mean*mean)
		if !(variance > 1e-7*square) || variance < 1e-30 {
			continue
		}
		st.keep = append(st.keep, i)
		st.mean = append(st.mean, mean)
		st.scale = append(st.scale, math.Sqrt(variance))
	}
	for p := range g.outputs {
		st.meanY[p] = g.xy[c*g.outputs+p] / total
	}
	n := len(st.keep)
	st.a, st.b = make([]float64, n*n), make([]float64, n*g.outputs)
	for i, ci := range st.keep {
		for j, cj := range st.keep {
			st.a[i*n+j] = (g.xx[ci*g.width+cj]/total - float64(st.mean[i]*st.mean[j])) / (st.scale[i] * st.scale[j])
		}
		for p := range g.outputs {
			st.b[i*g.outputs+p] = (g.xy[ci*g.outputs+p]/total - float64(st.mean[i]*st.meanY[p])) / st.scale[i]
		}
	}
	return st
}

// toModel writes weights of the standardized columns, n x outputs, as a model of the original ones.
func (st *standard) toModel(m *Linear, v []float64) {
	for p := range m.Outputs {
		b := st.meanY[p]
		for i, c := range st.keep {
			w := v[i*m.Outputs+p] / st.scale[i]
			m.W[c*m.Outputs+p] = w
			b -= float64(w * st.mean[i])
		}
		m.B[p] = b
	}
}

// A gram is a weighted least-squares problem in float64, by its normal equations: for rows φ with
// the constant 1 last, one 0/1 target per output and weights w,
//
//	xx[i*width+j]   = Σ w φᵢ φⱼ      (width x width, both triangles)
//	xy[i*outputs+p] = Σ w φᵢ yₚ      (width x outputs)
//
// The last element of xx is the sum of weights.
type gram struct {
	width, outputs int
	xx, xy         []float64
}

func newGram(width, outputs int) *gram {
	return &gram{width, outputs, make([]float64, width*width), make([]float64, width*outputs)}
}

// total returns the sum of weights.
func (g *gram) total() float64 { return g.xx[len(g.xx)-1] }

// gram returns the least-squares problem in which the rows of output p have weight[p].
func (s *Stats) gram(weight []float64) *gram {
	s.settle()
	g := newGram(s.width(), len(s.rows))
	d, c, n := s.dim, g.width-1, len(s.rows)
	for p, w := range weight {
		tail := s.mats[p]
		if w == 0 || tail == nil {
			continue
		}
		g.add(tail, 0, p, w)
		if s.kind == Edges {
			head, cross := s.mats[2*n+p], s.mats[n+p]
			g.add(head, d, p, w)
			for i := range d {
				for j := range d {
					g.xx[i*g.width+d+j] += float64(w * cross.float(i, j))
					g.xx[(d+j)*g.width+i] += float64(w * cross.float(i, j))
				}
			}
		}
		g.xy[c*g.outputs+p] = w * tail.float(d, d)
		for i := range g.width {
			if v := g.xy[i*g.outputs+p]; i == c {
				g.xx[c*g.width+c] += v
			} else {
				g.xx[i*g.width+c] += v
				g.xx[c*g.width+i] += v
			}
		}
	}
	return g
}

// add adds w times a symmetric matrix of [x, 1] at column at: its features to xx and its last
// column to the output's xy.
func (g *gram) add(m *matrix, at, output int, w float64) {
	d := m.n - 1
	for i := range d {
		for j := range d {
			g.xx[(at+i)*g.width+at+j] += float64(w * m.float(i, j))
		}
		g.xy[(at+i)*g.outputs+output] = w * m.float(i, d)
	}
}
