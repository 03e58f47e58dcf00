package arith

import "math"

// ln 2 in two parts; products of the first with exponents are exact.
const (
	ln2Hi = 0x1.62e42feep-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// Log returns the natural logarithm with an error below 1 unit in the last place. It is -Inf of 0,
// +Inf of +Inf, and NaN of numbers below 0 and NaN.
//
// With x = 2ᵏ(1+f) and √½ ≤ 1+f < √2 it is k ln 2 + ln(1+f), and with s = f/(2+f)
//
//	ln(1+f) = 2 atanh s = f - (f²/2 - s (f²/2 + R)),   R = Σₙ 2 s²ⁿ/(2n+1), n ≥ 1
//
// where ten terms leave less than 2⁻⁵⁷. The order of the sum keeps the exact f apart.
func Log(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	m, exp := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, exp = 2*m, exp-1
	}
	f, k := m-1, float64(exp)
	s := f / (2 + f)
	z := float64(s * s)
	r := 0.0
	for n := 10; n >= 1; n-- {
		r = float64((r + atanhTerms[n]) * z)
	}
	half := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}

// atanhTerms[n] is 2/(2n+1).
var atanhTerms = [11]float64{2, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21}

// Pow returns xʸ for x ≥ 0 and y > 0 as e^(y ln x), with a relative error below (2 + 2|y ln x|)
// 2⁻⁵².
func Pow(x, y float64) float64 { return Exp(float64(y * Log(x))) }

// Hypot returns √(x²+y²) with an error below 1.5 units in the last place, for numbers whose squares
// neither overflow nor vanish.
func Hypot(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }
