package arith

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const prec = 200

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func op(f func(z, x, y *big.Float) *big.Float, x, y *big.Float) *big.Float {
	return f(new(big.Float).SetPrec(prec), x, y)
}

func mul(x, y *big.Float) *big.Float { return op((*big.Float).Mul, x, y) }
func quo(x, y *big.Float) *big.Float { return op((*big.Float).Quo, x, y) }
func sub(x, y *big.Float) *big.Float { return op((*big.Float).Sub, x, y) }
func add(x, y *big.Float) *big.Float { return op((*big.Float).Add, x, y) }

// series returns the sum of first, first·z/d(1), first·z²/(d(1)d(2)), ...
func series(first, z *big.Float, d func(k float64) float64) *big.Float {
	sum, term := first, first
	for k := 1.; k < 400 && term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-prec; k++ {
		term = quo(mul(term, z), exactly(d(k)))
		sum = add(sum, term)
	}
	return sum
}

// bigExp returns eˣ from the series of x/2¹⁶, squared 16 times.
func bigExp(x float64) *big.Float {
	e := series(exactly(1), exactly(x/65536), func(k float64) float64 { return k })
	for range 16 {
		e = mul(e, e)
	}
	return e
}

func bigSin(x float64) *big.Float {
	return series(exactly(x), mul(exactly(-x), exactly(x)), func(k float64) float64 { return 2 * k * (2*k + 1) })
}

func bigCos(x float64) *big.Float {
	return series(exactly(1), mul(exactly(-x), exactly(x)), func(k float64) float64 { return 2 * k * (2*k - 1) })
}

// ulp returns the unit in the last place of numbers as large as x.
func ulp(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-53, -1074))
}

// off returns got - want, which is small.
func off(got float64, want *big.Float) float64 {
	d, _ := sub(exactly(got), want).Float64()
	return math.Abs(d)
}

func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for i := range 10000 {
		x := []float64{-1400*r.Float64() + 700, 2*r.Float64() - 1, math.Ldexp(r.Float64()-0.5, -r.IntN(60))}[i%3]
		want := bigExp(x)
		got := Exp(x)
		f, _ := want.Float64()
		worst = max(worst, off(got, want)/ulp(f))
	}
	t.Logf("largest error: %.3f units", worst)
	if worst > 1.3 {
		t.Errorf("largest error: %.3f units in the last place, want at most 1.3", worst)
	}
	for _, x := range []float64{-708.5, -720, -744.9, -745.1, 709.7, 709.78} {
		f, _ := bigExp(x).Float64()
		if e := off(Exp(x), bigExp(x)) / ulp(f); e > 1.3 {
			t.Errorf("Exp(%v) = %v: off by %.3f units", x, Exp(x), e)
		}
	}
	for x, want := range map[float64]float64{0: 1, math.Copysign(0, -1): 1, -746: 0, math.Inf(-1): 0, 709.79: math.Inf(1), math.Inf(1): math.Inf(1)} {
		if got := Exp(x); got != want {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
	if got := Exp(math.NaN()); got == got {
		t.Errorf("Exp(NaN) = %v", got)
	}
}

// The error of y = Log(x) is ln(eʸ/x), which is eʸ/x - 1 where both are close.
func TestLog(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	worst := 0.0
	for i := range 10000 {
		x := []float64{math.Ldexp(0.5+r.Float64()/2, r.IntN(2000)-1000), 0.5 + r.Float64(), 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(50)), 5e-324 * float64(1+r.IntN(1000))}[i%4]
		y := Log(x)
		if x == 1 {
			continue
		}
		e, _ := sub(quo(bigExp(y), exactly(x)), exactly(1)).Float64()
		worst = max(worst, math.Abs(e)/ulp(y))
	}
	t.Logf("largest error: %.3f units", worst)
	if worst > 1 {
		t.Errorf("largest error: %.3f units in the last place, want at most 1", worst)
	}
	for x, want := range map[float64]float64{1: 0, 0: math.Inf(-1), math.Inf(1): math.Inf(1)} {
		if got := Log(x); got != want {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-1, math.Inf(-1), math.NaN()} {
		if got := Log(x); got == got {
			t.Errorf("Log(%v) = %v, want NaN", x, got)
		}
	}
}

func TestAngles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var sin, cos, atan float64
	for i := range 5000 {
		x := 20*r.Float64() - 10
		if i%3 == 0 {
			x = math.Round(x) * math.Pi / 4
		}
		sin, cos = max(sin, off(Sin(x), bigSin(x))), max(cos, off(Cos(x), bigCos(x)))
		// The point (u, v) lies sin(a)·u - cos(a)·v beside the ray of angle a.
		u, v := 2*r.Float64()-1, 2*r.Float64()-1
		a := Atan2(v, u)
		beside, _ := sub(mul(bigSin(a), exactly(u)), mul(bigCos(a), exactly(v))).Float64()
		atan = max(atan, math.Abs(beside)/math.Hypot(u, v))
	}
	t.Logf("largest errors: %.3g %.3g %.3g", sin, cos, atan)
	if sin > 0x1p-52 || cos > 0x1p-52 || atan > 0x1p-51 {
		t.Errorf("largest errors of sin, cos, atan2: %.3g, %.3g, %.3g", sin, cos, atan)
	}
	for _, c := range [][3]float64{{0, 0, 0}, {0, 1, 0}, {0, -1, math.Pi}, {1, 0, math.Pi / 2}, {-1, 0, -math.Pi / 2}, {-2, 2, -math.Pi / 4}, {3, -3, 3 * math.Pi / 4}} {
		if got := Atan2(c[0], c[1]); got != c[2] {
			t.Errorf("Atan2(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
	// By bc -l: s(100000).
	if got := Sin(1e5); math.Abs(got-0.0357487979720165) > 1e-15 {
		t.Errorf("Sin(1e5) = %v", got)
	}
}

func TestPow(t *testing.T) {
	for _, c := range [][3]float64{{2, 10, 1024}, {0.25, 0.5, 0.5}, {0, 2.4, 0}, {1, 7, 1}, {27, 1. / 3, 3}} {
		bound := (2 + 2*math.Abs(c[1]*math.Log(max(c[0], 1e-300)))) * 0x1p-52
		if got := Pow(c[0], c[1]); math.Abs(got-c[2]) > bound*c[2] {
			t.Errorf("Pow(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if got := Hypot(3, -4); got != 5 {
		t.Errorf("Hypot(3, -4) = %v, want 5", got)
	}
}

// By hand: 1·1 + 2·2 + ... + 7·7 = 140, past a block of four.
func TestDot(t *testing.T) {
	ramp := []float64{1, 2, 3, 4, 5, 6, 7}
	if got := Dot(ramp, ramp); got != 140 {
		t.Errorf("got %v, want 140", got)
	}
}

// By hand: A = L Lᵀ of L = (2 0 0; 1 3 0; -1 2 1) is (4 2 -2; 2 10 5; -2 5 6), with determinant 36.
func TestCholeskyByHand(t *testing.T) {
	a := []float64{4, 2, -2, 2, 10, 5, -2, 5, 6}
	c, ok := Factor(a, 3)
	if !ok {
		t.Fatal("not positive definite")
	}
	for i, row := range [][]float64{{2}, {1, 3}, {-1, 2, 1}} {
		for j, want := range row {
			if got := c.l[3*i+j]; got != want {
				t.Errorf("L[%d,%d] = %v, want %v", i, j, got, want)
			}
		}
	}
	// A (1, 2, 3)ᵀ = (2, 37, 26)ᵀ, and A (0, 1, -1)ᵀ = (4, 5, -1)ᵀ.
	b := []float64{2, 4, 37, 5, 26, -1}
	c.Solve(b, 2)
	for i, want := range []float64{1, 0, 2, 1, 3, -1} {
		if math.Abs(b[i]-want) > 1e-14 {
			t.Errorf("solution %d is %v, want %v", i, b[i], want)
		}
	}
	// The adjugate over 36.
	for i, want := range []float64{35, -22, 30, -22, 20, -24, 30, -24, 36} {
		if got := c.Inverse()[i]; math.Abs(got-want/36) > 1e-14 {
			t.Errorf("element %d of the inverse is %v, want %v", i, got, want/36)
		}
	}
	if got := Norm(a, 3, 3); got != 17 {
		t.Errorf("norm %v, want 2+10+5 = 17", got)
	}
	// The largest row of the inverse is the last: (30+24+36)/36.
	if got := c.InverseNorm(); math.Abs(got-2.5) > 1e-14 {
		t.Errorf("norm of the inverse %v, want 2.5", got)
	}
	for name, bad := range map[string][]float64{"negative": {1, 2, 2, 1}, "not a number": {math.NaN(), 0, 0, 1}, "infinite": {math.Inf(1), 0, 0, 1}} {
		if _, ok := Factor(bad, 2); ok {
			t.Errorf("%s: factored", name)
		}
	}
}

// A random matrix times its inverse is the identity.
func TestInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const n = 37
	x, a := make([]float64, n*n), make([]float64, n*n)
	for i := range x {
		x[i] = r.Float64() - 0.5
	}
	for i := range n {
		for j := range n {
			a[i*n+j] = Dot(x[i*n:(i+1)*n], x[j*n:(j+1)*n])
		}
		a[i*n+i] += 0.5
	}
	c, ok := Factor(a, n)
	if !ok {
		t.Fatal("not positive definite")
	}
	inverse := c.Inverse()
	if got, want := c.InverseNorm(), Norm(inverse, n, n); !(got <= want*(1+1e-12) && got >= want/3) {
		t.Errorf("norm of the inverse %v, want a little below %v", got, want)
	}
	for i := range n {
		for j := range n {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := Dot(a[i*n:(i+1)*n], inverse[j*n:(j+1)*n]); math.Abs(got-want) > 1e-12 {
				t.Fatalf("element (%d, %d) of the product is %v, want %v", i, j, got, want)
			}
		}
	}
}

func BenchmarkExp(b *testing.B) {
	for i := range b.N {
		sink = Exp(float64(i&1023) / 100)
	}
}

func BenchmarkLog(b *testing.B) {
	for i := range b.N {
		sink = Log(float64(i&1023) + 0.1)
	}
}

var sink float64
