package regress

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A Report says how a solution came about.
type Report struct {
	Rows     []int64   // per output
	Factors  []float64 // the weight that balancing gave the rows of each output
	Rare     []int     // outputs with fewer than MinRows rows, which predict a constant
	Constant []int     // columns without variance, which got weight 0
	Lambda   float64   // the penalty that was asked for
	// what was added to it because the columns are linearly dependent; 0 if they are not
	Ridge float64
	Cond  float64 // condition number estimated for the matrix that was factored
	// mean weighted squared error on the training rows per learned output, without clamping; 0 for
	// rare ones
	Error []float64
}

// Solve returns the weights that minimize the penalized squared error for every output, by
// Options.Solver. d holds the rows that s was summed from; only SGD reads it. Options must be
// valid.
//
// The closed form takes one Cholesky factorization for all outputs. If the columns are linearly
// dependent (tree probabilities sum to one, so they depend on the intercept) it adds a small ridge,
// and Report.Ridge says so. Without any rows all outputs are rare.
func Solve(s *Stats, d *Data, o Options) (*Linear, Report) {
	learned := s.learned(o.MinRows)
	factors := Balanced(o.Balance, s.kind, s.labels, s.Weights(), learned)
	g := s.Gram(factors)
	m, r := solveGram(g, o, func(st *standard) []float64 {
		return st.descend(d, s.kind, factors, g.Total(), o.Lambda)
	})
	r.Rows, r.Factors = s.Rows(), factors
	for p, ok := range learned {
		if !ok {
			r.Rare = append(r.Rare, p)
			r.Error[p] = 0
			m.setConstant(p, o.Rare)
		}
	}
	return m, r
}

// learned tells which outputs have enough rows.
func (s *Stats) learned(minRows int64) []bool {
	l := make([]bool, len(s.rows))
	for p, n := range s.rows {
		l[p] = n > 0 && n >= minRows
	}
	return l
}

// The ridge for dependent columns: the correlation matrix of the statistics is exact to about 1e-7
// at worst, so directions with less variance than that are noise.
const (
	worstCond  = 1e9
	firstRidge = 1e-8
)

// solveGram solves a problem given by its normal equations; sgd does so by its rows. It ignores
// Balance, MinRows and Rare.
func solveGram(g *Gram, o Options, sgd func(st *standard) []float64) (*Linear, Report) {
	m := NewLinear(g.Width-1, g.Outputs)
	r := Report{Lambda: o.Lambda, Error: make([]float64, g.Outputs)}
	st := standardize(g, o.Standardize)
	r.Constant = st.constant
	if g.Total() == 0 {
		return m, r
	}
	var v []float64
	if len(st.keep) > 0 {
		switch o.Solver {
		case CG:
			v = st.conjugateGradients(o.Lambda)
		case SGD:
			v = sgd(st)
		default:
			v, r.Ridge, r.Cond = st.cholesky(o.Lambda)
		}
	}
	st.toModel(m, v)
	for p := range g.Outputs {
		r.Error[p] = g.SquaredError(m, p)
	}
	return m, r
}

// cholesky solves the standardized normal equations.
func (st *standard) cholesky(lambda float64) (v []float64, ridge, cond float64) {
	chol, ridge := factor(st.a, len(st.keep), lambda)
	var x mat.Dense
	if err := chol.SolveTo(&x, mat.NewDense(len(st.keep), len(st.meanY), st.b)); err != nil {
		panic("regress: " + err.Error()) // factor made sure of the condition
	}
	return x.RawMatrix().Data, ridge, chol.Cond()
}

// factor returns the Cholesky factorization of a + (lambda+ridge) I with the smallest ridge of 0,
// 1e-8, 1e-7... (times the mean of a's diagonal) that keeps the condition number below worstCond.
func factor(a []float64, n int, lambda float64) (*mat.Cholesky, float64) {
	var chol mat.Cholesky
	trace := 0.0
	for i := range n {
		trace += a[i*n+i]
	}
	for ridge := 0.0; ; ridge = max(firstRidge*trace/float64(n), 10*ridge) {
		b := mat.NewSymDense(n, append([]float64(nil), a...))
		for i := range n {
			b.SetSym(i, i, b.At(i, i)+lambda+ridge)
		}
		if chol.Factorize(b) && chol.Cond() < worstCond {
			return &chol, ridge
		}
	}
}

// A standard holds the normal equations of the centered, scaled columns, divided by the sum of
// weights: a (n x n) and b (n x outputs) over the kept columns.
type standard struct {
	keep, constant []int
	mean, scale    []float64 // per kept column
	meanY          []float64 // per output
	a, b           []float64
}

// standardize removes means and, if scaled, divides by standard deviations. Columns whose variance
// is not above rounding are constant and dropped.
func standardize(g *Gram, scaled bool) *standard {
	st := &standard{meanY: make([]float64, g.Outputs)}
	total, c := g.Total(), g.Width-1
	if total == 0 {
		return st
	}
	for i := range c {
		mean := g.XX[i*g.Width+c] / total
		square := g.XX[i*g.Width+i] / total
		variance := square - mean*mean
		if !(variance > 1e-7*square) || variance < 1e-30 {
			st.constant = append(st.constant, i)
			continue
		}
		st.keep = append(st.keep, i)
		st.mean = append(st.mean, mean)
		scale := 1.0
		if scaled {
			scale = math.Sqrt(variance)
		}
		st.scale = append(st.scale, scale)
	}
	for p := range g.Outputs {
		st.meanY[p] = g.XY[c*g.Outputs+p] / total
	}
	n := len(st.keep)
	st.a, st.b = make([]float64, n*n), make([]float64, n*g.Outputs)
	for i, ci := range st.keep {
		for j, cj := range st.keep {
			st.a[i*n+j] = (g.XX[ci*g.Width+cj]/total - st.mean[i]*st.mean[j]) / (st.scale[i] * st.scale[j])
		}
		for p := range g.Outputs {
			st.b[i*g.Outputs+p] = (g.XY[ci*g.Outputs+p]/total - st.mean[i]*st.meanY[p]) / st.scale[i]
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
			b -= w * st.mean[i]
		}
		m.B[p] = b
	}
}
