package arith

import "math"

// π/2 in three parts; products of the first two with integers below 2²⁰ are exact.
const (
	rightHi  = 0x1.921fb544p+0
	rightMid = 0x1.0b4611a6p-34
	rightLo  = 0x1.3198a2e037073p-69
)

// Sin returns the sine of x radians, |x| ≤ 10⁵, with an error below 2⁻⁵² (about 1 unit in the last
// place of results above ½).
func Sin(x float64) float64 { return quarter(x, 0) }

// Cos returns the cosine of x radians, |x| ≤ 10⁵, with an error below 2⁻⁵².
func Cos(x float64) float64 { return quarter(x, 1) }

// quarter returns the sine of x + turns π/2: with n the nearest number of right angles it is, by
// n, the sine or cosine of what is left, |r| ≤ π/4, up to the sign. Their series have eight terms,
// which leave less than 2⁻⁵⁷.
func quarter(x float64, turns int) float64 {
	shifted := float64(x*(2/math.Pi)) + toInteger
	n := int(int32(math.Float64bits(shifted))) + turns
	f := shifted - toInteger
	r := x - float64(f*rightHi) - float64(f*rightMid) - float64(f*rightLo)
	z := float64(r * r)
	s := 0.0
	for k := 16; k >= 2; k -= 2 { // 1 - z/(1·2) (1 - z/(3·4) ...), for sines 1 - z/(2·3) (...)
		d := k * (k - 1)
		if n&1 == 0 {
			d = k * (k + 1)
		}
		s = float64((1 - s) * z / float64(d))
	}
	s = 1 - s
	if n&1 == 0 {
		s *= r
	}
	if n&2 != 0 {
		s = -s
	}
	return s
}

// Atan2 returns the angle of the point (x, y) to the x axis, -π..π, with an error below 2⁻⁵¹. It
// is 0 at (0, 0).
//
// The ratio t of the smaller coordinate to the larger is at most 1/8 away from c, one of 0, ¼, ½, ¾
// and 1, and atan t = atan c + atan u with u = (t-c)/(1+tc), whose series has ten terms.
func Atan2(y, x float64) float64 {
	small, large := math.Abs(y), math.Abs(x)
	steep := small > large
	if steep {
		small, large = large, small
	}
	if large == 0 {
		return 0
	}
	t := small / large
	j := int(float64(4*t) + 0.5)
	c := float64(float64(j) / 4)
	u := (t - c) / (1 + float64(t*c))
	z := float64(u * u)
	s := 0.0
	for k := 19; k >= 1; k -= 2 {
		s = 1/float64(k) - float64(z*s)
	}
	a := atanQuarters[j] + float64(u*s)
	if steep {
		a = math.Pi/2 - a
	}
	if x < 0 {
		a = math.Pi - a
	}
	return math.Copysign(a, y)
}

// atanQuarters[j] is atan(j/4), rounded to nearest.
var atanQuarters = [5]float64{0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1, 0x1.921fb54442d18p-1}
