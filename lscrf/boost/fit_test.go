package boost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
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

// rowData bins rows for one output.
func rowData(x, y []float32, dim, borders int) Data {
	n := len(x) / dim
	return Data{Design: Rows(NewBinning(x, n, dim, borders, 1).Bin(x, n, 1)), Outputs: max(1, len(y)/max(1, n)), Targets: y}
}

func mustFit(t testing.TB, d Data, opt Options, workers int) (*Model, Report) {
	t.Helper()
	m, rep, err := Fit(d, opt, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m, rep
}

func meanSquare(p, y []float32) float64 {
	sum := 0.0
	for i := range p {
		sum += float64(p[i]-y[i]) * float64(p[i]-y[i])
	}
	return sum / float64(len(p))
}

// A hand-worked tree: one feature with values 1, 2, 3, 4 and targets 0, 0, 4, 8; mean 3,
// residuals -3, -3, 1, 5. With L2 = 1 the border between 2 and 3 scores
// (-6)^2/(2+1) + 6^2/(2+1) = 24, between 1 and 2: 9/2 + 9/4 = 6.75, between 3 and 4:
// 25/4 + 25/2 = 18.75. The values at rate 0.5 are 0.5*-6/3 = -1 and +1.
func TestTreeByHand(t *testing.T) {
	opt := Defaults()
	opt.Trees, opt.Depth, opt.Rate, opt.L2, opt.RowSample = 1, 1, 0.5, 1, 1
	m, rep := mustFit(t, rowData([]float32{1, 2, 3, 4}, []float32{0, 0, 4, 8}, 1, 8), opt, 1)
	got := m.PredictRows([]float32{0, 2, 2.6, 9}, 4, 1)
	if want := []float32{2, 2, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Squared errors: before 9+9+1+25 = 44; after 4+4+0+16 = 24.
	for i, want := range []float64{math.Sqrt(11), math.Sqrt(6)} {
		if math.Abs(rep.Loss[0][i]-want) > 1e-6 {
			t.Errorf("loss after %d trees: got %v, want %v", i, rep.Loss[0][i], want)
		}
	}
}

// Two levels: the target is 1 only where both features are. Residuals around the mean 1/4
// are -1/4, -1/4, -1/4, 3/4; with L2 = 0 the four leaves hold exactly these.
func TestTwoLevelsByHand(t *testing.T) {
	opt := Defaults()
	opt.Trees, opt.Depth, opt.Rate, opt.L2, opt.RowSample, opt.ColumnSample = 1, 2, 1, 0, 1, 1
	x, y := []float32{0, 0, 0, 1, 1, 0, 1, 1}, []float32{0, 0, 0, 1}
	m, rep := mustFit(t, rowData(x, y, 2, 4), opt, 1)
	if got := m.PredictRows(x, 4, 1); !slices.Equal(got, y) || rep.Loss[0][1] != 0 {
		t.Errorf("got %v with loss %v, want %v and 0", got, rep.Loss[0][1], y)
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
	opt.Sampling, opt.RowSample = Uniform, 1
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

// Noise cannot be learned: held-out rows end the training, and the best length is kept.
func TestEarlyStopping(t *testing.T) {
	x, _ := noisy(10, 1000, 5)
	_, y := noisy(11, 1000, 5)
	opt := Defaults()
	opt.HeldOut, opt.Patience = 0.3, 10
	m, rep := mustFit(t, rowData(x, y, 5, 32), opt, 1)
	held := rep.HeldOut[0]
	best := slices.Index(held, slices.Min(held))
	if len(held) != best+opt.Patience+1 || len(m.Sequences[0].Trees) != best {
		t.Errorf("best after %d trees: got %d measurements and %d trees, want %d and %d",
			best, len(held), len(m.Sequences[0].Trees), best+opt.Patience+1, best)
	}
	opt.HeldOut = 0
	if _, _, err := Fit(rowData(x, y, 5, 32), opt, 1, nil); err == nil || !strings.Contains(err.Error(), "patience") {
		t.Errorf("patience without rows held out: got error %v", err)
	}
}

// Rows held out have no part in the trees.
func TestHeldOutRowsDoNotTrain(t *testing.T) {
	x, y := noisy(12, 600, 4)
	d := rowData(x, y, 4, 32)
	d.HeldOut = make([]bool, 600)
	other := slices.Clone(y)
	for i := range 200 {
		d.HeldOut[3*i] = true
		other[3*i] = 1e6
	}
	opt := Defaults()
	opt.Trees, opt.RowSample = 5, 1
	a, _ := mustFit(t, d, opt, 1)
	d.Targets = other
	b, _ := mustFit(t, d, opt, 1)
	if !reflect.DeepEqual(a.Sequences, b.Sequences) {
		t.Error("targets of rows held out changed the trees")
	}
}

// A tree asks only about the features that it drew: 0.25 of 40.
func TestColumnSample(t *testing.T) {
	x, _ := noisy(13, 500, 40)
	_, y := noisy(14, 500, 40)
	opt := Defaults()
	opt.Trees, opt.ColumnSample, opt.Depth = 60, 0.05, 8
	m, _ := mustFit(t, rowData(x, y, 40, 16), opt, 1)
	seen := map[int32]bool{}
	for i, tree := range m.Sequences[0].Trees {
		in := map[int32]bool{}
		for _, q := range tree.Questions {
			in[q.Feature], seen[q.Feature] = true, true
		}
		if len(in) > 2 {
			t.Errorf("tree %d asks about %d features, want at most 2", i, len(in))
		}
	}
	if len(seen) < 35 {
		t.Errorf("60 trees asked about %d of 40 features", len(seen))
	}
}

// Data without information, without rows or without weight trains to its mean.
func TestDegenerate(t *testing.T) {
	opt := Defaults()
	opt.Trees = 2
	for name, c := range map[string]struct {
		d    Data
		want float32
	}{
		"constant target":   {rowData([]float32{1, 2, 3, 4}, []float32{5, 5, 5, 5}, 1, 4), 5},
		"constant features": {rowData([]float32{1, 1}, []float32{2, 4}, 1, 4), 3},
		"no rows":           {rowData(nil, nil, 1, 4), 0},
	} {
		m, _ := mustFit(t, c.d, opt, 2)
		if got := m.PredictRows([]float32{1}, 1, 1)[0]; got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	d := rowData([]float32{1, 2}, []float32{3, 4}, 1, 4)
	d.Weights = []float32{0, 0}
	m, _ := mustFit(t, d, opt, 1)
	if got := m.PredictRows([]float32{1}, 1, 1)[0]; got != 0 {
		t.Errorf("no weight: got %v, want 0", got)
	}
}

func TestBadNumbersAreErrors(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		y, w []float32
		loss Loss
		want string
	}{
		{[]float32{1, nan}, nil, Squared, "row 1: target 0"},
		{[]float32{1, float32(math.Inf(1))}, nil, Squared, "row 1: target 0"},
		{[]float32{0, 2}, nil, Logistic, "0..1"},
		{[]float32{0, 1}, []float32{1, -1}, Squared, "row 1: weight"},
		{[]float32{0, 1}, []float32{nan, 1}, Squared, "row 0: weight"},
	} {
		d := rowData([]float32{1, 2}, c.y, 1, 4)
		d.Weights = c.w
		opt := Defaults()
		opt.Loss = c.loss
		if _, _, err := Fit(d, opt, 1, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("targets %v, weights %v: got error %v, want one with %q", c.y, c.w, err, c.want)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Errorf("defaults: %v", err)
	}
	err := Options{Trees: -1, Loss: "cubic"}.Validate()
	for _, want := range []string{"trees", "depth", "rate", "borders", "rowSample", "sampling", "columnSample", "loss", "leaves"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault of %s", err, want)
		}
	}
}
