package regress

import (
	"math"
	"testing"
)

// The held-out error from the statistics is that of predicting the held-out rows one by one.
func TestCrossValidateEqualsPredicting(t *testing.T) {
	const dim, labels = 6, 2
	ps := pictures(100, 15, dim, labels)
	parts := [][]picture{ps[:5], ps[5:9], ps[9:]}
	o := Defaults()
	o.MinRows = 1
	lambdas := []float64{1e-4, 1e-2, 1}
	for _, kind := range []Kind{Nodes, Edges} {
		var folds []*Stats
		for _, p := range parts {
			folds = append(folds, statsOf(t, kind, p, dim, labels, false))
		}
		got := CrossValidate(folds, lambdas, o)
		_, report := Solve(statsOf(t, kind, ps, dim, labels, false), o)
		for i, l := range lambdas {
			sum, weight := 0.0, 0.0
			for f := range parts {
				var rest []picture
				for g, p := range parts {
					if g != f {
						rest = append(rest, p...)
					}
				}
				train := NewGram(folds[0].Width(), folds[0].Outputs())
				rowsOf(kind, rest, dim, labels, false, func(phi []float64, p int, w float64) { train.AddRow(phi, p, w*report.Factors[p]) })
				o.Lambda = l
				m, _ := SolveGram(train, o)
				rowsOf(kind, parts[f], dim, labels, false, func(phi []float64, p int, w float64) {
					weight += w * report.Factors[p]
					for q := range m.Outputs {
						v := m.B[q]
						for c := range m.Dim {
							v += m.W[c*m.Outputs+q] * phi[c]
						}
						if q == p {
							v--
						}
						sum += w * report.Factors[p] * v * v
					}
				})
			}
			if want := sum / weight; math.Abs(got.Error[i]-want) > 1e-6*want {
				t.Errorf("%v lambda %g: error %v, predicting gives %v", kind, l, got.Error[i], want)
			}
		}
		if got.Folds != 3 {
			t.Errorf("%d folds, want 3", got.Folds)
		}
	}
}

// Noise columns and few rows: a penalty must win over none; plenty of rows: a huge one must lose.
func TestCrossValidateChooses(t *testing.T) {
	fold := func(seed uint64, images int) []*Stats {
		var folds []*Stats
		for f := range 4 {
			folds = append(folds, statsOf(t, Nodes, pictures(seed+uint64(f), images, 40, 2), 40, 2, false))
		}
		return folds
	}
	o := Defaults()
	o.MinRows = 1
	if got := CrossValidate(fold(200, 1), []float64{0, 0.1}, o); got.Lambda != 0.1 {
		t.Errorf("few rows: lambda %v with errors %v, want 0.1", got.Lambda, got.Error)
	}
	if got := CrossValidate(fold(300, 30), []float64{1e-6, 100}, o); got.Lambda != 1e-6 {
		t.Errorf("many rows: lambda %v with errors %v, want 1e-6", got.Lambda, got.Error)
	}
	one := []*Stats{fold(400, 2)[0], NewNodeStats(40, 2)}
	if got := CrossValidate(one, []float64{0.5, 1}, o); got.Folds != 0 || got.Lambda != 0.5 {
		t.Errorf("one fold with rows: %+v", got)
	}
}
