package boost

import (
	"math/rand/v2"
	"testing"
)

// noisy returns rows of random features and a target that depends on a few of them.
func noisy(seed uint64, n, dim int) (x, y []float32) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y = make([]float32, n*dim), make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	for i := range y {
		v := x[i*dim:]
		y[i] = v[0] + v[1]*v[2] + 0.3*float32(r.NormFloat64())
	}
	return x, y
}

// signs returns 1 for positive targets and 0 for others.
func signs(y []float32) []float32 {
	out := make([]float32, len(y))
	for i, v := range y {
		if v > 0 {
			out[i] = 1
		}
	}
	return out
}

// binned cuts rows that lie in one slice.
func binned(x []float32, dim, borders int) *Binned { return BinParts([][]float32{x}, dim, borders, 1) }

// rowData bins rows for one output.
func rowData(x, y []float32, dim, borders int) Data {
	n := len(x) / dim
	return Data{Design: Rows(binned(x, dim, borders)), Outputs: max(1, len(y)/max(1, n)), Targets: y}
}

// mustFit also returns the losses after each tree of every sequence.
func mustFit(t testing.TB, d Data, opt Options, workers int) (m *Model, loss [][]float64) {
	t.Helper()
	m, err := Fit(d, opt, workers, func(p Progress) bool {
		if p.Tree == 1 {
			loss = append(loss, nil)
		}
		loss[p.Sequence] = append(loss[p.Sequence], p.Loss)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, loss
}

func meanSquare(p, y []float32) float64 {
	sum := 0.0
	for i := range p {
		sum += float64(p[i]-y[i]) * float64(p[i]-y[i])
	}
	return sum / float64(len(p))
}

// Bin cuts n rows, x[i*dim+f], of b.Dim() features.
func (b *Binning) Bin(x []float32, n, workers int) *Binned {
	out := &Binned{Binning: b, N: n, bins: make([]uint8, n*b.Dim())}
	b.fill(out, 0, x, n, workers, nil)
	return out
}
