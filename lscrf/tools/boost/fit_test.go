package boost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestRegressionLearns(t *testing.T) {
	x, y := noisy(1, 4000, 5)
	xt, yt := noisy(2, 2000, 5)
	opt := Defaults()
	opt.Trees = 200
	m, loss := mustFit(t, rowData(x, y, 5, 64), opt, 2)
	p := m.PredictRows(xt, 2000, 2)
	if rmse := math.Sqrt(meanSquare(p, yt)); rmse > 0.45 {
		t.Errorf("test RMSE %v, want below 0.45 (noise 0.3, targets 1.45)", rmse)
	}
	falls(t, loss[0])
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
	m, loss := mustFit(t, rowData(x, signs(y), 5, 64), opt, 2)
	falls(t, loss[0])
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
	for _, kind := range []Loss{Squared, Logistic} {
		opt := Defaults()
		opt.Rate, opt.L2, opt.Loss = 0.3, 0.1, kind
		_, loss := mustFit(t, rowData(x, signs(y), 4, 255), opt, 1)
		if last := loss[0][opt.Trees-1]; last > 0.02 {
			t.Errorf("%s: training loss %v after %d trees, want about 0", kind, last, opt.Trees)
		}
	}
}

// The reported loss is that of the model's own predictions, to the last bit of the sum.
func TestLossIsThatOfPredictions(t *testing.T) {
	x, y := noisy(4, 1000, 4)
	opt := Defaults()
	opt.Trees = 30
	m, loss := mustFit(t, rowData(x, y, 4, 32), opt, 1)
	p := m.PredictRows(x, 1000, 1)
	sum := 0.0
	for i := range p {
		d := float64(y[i]) - float64(p[i])
		sum += d * d
	}
	if want := math.Sqrt(sum / 1000); loss[0][29] != want {
		t.Errorf("got %v, want %v", loss[0][29], want)
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
	b := binned(x, 4, 32).Binning
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
	b := binned(x, 21, 32).Binning
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
		"rows":     {rowData(xn, yn, 8, 255), func(o *Options) { o.RowSample = 1 }},
		"logistic": {bin, func(o *Options) { o.Loss = Logistic }},
		"shared":   {four, func(o *Options) { o.Leaves, o.Depth = Shared, 7 }},
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

// A hand-worked tree: one feature with values 1, 2, 3, 4 and targets 0, 0, 4, 8; mean 3,
// residuals -3, -3, 1, 5. With L2 = 1 the border between 2 and 3 scores
// (-6)^2/(2+1) + 6^2/(2+1) = 24, between 1 and 2: 9/2 + 9/4 = 6.75, between 3 and 4:
// 25/4 + 25/2 = 18.75. The values at rate 0.5 are 0.5*-6/3 = -1 and +1.
func TestTreeByHand(t *testing.T) {
	opt := Defaults()
	opt.Trees, opt.Depth, opt.Rate, opt.L2, opt.RowSample = 1, 1, 0.5, 1, 1
	m, loss := mustFit(t, rowData([]float32{1, 2, 3, 4}, []float32{0, 0, 4, 8}, 1, 8), opt, 1)
	got := m.PredictRows([]float32{0, 2, 2.6, 9}, 4, 1)
	if want := []float32{2, 2, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if want := math.Sqrt(6); math.Abs(loss[0][0]-want) > 1e-6 { // squared errors 4+4+0+16 = 24
		t.Errorf("loss: got %v, want %v", loss[0][0], want)
	}
}

// Two levels: the target is 1 only where both features are. Residuals around the mean 1/4
// are -1/4, -1/4, -1/4, 3/4; with L2 = 0 the four leaves hold exactly these.
func TestTwoLevelsByHand(t *testing.T) {
	opt := Defaults()
	opt.Trees, opt.Depth, opt.Rate, opt.L2, opt.RowSample, opt.ColumnSample = 1, 2, 1, 0, 1, 1
	x, y := []float32{0, 0, 0, 1, 1, 0, 1, 1}, []float32{0, 0, 0, 1}
	m, loss := mustFit(t, rowData(x, y, 2, 4), opt, 1)
	if got := m.PredictRows(x, 4, 1); !slices.Equal(got, y) || loss[0][0] != 0 {
		t.Errorf("got %v with loss %v, want %v and 0", got, loss[0][0], y)
	}
}

// One Newton step of logistic loss: labels 0, 0, 1, 1 start at log-odds 0, gradients are
// -1/2, -1/2, 1/2, 1/2 and second derivatives 1/4. With L2 = 1 and rate 1 the leaves are
// -1/(1/2+1) = -2/3 and 2/3.
func TestNewtonByHand(t *testing.T) {
	opt := Defaults()
	opt.Trees, opt.Depth, opt.Rate, opt.L2, opt.RowSample, opt.Loss = 1, 1, 1, 1, 1, Logistic
	m, _ := mustFit(t, rowData([]float32{1, 2, 3, 4}, []float32{0, 0, 1, 1}, 1, 8), opt, 1)
	got := m.PredictRows([]float32{1, 4}, 2, 1)
	for i, want := range []float64{1 / (1 + math.Exp(2./3)), 1 / (1 + math.Exp(-2./3))} {
		if math.Abs(float64(got[i])-want) > 1e-6 {
			t.Errorf("row %d: got %v, want %v", i, got[i], want)
		}
	}
}

// One output trains the same trees shared or not, and an output beside its copy does too.
func TestSharedEqualsIndependent(t *testing.T) {
	x, y := noisy(8, 2000, 6)
	opt := Defaults()
	opt.Trees = 10
	one, _ := mustFit(t, rowData(x, y, 6, 32), opt, 1)
	opt.Leaves = Shared
	shared, _ := mustFit(t, rowData(x, y, 6, 32), opt, 1)
	if !reflect.DeepEqual(one.Sequences, shared.Sequences) {
		t.Error("one output: shared and independent trees differ")
	}
	twice := make([]float32, 0, 4000)
	for _, v := range y {
		twice = append(twice, v, v)
	}
	opt.RowSample = 1
	two, _ := mustFit(t, rowData(x, twice, 6, 32), opt, 1)
	one, _ = mustFit(t, rowData(x, y, 6, 32), opt, 1)
	for i, tree := range two.Sequences[0].Trees {
		want := one.Sequences[0].Trees[i]
		if !reflect.DeepEqual(tree.Questions, want.Questions) {
			t.Fatalf("tree %d: got %v, want %v", i, tree.Questions, want.Questions)
		}
		for j, v := range want.Values {
			if tree.Values[2*j] != v || tree.Values[2*j+1] != v {
				t.Fatalf("tree %d, leaf %d: got %v, want %v twice", i, j, tree.Values[2*j:2*j+2], v)
			}
		}
	}
}

// More outputs than a cell holds: questions are found on a sketch, and all outputs learn.
func TestManyOutputs(t *testing.T) {
	const outputs = 20
	x, _ := noisy(9, 3000, 4)
	y := make([]float32, 3000*outputs)
	for i := range 3000 {
		for k := range outputs {
			if x[4*i+k%4] > float32(k/4)/2-1 {
				y[i*outputs+k] = 1
			}
		}
	}
	opt := Defaults()
	opt.Trees, opt.Leaves = 150, Shared
	m, _ := mustFit(t, rowData(x, y, 4, 64), opt, 2)
	p := m.PredictRows(x, 3000, 1)
	for k := range outputs {
		if mse := meanSquare(output(p, outputs, k), output(y, outputs, k)); mse > 0.02 {
			t.Errorf("output %d: mean squared error %v, want below 0.02", k, mse)
		}
	}
}
