package arith

import "math"

// ln 2 / 64 in two parts; products of the first with integers below 2²¹ are exact.
const (
	perStep = 0x1.71547652b82fep+6 // 64 / ln 2
	stepHi  = 0x1.62e42feep-7
	stepLo  = 0x1.a39ef35793c76p-39
)

// toInteger is what, added to a number below 2⁵¹, leaves the nearest integer in the low bits.
const toInteger = 3 << 51

// Exp returns eˣ with an error below 1.3 units in the last place (1 in numbers below 2⁻¹⁰²², of
// which less is left). It is 0 below -745.2, +Inf above 709.8, and NaN for NaN.
//
// With n = round(64x/ln 2) it is 2^(n/64) e^r with |r| ≤ ln 2/128: the first from a table, the
// second by its series, whose sixth term is below 2⁻⁵⁴.
func Exp(x float64) float64 {
	switch {
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	case x != x:
		return x
	}
	shifted := float64(x*perStep) + toInteger
	n := int(int32(math.Float64bits(shifted)))
	f := shifted - toInteger
	r := x - float64(f*stepHi) - float64(f*stepLo)
	p := r + float64(r*r*(0.5+float64(r*(1.0/6+float64(r*(1.0/24+float64(r*(1.0/120))))))))
	t := powers[n&63]
	t += float64(t * p)
	if n >>= 6; n > -1022 && n < 1024 {
		return t * math.Float64frombits(uint64(n+1023)<<52)
	}
	return math.Ldexp(t, n)
}

// powers[j] is 2^(j/64), rounded to nearest.
var powers = [64]float64{
	0x1p0, 0x1.02c9a3e778061p0, 0x1.059b0d3158574p0, 0x1.0874518759bc8p0,
	0x1.0b5586cf9890fp0, 0x1.0e3ec32d3d1a2p0, 0x1.11301d0125b51p0, 0x1.1429aaea92dep0,
	0x1.172b83c7d517bp0, 0x1.1a35beb6fcb75p0, 0x1.1d4873168b9aap0, 0x1.2063b88628cd6p0,
	0x1.2387a6e756238p0, 0x1.26b4565e27cddp0, 0x1.29e9df51fdee1p0, 0x1.2d285a6e4030bp0,
	0x1.306fe0a31b715p0, 0x1.33c08b26416ffp0, 0x1.371a7373aa9cbp0, 0x1.3a7db34e59ff7p0,
	0x1.3dea64c123422p0, 0x1.4160a21f72e2ap0, 0x1.44e086061892dp0, 0x1.486a2b5c13cdp0,
	0x1.4bfdad5362a27p0, 0x1.4f9b2769d2ca7p0, 0x1.5342b569d4f82p0, 0x1.56f4736b527dap0,
	0x1.5ab07dd485429p0, 0x1.5e76f15ad2148p0, 0x1.6247eb03a5585p0, 0x1.6623882552225p0,
	0x1.6a09e667f3bcdp0, 0x1.6dfb23c651a2fp0, 0x1.71f75e8ec5f74p0, 0x1.75feb564267c9p0,
	0x1.7a11473eb0187p0, 0x1.7e2f336cf4e62p0, 0x1.82589994cce13p0, 0x1.868d99b4492edp0,
	0x1.8ace5422aa0dbp0, 0x1.8f1ae99157736p0, 0x1.93737b0cdc5e5p0, 0x1.97d829fde4e5p0,
	0x1.9c49182a3f09p0, 0x1.a0c667b5de565p0, 0x1.a5503b23e255dp0, 0x1.a9e6b5579fdbfp0,
	0x1.ae89f995ad3adp0, 0x1.b33a2b84f15fbp0, 0x1.b7f76f2fb5e47p0, 0x1.bcc1e904bc1d2p0,
	0x1.c199bdd85529cp0, 0x1.c67f12e57d14bp0, 0x1.cb720dcef9069p0, 0x1.d072d4a07897cp0,
	0x1.d5818dcfba487p0, 0x1.da9e603db3285p0, 0x1.dfc97337b9b5fp0, 0x1.e502ee78b3ff6p0,
	0x1.ea4afa2a490dap0, 0x1.efa1bee615a27p0, 0x1.f50765b6e454p0, 0x1.fa7c1819e90d8p0,
}
