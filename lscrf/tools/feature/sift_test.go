package feature

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// ramp returns a w x h picture with value fx*x + fy*y.
func ramp(w, h int, fx, fy float32) []float32 {
	g := make([]float32, w*h)
	for i := range g {
		g[i] = fx*float32(i%w) + fy*float32(i/w)
	}
	return g
}

func describe(gray []float32, w, h, x, y int, o Options) []float32 {
	out := make([]float32, 128)
	sift(out, 128, gray, w, h, []point{{x, y}}, o)
	return out
}

func plain(bin int) Options {
	o := Defaults()
	o.SIFTBin, o.SIFTSigma = bin, 0
	return o
}

// On a ramp every gradient is the same, so that bin (r, c) gets S(r)*S(c), where S is the sum of the
// window's weights. For bins of 2 px, with g(u) = exp(-u*u/8):
//
//	S(0) = S(3) = 0.5*g(2) + g(1.5) + 0.5*g(1) = 0.30327 + 0.75484 + 0.44125 = 1.49936
//	S(1) = S(2) = 0.5*g(1) + g(0.5) + 0.5*g(0) = 0.44125 + 0.96923 + 0.5     = 1.91048
//
// The norm is the sum of S*S, 2*(2.24808 + 3.64993) = 11.79602, so a corner is 2.24808/11.79602 = 0.19058, and the other
// bins, 0.24284 and 0.30942, are cut at 0.2. The L1 norm is then 4*0.19058 + 12*0.2 = 3.16232 and the L2 norm 0.790748:
//
//	B  corner 16*sqrt(0.19058/3.16232) = 3.9279   other 16*sqrt(0.2/3.16232) = 4.0238
//	A  corner 512*0.19058/0.790748 = 123.4        other 512*0.2/0.790748 = 129.5 (129.498)
func TestRamps(t *testing.T) {
	for _, c := range []struct {
		fx, fy float32
		at     int // the orientation that gets everything
	}{{2, 0, 0}, {1, 1, 1}, {0, 3, 2}, {-1, 1, 3}, {-2, 0, 4}, {-1, -1, 5}, {0, -1, 6}, {1, -1, 7}} {
		for rng, want := range map[string][2]float64{RangeB: {3.9279, 4.0238}, RangeA: {math.Sqrt(123), math.Sqrt(129)}} {
			o := plain(2)
			o.SIFTRange = rng
			// 14 wide, 11 high: asymmetric, and the window (9 x 9) with its gradients lies inside.
			got := describe(ramp(14, 11, c.fx, c.fy), 14, 11, 7, 5, o)
			for i, v := range got {
				w := 0.0
				if row, col := i/32, i/8%4; i%8 == c.at {
					w = want[1]
					if (row == 0 || row == 3) && (col == 0 || col == 3) {
						w = want[0]
					}
				}
				if math.Abs(float64(v)-w) > 0.02 { // the approximate angle leaves 1e-6 of a diagonal in the next bin: 16*sqrt(1e-6) = 0.016
					t.Fatalf("ramp (%g, %g) range %s entry %d: got %g, want %g", c.fx, c.fy, rng, i, v, w)
				}
			}
		}
	}
}

// Without any gradient the descriptor is zero.
func TestFlat(t *testing.T) {
	for i, v := range describe(ramp(5, 7, 0, 0), 5, 7, 2, 3, Defaults()) {
		if v != 0 {
			t.Fatalf("entry %d: got %g, want 0", i, v)
		}
	}
}

// reference is SIFT as the paper writes it, with angles from Atan2 and one pixel at a time in float64.
func reference(gray []float32, w, h, cx, cy, bin int) []float64 {
	at := func(x, y int) float64 { return float64(gray[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)]) }
	hist := make([]float64, 128)
	for dy := -3 * bin; dy <= 3*bin; dy++ {
		for dx := -3 * bin; dx <= 3*bin; dx++ {
			x, y := cx+dx, cy+dy
			gx, gy := at(x+1, y)-at(x-1, y), at(x, y+1)-at(x, y-1)
			a := math.Mod(math.Atan2(gy, gx)/(math.Pi/4)+8, 8)
			u, v := float64(dx)/float64(bin), float64(dy)/float64(bin)
			m := math.Hypot(gx, gy) * math.Exp(-(u*u+v*v)/8)
			for row := range 4 {
				for col := range 4 {
					for o := range 8 {
						d := math.Abs(a - float64(o))
						hat := func(d float64) float64 { return max(0, 1-math.Abs(d)) }
						hist[(4*row+col)*8+o] += m * hat(u+1.5-float64(col)) * hat(v+1.5-float64(row)) * hat(min(d, 8-d))
					}
				}
			}
		}
	}
	n := 0.0
	for _, v := range hist {
		n += v * v
	}
	sum := 0.0
	for i, v := range hist {
		hist[i] = min(v, 0.2*math.Sqrt(n))
		sum += hist[i]
	}
	for i, v := range hist {
		hist[i] = 16 * math.Sqrt(v/sum)
	}
	return hist
}

func noise(rng *rand.Rand, n int) []float32 {
	g := make([]float32, n)
	for i := range g {
		g[i] = float32(rng.IntN(256))
	}
	return g
}

// Against the reference, also where the window leaves the picture, and in pictures narrower than it.
func TestReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, size := range [][2]int{{40, 23}, {1, 9}, {9, 1}, {1, 1}, {3, 5}} {
		w, h := size[0], size[1]
		gray := noise(rng, w*h)
		for _, bin := range []int{2, 3, 4, 12} {
			for _, p := range []point{{0, 0}, {w - 1, h - 1}, {w / 2, h / 2}, {0, h - 1}} {
				want := reference(gray, w, h, p.x, p.y, bin)
				for i, v := range describe(gray, w, h, p.x, p.y, plain(bin)) {
					if !(math.Abs(float64(v)-want[i]) <= 0.02) && want[i] == want[i] {
						t.Fatalf("%d x %d, bin %d, (%d, %d), entry %d: got %g, want %g", h, w, bin, p.x, p.y, i, v, want[i])
					}
				}
			}
		}
	}
}

// Values stay in 0..16, and range B has L2 norm 16.
func TestRange(t *testing.T) {
	gray := noise(rand.New(rand.NewPCG(1, 2)), 50*40)
	for _, rng := range []string{RangeA, RangeB} {
		o := Defaults()
		o.SIFTRange = rng
		n := 0.0
		for _, v := range describe(gray, 50, 40, 20, 20, o) {
			if v < 0 || v > 16 {
				t.Fatalf("range %s: got %g, want 0 to 16", rng, v)
			}
			n += float64(v) * float64(v)
		}
		if rng == RangeB && math.Abs(math.Sqrt(n)-16) > 1e-4 {
			t.Fatalf("norm %g, want 16", math.Sqrt(n))
		}
	}
}

// The order of the points does not matter, nor who else is asked for: the field moves down the picture in
// bands, backwards never.
func TestManyPoints(t *testing.T) {
	const w, h = 60, 300
	rng := rand.New(rand.NewPCG(3, 4))
	gray := noise(rng, w*h)
	o := Defaults()
	o.SIFTBin = 4
	at := make([]point, 100)
	for i := range at {
		at[i] = point{rng.IntN(w), rng.IntN(h)}
	}
	out := make([]float32, 130*len(at))
	sift(out, 130, gray, w, h, at, o)
	for i, p := range at {
		if got, want := fmt.Sprint(out[130*i:130*i+128]), fmt.Sprint(describe(gray, w, h, p.x, p.y, o)); got != want {
			t.Fatalf("point %d: got %s, alone %s", i, got, want)
		}
	}
}
