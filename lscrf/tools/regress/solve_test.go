package regress

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// qr solves the built rows by a QR factorization of the design matrix with the penalty as extra
// rows: an independent way to the same minimum. standard deviations are those of the weighted rows.
func qr(kind Kind, ps []picture, dim, labels int, factors []float64, lambda float64) *Linear {
	var rows [][]float64
	var outs []int
	var ws []float64
	total := 0.0
	rowsOf(kind, ps, dim, labels, func(phi []float64, p int) {
		rows, outs, ws = append(rows, phi), append(outs, p), append(ws, factors[p])
		total += factors[p]
	})
	width, outputs := len(rows[0]), len(factors)
	a := mat.NewDense(len(rows)+width-1, width, nil)
	b := mat.NewDense(len(rows)+width-1, outputs, nil)
	for i, phi := range rows {
		w := math.Sqrt(ws[i] / total)
		for c, v := range phi {
			a.Set(i, c, w*v)
		}
		b.Set(i, outs[i], w)
	}
	for c := range width - 1 {
		mean, square := 0.0, 0.0
		for i, phi := range rows {
			mean += ws[i] / total * phi[c]
		}
		for i, phi := range rows {
			square += ws[i] / total * (phi[c] - mean) * (phi[c] - mean)
		}
		a.Set(len(rows)+c, c, math.Sqrt(lambda*square)) // λ (σ v)²
	}
	var f mat.QR
	f.Factorize(a)
	var v mat.Dense
	if err := f.SolveTo(&v, false, b); err != nil {
		panic(err)
	}
	m := NewLinear(width-1, outputs)
	for c := range width - 1 {
		copy(m.W[c*outputs:], v.RawRowView(c))
	}
	copy(m.B, v.RawRowView(width-1))
	return m
}

// Columns 4 to 6 alone are those of rows that have no others.
func TestSolveColumns(t *testing.T) {
	const dim, labels, first, n = 9, 3, 4, 3
	whole, part := NewNodeStats(dim, labels), NewNodeStats(n, labels)
	for _, p := range pictures(22, 5, dim, labels) {
		var x []float32
		for at := first; at < len(p.x); at += dim {
			x = append(x, p.x[at:at+n]...)
		}
		if err := errors.Join(whole.AddImage(p.x, nil, p.y), part.AddImage(x, nil, p.y)); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := Solve(part, nil, Options{Solver: ClosedForm, Balance: BalanceNone, Lambda: 0.01})
	if got := SolveColumns(whole, first, n, 0.01, []float64{1, 1, 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	balanced, r := Solve(part, nil, Options{Solver: ClosedForm, Balance: BalancePaper, Lambda: 0.01})
	if got := SolveColumns(whole, first, n, 0.01, r.Factors); !reflect.DeepEqual(got, balanced) || reflect.DeepEqual(got, want) {
		t.Errorf("balanced: got %+v, want %+v", got, balanced)
	}
}

// Folded statistics are those of rows whose other labels are 0, but for what rounding an image's sums costs.
func TestFold(t *testing.T) {
	three, two := NewNodeStats(4, 3), NewNodeStats(4, 2)
	for _, p := range pictures(23, 5, 4, 3) {
		y := slices.Clone(p.y)
		for i := range y {
			if y[i] == 2 {
				y[i] = 0
			}
		}
		if err := errors.Join(three.AddImage(p.x, nil, p.y), two.AddImage(p.x, nil, y)); err != nil {
			t.Fatal(err)
		}
	}
	folded := three.Fold(2)
	if !slices.Equal(folded.Rows(), two.Rows()) {
		t.Errorf("got %v rows, want %v", folded.Rows(), two.Rows())
	}
	got, want := folded.gram([]float64{1, 2}), two.gram([]float64{1, 2})
	for i, v := range want.xx {
		if math.Abs(got.xx[i]-v) > 1e-6*(1+math.Abs(v)) {
			t.Errorf("product %d: got %g, want %g", i, got.xx[i], v)
		}
	}
	for i, v := range want.xy {
		if math.Abs(got.xy[i]-v) > 1e-6*(1+math.Abs(v)) {
			t.Errorf("right side %d: got %g, want %g", i, got.xy[i], v)
		}
	}
}

// The closed form in float64 equals QR on built rows to 1e-8, and that on the shipped
// statistics agrees in predictions to 1e-4.
func TestClosedFormEqualsQR(t *testing.T) {
	const dim, labels = 9, 2
	ps := pictures(21, 12, dim, labels)
	for _, kind := range []Kind{Nodes, Edges} {
		for _, balance := range []string{BalanceNone, BalancePaper} {
			for _, lambda := range []float64{0, 1e-3} {
				name := fmt.Sprintf("%v %s lambda %g", kind, balance, lambda)
				o := Defaults()
				o.Balance, o.Lambda, o.MinRows = balance, lambda, 1
				s := statsOf(t, kind, ps, dim, labels)
				got, r := Solve(s, nil, o)
				if r.Ridge != 0 || len(r.Rare) != 0 {
					t.Fatalf("%s: report %+v", name, r)
				}
				want := qr(kind, ps, dim, labels, r.Factors, lambda)
				exact := newGram(s.width(), len(s.rows))
				rowsOf(kind, ps, dim, labels, func(phi []float64, p int) { exact.addRow(phi, p, r.Factors[p]) })
				close64, _ := solveGram(exact, o, nil)
				for i, v := range want.W {
					if d := math.Abs(close64.W[i] - v); d > 1e-8*norm(want, i%want.Outputs) {
						t.Fatalf("%s: float64 weight %d: %v, QR %v", name, i, close64.W[i], v)
					}
				}
				worst := 0.0
				for _, p := range ps {
					a, b := predict(got, kind, p), predict(want, kind, p)
					for i := range a {
						worst = max(worst, math.Abs(float64(a[i]-b[i])))
					}
				}
				if worst > 1e-4 {
					t.Errorf("%s: predictions of the float32 statistics differ by %g, want at most 1e-4", name, worst)
				}
			}
		}
	}
}

func predict(m *Linear, kind Kind, p picture) []float32 {
	if kind == Nodes {
		return m.PredictNodes(p.x)
	}
	return m.PredictEdges(p.x, p.edges)
}

// norm returns the length of an output's weights.
func norm(m *Linear, p int) float64 {
	sum := 0.0
	for i := range m.Dim {
		sum += m.W[i*m.Outputs+p] * m.W[i*m.Outputs+p]
	}
	return math.Sqrt(sum)
}

func TestBalanceByHand(t *testing.T) {
	all := []bool{true, true, true, true}
	// Pairs 00: 60, 01: 10, 10: 20, 11: 30. Equal labels total 90, so 45 each; different 30, so 15
	// each.
	got := Balanced(BalancePaper, Edges, 2, []float64{60, 10, 20, 30}, all)
	for p, want := range []float64{0.75, 1.5, 0.75, 1.5} {
		if math.Abs(got[p]-want) > 1e-15 {
			t.Errorf("factors %v, want [0.75 1.5 0.75 1.5]", got)
		}
	}
	// A rare pair stays out: 01 keeps factor 1, 10 is alone among the learned different pairs.
	got = Balanced(BalancePaper, Edges, 2, []float64{60, 1, 20, 30}, []bool{true, false, true, true})
	if got[1] != 1 || got[2] != 1 || got[0] != 0.75 {
		t.Errorf("factors %v, want [0.75 1 1 1.5]", got)
	}
	got = Balanced(BalancePaper, Nodes, 3, []float64{10, 0, 30}, []bool{true, false, true})
	if got[0] != 2 || got[1] != 1 || math.Abs(got[2]-2.0/3) > 1e-15 {
		t.Errorf("node factors %v, want [2 1 0.667]", got)
	}
}

// Probabilities that sum to one depend on the intercept: a ridge is added, said, and harmless.
func TestDependentColumnsGetARidge(t *testing.T) {
	rng := pcg(31)
	ps := pictures(30, 10, 6, 2)
	for _, p := range ps {
		for s := range p.y {
			a := float32(rng.IntN(256)) / 256            // exact sums
			p.x[s*6], p.x[s*6+1], p.x[s*6+2] = a, 1-a, 7 // column 2 is constant
		}
	}
	s := statsOf(t, Nodes, ps, 6, 2)
	o := Defaults()
	o.Lambda = 0
	m, r := Solve(s, nil, o)
	for p := range m.Outputs {
		if r.Ridge == 0 || m.W[2*m.Outputs+p] != 0 {
			t.Fatalf("ridge %v, weight %v of a constant", r.Ridge, m.W[2*m.Outputs+p])
		}
	}
	var before [][]float32
	for _, p := range ps {
		before = append(before, m.PredictNodes(p.x))
	}
	// The same problem without the dependent columns, and by conjugate gradients, which add no
	// ridge.
	o.Solver = CG
	cg, r := Solve(s, nil, o)
	for i, p := range ps {
		x := make([]float32, 0, 4*len(p.y))
		for s := range p.y {
			x = append(x, p.x[s*6])
			x = append(x, p.x[s*6+3:s*6+6]...)
		}
		for j, v := range cg.PredictNodes(p.x) {
			if d := math.Abs(float64(v - before[i][j])); d > 1e-4 {
				t.Fatalf("conjugate gradients predict %v, the closed form %v", v, before[i][j])
			}
		}
		ps[i].x = x
	}
	o.Solver = ClosedForm
	m, r2 := Solve(statsOf(t, Nodes, ps, 4, 2), nil, o)
	if r.Ridge != 0 || r2.Ridge != 0 {
		t.Fatalf("ridges %v by conjugate gradients and %v of independent columns, want 0", r.Ridge, r2.Ridge)
	}
	for i, p := range ps {
		for j, v := range m.PredictNodes(p.x) {
			if d := math.Abs(float64(v - before[i][j])); d > 1e-4 {
				t.Fatalf("dependent columns predict %v, independent ones %v", before[i][j], v)
			}
		}
	}
}

func TestRarePairsPredictAConstant(t *testing.T) {
	ps := pictures(40, 8, 3, 3)
	s := statsOf(t, Edges, ps, 3, 3)
	o := Defaults()
	rows := s.Rows()
	o.MinRows = rows[0*3+1] + 1 // pair 01
	m, r := Solve(s, nil, o)
	seen := 0
	for _, p := range r.Rare {
		if rows[p] >= o.MinRows {
			t.Errorf("pair %d with %d rows is rare", p, rows[p])
		}
		for _, f := range m.PredictEdges(ps[0].x, ps[0].edges)[p : p+1] {
			if f != 1e-3 {
				t.Errorf("rare pair predicts %v, want 1e-3", f)
			}
		}
		seen++
	}
	if seen == 0 {
		t.Fatalf("no rare pair among rows %v", rows)
	}
}

// Conjugate gradients give the closed form's predictions, SGD nearly.
func TestSolversAgree(t *testing.T) {
	const dim, labels = 6, 2
	ps := pictures(520, 30, dim, labels)
	for _, kind := range []Kind{Nodes, Edges} {
		for _, balance := range []string{BalanceNone, BalancePaper} {
			o := Defaults()
			o.Lambda, o.Balance, o.MinRows = 1e-3, balance, 1
			s := statsOf(t, kind, ps, dim, labels)
			closed, _ := Solve(s, nil, o)
			o.Solver = CG
			cg, _ := Solve(s, nil, o)
			o.Solver = SGD
			sgd, _ := Solve(s, dataOf(ps, dim, labels), o)
			sum, n := 0.0, 0.0
			for _, p := range ps {
				a, b, c := predict(closed, kind, p), predict(cg, kind, p), predict(sgd, kind, p)
				for i := range a {
					sum, n = sum+math.Pow(float64(a[i]-c[i]), 2), n+1
					if e := math.Abs(float64(a[i] - b[i])); e > 1e-4 {
						t.Fatalf("%v %s: predictions differ by %g", kind, balance, e)
					}
				}
			}
			if rms := math.Sqrt(sum / n); rms > 0.02 {
				t.Errorf("%v %s: SGD differs by %g", kind, balance, rms)
			}
		}
	}
}

func TestPredictByHand(t *testing.T) {
	m := NewLinear(2, 1) // edges with one feature per node: f = 1 + 10 x_s + 100 x_t
	m.W[0], m.W[1], m.B[0] = 10, 100, 1
	got := m.PredictEdges([]float32{1, 2, 3}, [][2]int32{{0, 2}, {2, 1}})
	if got[0] != 311 || got[1] != 231 {
		t.Errorf("got %v, want [311 231]", got)
	}
	if got := m.PredictNodes([]float32{1, 2}); got[0] != 211 {
		t.Errorf("got %v, want [211]", got)
	}
}

func TestOptions(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Fatal(err)
	}
	bad := Options{Lambda: math.NaN(), Balance: "x", Solver: "x", MinRows: -1, Rare: 0}
	err := bad.Validate()
	if err == nil {
		t.Fatal("no fault found")
	}
	if n := len(err.(interface{ Unwrap() []error }).Unwrap()); n != 5 {
		t.Errorf("%d faults, want 5: %v", n, err)
	}
}
