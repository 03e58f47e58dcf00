package demo

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestReachByHand(t *testing.T) {
	// A limb of radius 4 at (10, 20) and 2 at (30, 20), seen without perspective: z = 0.
	c := cone{vec{10, -20, 0}, vec{30, -20, 0}, 4, 2, trunk, 0}
	l := camera{scale: 1}.project([]cone{c})[0]
	for _, k := range []struct{ x, y, q, r float64 }{
		{20, 25, 5, 3}, // beside the middle: radius (4+2)/2
		{7, 16, 5, 4},  // before the first end: 3-4-5 triangle
		{33, 24, 5, 2}, // beyond the second
		{30, 20, 0, 2},
	} {
		q, r, _, _, _ := l.reach(k.x, k.y)
		if !near(q, k.q) || !near(r, k.r) {
			t.Errorf("(%v, %v): got distance %v, radius %v, want %v, %v", k.x, k.y, q, r, k.q, k.r)
		}
	}
	x0, y0, x1, y1 := bounds([]limb{l})
	if !near(x0, 6) || !near(y0, 16) || !near(x1, 32) || !near(y1, 24) {
		t.Errorf("bounds: got %v %v %v %v, want 6 16 32 24", x0, y0, x1, y1)
	}
}

func TestJoinByHand(t *testing.T) {
	for _, k := range []struct{ a, b, k, want float64 }{
		{1, 5, 2, 1},      // apart: the smaller
		{3, 3, 2, 2.5},    // equal: k/4 below
		{0, 1, 2, -0.125}, // h = 1: 1/8 below
		{1, 0, 2, -0.125}, // symmetric
		{-1, -1, 0, -1},   // a sharp join
		{2, math.Inf(1), 1, 2},
	} {
		if got := join(k.a, k.b, k.k); !near(got, k.want) {
			t.Errorf("join(%v, %v, %v): got %v, want %v", k.a, k.b, k.k, got, k.want)
		}
	}
}

func TestCameraByHand(t *testing.T) {
	side := camera{scale: 100, x: 50, y: 40}
	if p := side.point(vec{0.3, 0.2, 0}); !near(p.x, 80) || !near(p.y, 20) {
		t.Errorf("side view: got %v, want (80, 20)", p)
	}
	if p := (camera{yaw: math.Pi, scale: 100, x: 50, y: 40}).point(vec{0.3, 0.2, 0}); !near(p.x, 20) || !near(p.y, 20) {
		t.Errorf("turned round: got %v, want (20, 20)", p)
	}
	// A quarter turn shows the head (x = 0.5) from behind: -0.5 deep.
	if p := (camera{yaw: math.Pi / 2, scale: 100}).point(vec{0.5, 0, 0}); !near(p.x, 0) || !near(p.z, -50) {
		t.Errorf("from behind: got %v, want column 0 and depth -50", p)
	}
}

func TestNoise(t *testing.T) {
	n := newNoise(stream(5, "noise"))
	if got, want := n.at(3, 7), float64(n.table[7*lattice+3]); got != want {
		t.Errorf("at a lattice point: got %v, want the table's %v", got, want)
	}
	if a, b := n.at(-0.25, 2.5), n.at(255.75, 258.5); !near(a, b) {
		t.Errorf("period 256: got %v and %v", a, b)
	}
	sum := 0.0
	const count = 20000
	for i := range count {
		v := n.fractal(float64(i)*0.37, float64(i%173)*1.13, 3)
		if v < 0 || v >= 1 {
			t.Fatalf("fractal noise: got %v, want 0 to 1", v)
		}
		sum += v
	}
	if mean := sum / count; mean < 0.47 || mean > 0.53 {
		t.Errorf("mean of noise: got %v, want about 1/2", mean)
	}
	for x, want := range map[float64]float64{-1: 0, 2: 0, 3: 0.5, 4: 1, 9: 1} {
		if got := smooth(2, 4, x); got != want {
			t.Errorf("smooth(2, 4, %v): got %v, want %v", x, got, want)
		}
	}
}

func TestStreamsAreIndependent(t *testing.T) {
	a, b, again := stream(1, "voc/1"), stream(1, "voc/2"), stream(1, "voc/1")
	x := a.Uint64()
	if x == b.Uint64() || x != again.Uint64() || x == stream(2, "voc/1").Uint64() {
		t.Error("a stream is a function of seed and name, and of both")
	}
}
