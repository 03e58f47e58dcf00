package regress

import (
	"fmt"
	"math"
	"math/rand/v2"

	"hdseg/manifests/arith"
)

// An MLP tells two labels apart with one hidden layer (multilayer perceptron): the probability of
// label 1 is 1/(1 + exp(-C - V·max(0, B + Wᵀx))).
type MLP struct {
	W []float32 // features x mlpUnits, row by row
	B []float32 // mlpUnits
	V []float32 // mlpUnits
	C float32
}

// How an MLP is trained: minibatches of rows that are drawn without replacement, Adam (Kingma and
// Ba, "Adam: a method for stochastic optimization", 2015) with a rate that falls to 0, and dropout
// of half the hidden units (Srivastava et al., "Dropout", 2014). The numbers are ours, by five-fold
// cross-validation on the arrays of a network; more units and passes give no more.
const (
	mlpUnits  = 64
	mlpPasses = 10
	mlpBatch  = 128
	mlpRate   = 2e-3
)

// FitMLP trains on rows of equally many features with the label 0 or 1 each; rows labeled Skip and
// those that use is false for are left out. progress is called after each pass over the rows;
// training ends with nil when it returns false. The result is the same on every processor.
func FitMLP(rows [][]float32, y []uint8, use func(i int) bool, progress func(done, total int) bool) *MLP {
	var order []int
	for i, l := range y {
		if l != Skip && use(i) {
			order = append(order, i)
		}
	}
	f := newMLPFit(rows, order)
	f.total = mlpPasses * ((len(order) + mlpBatch - 1) / mlpBatch)
	for pass := range mlpPasses {
		f.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at < len(order); at += mlpBatch {
			f.step(rows, y, order[at:min(at+mlpBatch, len(order))])
		}
		if !progress(pass+1, mlpPasses) {
			return nil
		}
	}
	return f.model()
}

// An mlpFit is an MLP of standardized features in training. Its parameters are W, B, V and C, one
// after the other.
type mlpFit struct {
	dim           int
	mean, inverse []float64 // of the features, see objective
	rng           *rand.Rand
	p, g          []float64    // parameters and their derivatives
	moment        [2][]float64 // of the derivatives and their squares (Adam)
	left          [2]float64   // of the moments' start: Adam's powers
	steps, total  int

	x, xt []float32 // standardized rows of a batch, and the same feature by feature
	z, dz []float64 // hidden units of the batch
}

func newMLPFit(rows [][]float32, order []int) *mlpFit {
	f := &mlpFit{dim: len(rows[0]), rng: rand.New(rand.NewPCG(1, 1)), left: [2]float64{1, 1}}
	f.mean, f.inverse = make([]float64, f.dim), make([]float64, f.dim)
	n := float64(len(order))
	for _, i := range order {
		for c, v := range rows[i] {
			f.mean[c] += float64(v) / n
		}
	}
	for _, i := range order {
		for c, v := range rows[i] {
			u := float64(v) - f.mean[c]
			f.inverse[c] += float64(u*u) / n
		}
	}
	for c, v := range f.inverse {
		if f.inverse[c] = 0; v > 1e-14*f.mean[c]*f.mean[c] && v > 1e-30 {
			f.inverse[c] = 1 / math.Sqrt(v)
		}
	}
	size := (f.dim+2)*mlpUnits + 1
	f.p, f.g = make([]float64, size), make([]float64, size)
	f.moment = [2][]float64{make([]float64, size), make([]float64, size)}
	for i := range f.p[:size-1] {
		fan := f.dim
		if i >= (f.dim+1)*mlpUnits {
			fan = mlpUnits
		}
		f.p[i] = float64(f.rng.Int64N(1<<32)-1<<31) / (1 << 31) / math.Sqrt(float64(fan))
	}
	f.x, f.xt = make([]float32, mlpBatch*f.dim), make([]float32, mlpBatch*f.dim)
	f.z, f.dz = make([]float64, mlpBatch*mlpUnits), make([]float64, mlpBatch*mlpUnits)
	return f
}

// parts returns W, B, V and C of parameters.
func (f *mlpFit) parts(p []float64) (w, b, v []float64, c *float64) {
	n := f.dim * mlpUnits
	return p[:n], p[n:][:mlpUnits], p[n+mlpUnits:][:mlpUnits], &p[n+2*mlpUnits]
}

// step follows the derivative of the batch's mean log loss.
func (f *mlpFit) step(rows [][]float32, y []uint8, batch []int) {
	n := len(batch)
	for k, i := range batch {
		for c, v := range rows[i] {
			u := float32((float64(v) - f.mean[c]) * f.inverse[c])
			f.x[k*f.dim+c], f.xt[c*n+k] = u, u
		}
	}
	clear(f.g)
	w, b, v, bias := f.parts(f.p)
	gw, gb, gv, gbias := f.parts(f.g)
	for k, i := range batch {
		z, dz := f.z[k*mlpUnits:][:mlpUnits], f.dz[k*mlpUnits:][:mlpUnits]
		copy(z, b)
		kernels.apply(z, f.x[k*f.dim:][:f.dim], w)
		kept := f.rng.Uint64() // a bit for each of the 64 units
		for h, u := range z {
			if z[h] = 0; u > 0 && kept>>h&1 == 1 {
				z[h] = 2 * u // so that the mean over all choices of units stays
			}
		}
		d := (sigmoid(*bias+arith.Dot(z, v)) - float64(y[i])) / float64(n)
		*gbias += d
		arith.AddScaled(gv, d, z)
		for h, u := range z {
			if dz[h] = 0; u > 0 {
				dz[h] = 2 * d * v[h]
			}
			gb[h] += dz[h]
		}
	}
	for c := range f.dim {
		kernels.apply(gw[c*mlpUnits:][:mlpUnits], f.xt[c*n:][:n], f.dz[:n*mlpUnits])
	}
	f.adam()
}

// adam changes the parameters by their derivatives.
func (f *mlpFit) adam() {
	const keep, keepSquares, least = 0.9, 0.999, 1e-8
	f.steps++
	f.left = [2]float64{float64(f.left[0] * keep), float64(f.left[1] * keepSquares)}
	first, second := 1-f.left[0], 1-f.left[1]
	rate := mlpRate * min(10*float64(f.steps)/float64(f.total), float64(f.total+1-f.steps)/float64(f.total))
	m, s := f.moment[0], f.moment[1]
	for i, g := range f.g {
		m[i] = float64(keep*m[i]) + float64((1-keep)*g)
		s[i] = float64(keepSquares*s[i]) + float64((1-keepSquares)*g*g)
		f.p[i] -= float64(rate * (m[i] / first) / (math.Sqrt(s[i]/second) + least))
	}
}

// model returns the MLP of the features as they are.
func (f *mlpFit) model() *MLP {
	w, b, v, c := f.parts(f.p)
	for i, inverse := range f.inverse {
		row := w[i*mlpUnits:][:mlpUnits]
		scale(row, inverse)
		arith.AddScaled(b, -f.mean[i], row)
	}
	return &MLP{narrow(w), narrow(b), narrow(v), float32(*c)}
}

// Check returns an error unless the MLP is one of dim features.
func (m *MLP) Check(dim int) error {
	if len(m.W) != dim*mlpUnits || len(m.B) != mlpUnits || len(m.V) != mlpUnits {
		return fmt.Errorf("hidden layer: got %d, %d and %d weights, want %d, %d and %d", len(m.W), len(m.B), len(m.V), dim*mlpUnits,
			mlpUnits, mlpUnits)
	}
	return nil
}

// Predict returns the probability of label 1 for each row.
func (m *MLP) Predict(rows [][]float32) []float32 {
	w, b, v := widen(m.W), widen(m.B), widen(m.V)
	z := make([]float64, mlpUnits)
	out := make([]float32, len(rows))
	for i, x := range rows {
		copy(z, b)
		kernels.apply(z, x, w)
		for h, u := range z {
			z[h] = max(u, 0)
		}
		out[i] = float32(sigmoid(float64(m.C) + arith.Dot(z, v)))
	}
	return out
}

func sigmoid(s float64) float64 { return 1 / (1 + arith.Exp(-s)) }

func narrow(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, u := range v {
		out[i] = float32(u)
	}
	return out
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, u := range v {
		out[i] = float64(u)
	}
	return out
}
