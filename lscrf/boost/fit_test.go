package boost

import (
	"math"
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

// A hand-worked tree: one feature with values 1, 2, 3, 4 and targets 0, 0, 4, 8; mean 3,
// residuals -3, -3, 1, 5. With L2 = 1 the border between 2 and 3 scores
// (-6)^2/(2+1) + 6^2/(2+1) = 24, between 1 and 2: 9/2 + 9/4 = 6.75, between 3 and 4:
// 25/4 + 25/2 = 18.75. The values at rate 0.5 are 0.5*-6/3 = -1 and +1.
func TestTreeByHand(t *testing.T) {
	b := NewBinning([]float32{1, 2, 3, 4}, 4, 1, 8, 1)
	d := Data{Design: Rows(b.Bin([]float32{1, 2, 3, 4}, 4, 1)), Outputs: 1, Targets: []float32{0, 0, 4, 8}}
	opt := Defaults()
	opt.Trees, opt.Depth, opt.Rate, opt.L2, opt.RowSample = 1, 1, 0.5, 1, 1
	m, rep, err := Fit(d, opt, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := m.PredictRows([]float32{0, 2, 2.6, 9}, 4, 1)
	for i, want := range []float32{2, 2, 4, 4} {
		if got[i] != want {
			t.Errorf("row %d: got %v, want %v", i, got[i], want)
		}
	}
	// Squared errors: before 9+9+1+25 = 44; after 4+4+0+16 = 24.
	for i, want := range []float64{math.Sqrt(11), math.Sqrt(6)} {
		if math.Abs(rep.Loss[0][i]-want) > 1e-6 {
			t.Errorf("loss after %d trees: got %v, want %v", i, rep.Loss[0][i], want)
		}
	}
}

func TestRegressionLearns(t *testing.T) {
	x, y := noisy(1, 4000, 5)
	xt, yt := noisy(2, 2000, 5)
	b := NewBinning(x, 4000, 5, 64, 1)
	opt := Defaults()
	opt.Trees = 200
	m, rep, err := Fit(Data{Design: Rows(b.Bin(x, 4000, 1)), Outputs: 1, Targets: y}, opt, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := m.PredictRows(xt, 2000, 2)
	sum := 0.0
	for i := range p {
		sum += float64(p[i]-yt[i]) * float64(p[i]-yt[i])
	}
	if rmse := math.Sqrt(sum / 2000); rmse > 0.45 {
		t.Errorf("test RMSE %v, want below 0.45 (noise 0.3, targets 1.45)", rmse)
	}
	loss := rep.Loss[0]
	for i := 1; i < len(loss); i++ {
		if loss[i] > loss[i-1] {
			t.Fatalf("loss rises from %v to %v at tree %d", loss[i-1], loss[i], i)
		}
	}
}
