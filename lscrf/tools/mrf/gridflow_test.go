package mrf

import (
	"math/rand/v2"
	"testing"
)

// gridCase is a random energy kept beside the grid that solves it.
type gridCase struct {
	w, h  int
	unary []int32
	pairs [][3]int32 // i, j, weight
}

func (c *gridCase) energy(y []uint8) (e int64) {
	for i, u := range c.unary {
		e += int64(u) * int64(y[i])
	}
	for _, p := range c.pairs {
		if y[p[0]] != y[p[1]] {
			e += int64(p[2])
		}
	}
	return e
}

func randomGrid(r *rand.Rand, w, h int, strength int32) (*gridCase, *Grid) {
	c, g := &gridCase{w: w, h: h, unary: make([]int32, w*h)}, NewGrid(w, h)
	for i := range c.unary {
		c.unary[i] = r.Int32N(41) - 20
		g.AddUnary(i, c.unary[i])
	}
	for y := range h {
		for x := range w {
			for _, n := range []struct {
				d      Direction
				dx, dy int
			}{{East, 1, 0}, {South, 0, 1}, {SouthEast, 1, 1}, {SouthWest, -1, 1}} {
				if x+n.dx < 0 || x+n.dx >= w || y+n.dy >= h {
					continue
				}
				i, wt := y*w+x, r.Int32N(strength)
				c.pairs = append(c.pairs, [3]int32{int32(i), int32(i + n.dy*w + n.dx), wt})
				g.SetPair(i, n.d, wt)
			}
		}
	}
	return c, g
}

func labels(g *Grid) []uint8 {
	y := make([]uint8, g.width*g.height)
	for i := range y {
		y[i] = g.Label(i)
	}
	return y
}

// Two pixels, u = (-3, 2), w = 4: (0,0) costs 0, (1,0) -3+4 = 1, (0,1) 2+4 = 6, (1,1) -1.
func TestGridTwoPixels(t *testing.T) {
	g := NewGrid(2, 1)
	g.AddUnary(0, -3)
	g.AddUnary(1, 2)
	g.SetPair(0, East, 4)
	g.Solve()
	if y := labels(g); y[0] != 1 || y[1] != 1 {
		t.Errorf("got %v, want [1 1]", y)
	}
	g.AddUnary(1, 2) // now (1,1) costs 1: a tie of (0,0) against nothing better
	g.Solve()
	if y := labels(g); y[0] != 0 || y[1] != 0 {
		t.Errorf("after the change: got %v, want [0 0]", y)
	}
}

func TestGridAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for range 300 {
		w, h := 1+r.IntN(4), 1+r.IntN(4)
		c, g := randomGrid(r, w, h, 1+r.Int32N(25))
		for range 3 { // the second and third rounds start from the flow of the one before
			g.Solve()
			best := int64(1 << 40)
			y := make([]uint8, w*h)
			for code := range 1 << (w * h) {
				for i := range y {
					y[i] = uint8(code >> i & 1)
				}
				best = min(best, c.energy(y))
			}
			if got := c.energy(labels(g)); got != best {
				t.Fatalf("%d x %d: got energy %d, want %d", w, h, got, best)
			}
			tried++
			for i := range c.unary {
				d := r.Int32N(21) - 10
				c.unary[i] += d
				g.AddUnary(i, d)
			}
		}
	}
	if tried == 0 {
		t.Fatal("no case ran")
	}
}

// A warm start and a fresh grid must agree, also on pictures too large for brute force and after Reset.
func TestGridWarmStart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	reused := NewGrid(1, 1)
	for range 5 {
		c, g := randomGrid(r, 37, 23, 12)
		g.Solve()
		for i := range c.unary {
			d := r.Int32N(31) - 15
			c.unary[i] += d
			g.AddUnary(i, d)
		}
		g.Solve()
		reused.Reset(c.w, c.h)
		for i, u := range c.unary {
			reused.AddUnary(i, u)
		}
		for _, p := range c.pairs {
			i, d := int(p[0]), East
			switch p[1] - p[0] {
			case int32(c.w):
				d = South
			case int32(c.w) + 1:
				d = SouthEast
			case int32(c.w) - 1:
				d = SouthWest
			}
			reused.SetPair(i, d, p[2])
		}
		reused.Solve()
		a, b := labels(g), labels(reused)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("pixel %d: warm %d, fresh %d (energies %d, %d)", i, a[i], b[i], c.energy(a), c.energy(b))
			}
		}
	}
}

func TestGridPanics(t *testing.T) {
	for name, f := range map[string]func(g *Grid){
		"east of the last column": func(g *Grid) { g.SetPair(2, East, 1) },
		"south of the last row":   func(g *Grid) { g.SetPair(3, South, 1) },
		"southwest of column 0":   func(g *Grid) { g.SetPair(0, SouthWest, 1) },
		"negative weight":         func(g *Grid) { g.SetPair(0, East, -1) },
		"pixel outside":           func(g *Grid) { g.AddUnary(6, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f(NewGrid(3, 2))
		}()
	}
}

func BenchmarkGrid(b *testing.B) {
	const w, h = 250, 188
	r := rand.New(rand.NewPCG(5, 6))
	b.ReportAllocs()
	g := NewGrid(w, h)
	for b.Loop() {
		b.StopTimer()
		_, fresh := randomGrid(r, w, h, 20)
		*g = *fresh
		b.StartTimer()
		g.Solve()
	}
	b.ReportMetric(float64(w*h)*float64(b.N)/b.Elapsed().Seconds(), "px/s")
}
