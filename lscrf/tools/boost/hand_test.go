package boost

import (
	"math"
	"slices"
	"testing"
)

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
