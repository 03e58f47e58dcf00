package demo

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// An rgb is a colour in sRGB, each channel 0..1 (out of range while light is added).
type rgb [3]float64

// hue makes a colour of 0xRRGGBB.
func hue(v uint32) rgb {
	return rgb{float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}
}

// mix returns a at t = 0 and b at t = 1.
func mix(a, b rgb, t float64) rgb {
	return rgb{a[0] + float64(t*(b[0]-a[0])), a[1] + float64(t*(b[1]-a[1])), a[2] + float64(t*(b[2]-a[2]))}
}

// times scales a colour's brightness.
func (c rgb) times(s float64) rgb { return rgb{c[0] * s, c[1] * s, c[2] * s} }

// jitter moves each channel by at most s/2 and all of them together by at most s.
func (c rgb) jitter(r *rand.Rand, s float64) rgb {
	all := float64(s * (float64(2*float64(r.Float64())) - 1))
	for i := range c {
		c[i] = min(max(c[i]+all+float64(s*(float64(r.Float64())-0.5)), 0.02), 0.99)
	}
	return c
}

// stream returns the random numbers of one thing to draw, independent of all others.
func stream(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// uniform returns a number in [low, high).
func uniform(r *rand.Rand, low, high float64) float64 { return low + float64((high-low)*r.Float64()) }

// chance is true with probability p.
func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

const lattice = 256 // side of the noise table; a power of two

// A noise is value noise: random numbers on an integer lattice, smoothly interpolated,
// that repeats after 256 units in both directions.
type noise struct{ table []float32 }

func newNoise(r *rand.Rand) *noise {
	t := make([]float32, lattice*lattice)
	for i := range t {
		t[i] = r.Float32()
	}
	return &noise{t}
}

// at returns the noise at (x, y), in [0, 1), mean 1/2.
func (n *noise) at(x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	u, v := x-fx, y-fy
	u, v = u*u*(3-float64(2*u)), v*v*(3-float64(2*v))
	x0, y0 := int(fx)&(lattice-1), int(fy)&(lattice-1)
	x1, y1 := (x0+1)&(lattice-1), (y0+1)&(lattice-1)
	a, b := float64(n.table[y0*lattice+x0]), float64(n.table[y0*lattice+x1])
	c, d := float64(n.table[y1*lattice+x0]), float64(n.table[y1*lattice+x1])
	top, bottom := a+float64(u*(b-a)), c+float64(u*(d-c))
	return top + float64(v*(bottom-top))
}

// fractal sums octaves of noise, each of twice the frequency and half the height of the
// one before; in [0, 1), mean 1/2.
func (n *noise) fractal(x, y float64, octaves int) float64 {
	sum, weight, total := 0.0, 1.0, 0.0
	for range octaves {
		sum += float64(weight * n.at(x, y))
		total += weight
		x, y, weight = float64(2*x)+17.3, float64(2*y)+41.7, weight/2
	}
	return sum / total
}

// smooth is 0 below low, 1 above high and a smooth step between.
func smooth(low, high, x float64) float64 {
	t := min(max((x-low)/(high-low), 0), 1)
	return float64(t * t * (3 - float64(2*t)))
}
