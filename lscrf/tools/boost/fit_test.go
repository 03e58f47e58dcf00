package boost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRegressionLearns(t *testing.T) {
	x, y := noisy(1, 4000, 5)
	xt, yt := noisy(2, 2000, 5)
	opt := Defaults()
	opt.Trees = 200
	m, rep := mustFit(t, rowData(x, y, 5, 64), opt, 2)
	p := m.PredictRows(xt, 2000, 2)
	if rmse := math.Sqrt(meanSquare(p, yt)); rmse > 0.45 {
		t.Errorf("test RMSE %v, want below 0.45 (noise 0.3, targets 1.45)", rmse)
	}
	falls(t, rep.Loss[0])
}

// falls fails unless the loss never rises: a leaf value is a part of the best step.
func falls(t *testing.T, loss []float64) {
	t.Helper()
	for i := 1; i < len(loss); i++ {
		if loss[i] > loss[i-1] {
			t.Fatalf("loss rises from %v to %v at tree %d", loss[i-1], loss[i], i)
		}
	}
}

func TestClassifierLearns(t *testing.T) {
	x, y := noisy(1, 4000, 5)
	xt, yt := noisy(2, 2000, 5)
	opt := Defaults()
	opt.Trees, opt.Loss = 150, Logistic
	m, rep := mustFit(t, rowData(x, signs(y), 5, 64), opt, 2)
	falls(t, rep.Loss[0])
	right := 0
	for i, p := range m.PredictRows(xt, 2000, 2) {
		if p < 0 || p > 1 {
			t.Fatalf("probability %v", p)
		}
		if (p > 0.5) == (yt[i] > 0) {
			right++
		}
	}
	if right < 1780 {
		t.Errorf("%d of 2000 right, want at least 1780", right)
	}
}

// Depth 6 and a large rate learn random labels of few rows by heart.
func TestOverfitsFewRows(t *testing.T) {
	x, y := noisy(3, 60, 4)
	for _, loss := range []Loss{Squared, Logistic} {
		opt := Defaults()
		opt.Rate, opt.L2, opt.Loss = 0.3, 0.1, loss
		_, rep := mustFit(t, rowData(x, signs(y), 4, 255), opt, 1)
		if last := rep.Loss[0][opt.Trees]; last > 0.02 {
			t.Errorf("%s: training loss %v after %d trees, want about 0", loss, last, opt.Trees)
		}
	}
}

// The report's loss is that of the model's own predictions, to the last bit of the sum.
func TestLossIsThatOfPredictions(t *testing.T) {
	x, y := noisy(4, 1000, 4)
	opt := Defaults()
	opt.Trees = 30
	m, rep := mustFit(t, rowData(x, y, 4, 32), opt, 1)
	p := m.PredictRows(x, 1000, 1)
	sum := 0.0
	for i := range p {
		d := float64(y[i]) - float64(p[i])
		sum += d * d
	}
	if want := math.Sqrt(sum / 1000); rep.Loss[0][30] != want {
		t.Errorf("got %v, want %v", rep.Loss[0][30], want)
	}
}

// Weights act as repetitions of rows.
func TestWeightsRepeat(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x, y := noisy(5, 400, 4)
	weights := make([]float32, 400)
	var xr, yr []float32
	for i := range weights {
		weights[i] = float32(r.IntN(4))
		for range int(weights[i]) {
			xr, yr = append(xr, x[4*i:4*i+4]...), append(yr, y[i])
		}
	}
	b := NewBinning(x, 400, 4, 32, 1)
	for _, loss := range []Loss{Squared, Logistic} {
		opt := Defaults()
		opt.Trees, opt.Depth, opt.RowSample, opt.ColumnSample, opt.Loss = 20, 4, 1, 1, loss
		a, c := y, yr
		if loss == Logistic {
			a, c = signs(y), signs(yr)
		}
		weighted, _ := mustFit(t, Data{Design: Rows(b.Bin(x, 400, 1)), Outputs: 1, Targets: a, Weights: weights}, opt, 1)
		repeated, _ := mustFit(t, Data{Design: Rows(b.Bin(xr, len(yr), 1)), Outputs: 1, Targets: c}, opt, 1)
		p, q := weighted.PredictRows(x, 400, 1), repeated.PredictRows(x, 400, 1)
		for i := range p {
			if math.Abs(float64(p[i]-q[i])) > 1e-5 {
				t.Fatalf("%s: row %d: %v with weights, %v with repetitions", loss, i, p[i], q[i])
			}
		}
	}
}

// The bytes of a model depend neither on workers nor on kernels.
func TestSameBytes(t *testing.T) {
	x, edges, y := pairWorld(6, 700, 21, 20_000)
	b := NewBinning(x, 700, 21, 32, 1)
	pairs := Data{Design: Pairs(b.Bin(x, 700, 1), edges), Outputs: 1, Targets: y}
	four := Data{Design: pairs.Design, Outputs: 4, Targets: slices.Concat(y, y, y, y)}
	bin := Data{Design: pairs.Design, Outputs: 1, Targets: signs(y)}
	xn, yn := noisy(7, 20_000, 8)
	defer func(k kernelSet) { kernels = k }(kernels)
	for name, c := range map[string]struct {
		d      Data
		change func(*Options)
	}{
		"pairs":    {pairs, func(*Options) {}},
		"rows":     {rowData(xn, yn, 8, 255), func(o *Options) { o.Sampling = Uniform }},
		"logistic": {bin, func(o *Options) { o.Loss = Logistic }},
		"shared":   {four, func(o *Options) { o.Leaves, o.Depth = Shared, 7 }},
		"held out": {pairs, func(o *Options) { o.HeldOut, o.Patience = 0.2, 2 }},
	} {
		var want []byte
		var wantOut []float32
		for _, k := range kernelSets() {
			for _, workers := range []int{1, 2, 3, 8} {
				kernels = k
				opt := Defaults()
				opt.Trees = 4
				c.change(&opt)
				m, _ := mustFit(t, c.d, opt, workers)
				got, _ := m.MarshalBinary()
				out := m.Predict(c.d.Design, workers)
				if want == nil {
					want, wantOut = got, out
				}
				if !bytes.Equal(got, want) || !slices.Equal(out, wantOut) {
					t.Errorf("%s: %d workers with %s kernels give another model", name, workers, k.name)
				}
			}
		}
	}
}
