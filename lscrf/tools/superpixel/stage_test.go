package superpixel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/lscrf/internal/peer"
)

// gray returns planes with lightness l and no colour.
func gray(w int, l ...float32) *planes {
	return &planes{l, make([]float32, len(l)), make([]float32, len(l)), w, len(l) / w}
}

func TestKernelsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	plane := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.IntN(64)) / 4
			if rng.IntN(2) == 0 {
				v[i] = 100 * rng.Float32()
			}
		}
		return v
	}
	for range 300 {
		cols, rows := 1+rng.IntN(40), 1+rng.IntN(5)
		stride := cols + rng.IntN(5)
		n := stride*rows + 8
		l, a, b, best := plane(n), plane(n), plane(n), plane(n)
		labels := make([]int32, n)
		mean := &center{l: l[0], a: a[1], b: 3}
		across, down := plane(cols), plane(rows)
		best2, labels2 := slices.Clone(best), slices.Clone(labels)
		assignGeneric(best, labels, l, a, b, stride, across, down, mean, 7)
		assign(best2, labels2, l, a, b, stride, across, down, mean, 7)
		if !slices.Equal(best, best2) || !slices.Equal(labels, labels2) {
			t.Fatalf("%d x %d: kernels differ", rows, cols)
		}
	}
}

// One pixel of the window: d = 3*3 + 4*4 + 0 + 0.5 + 0.25 = 25.75 beats 26 but not 25.75.
func TestAssign(t *testing.T) {
	for _, c := range []struct {
		best float32
		want int32
	}{{26, 9}, {25.75, 1}} {
		best, labels := []float32{c.best}, []int32{1}
		assign(best, labels, []float32{5}, []float32{-1}, []float32{2}, 1, []float32{0.5}, []float32{0.25}, &center{l: 2, a: 3, b: 2}, 9)
		if labels[0] != c.want || best[0] != 25.75 {
			t.Errorf("best %g: got label %d at %g, want %d at 25.75", c.best, labels[0], best[0], c.want)
		}
	}
}

// Three regions in a row, two pixels each: lightness 0, 10, 30. Uniting the first two costs 10*10*2*2/4 = 100, the last two
// 20*20*2*2/4 = 400; after the first union the other costs 25*25*4*2/6 = 833.33.
func TestWard(t *testing.T) {
	labels := []int32{0, 0, 1, 1, 2, 2}
	p := gray(6, 0, 0, 10, 10, 30, 30)
	r := newRegions(p, labels, 3, 0)
	for _, c := range []struct {
		i, j int32
		want float64
	}{{0, 1, 100}, {1, 2, 400}} {
		if got := r.cost(c.i, c.j); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("cost(%d, %d) = %g, want %g", c.i, c.j, got, c.want)
		}
	}
	r.mergeTo(2)
	if got := r.cost(0, 2); math.Abs(got-2500.0/3) > 1e-9 {
		t.Errorf("cost of the union = %g, want 833.33", got)
	}
	sums := r.relabel(labels)
	if !slices.Equal(labels, []int32{0, 0, 0, 0, 1, 1}) || len(sums) != 2 || sums[0].n != 4 || sums[0].l != 20 {
		t.Errorf("labels %v, sums %v", labels, sums)
	}
	// Place counts too: the centers of regions 0 and 1 are 2 px apart, so 0.5*4 joins 100 per pixel.
	if got := newRegions(p, []int32{0, 0, 1, 1, 2, 2}, 3, 0.5).cost(0, 1); math.Abs(got-102) > 1e-9 {
		t.Errorf("cost with place = %g, want 102", got)
	}
}

// Merging is what trying all pairs of neighbours every time gives.
func TestMergeToIsGreedy(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 50 {
		w, h := 2+rng.IntN(8), 2+rng.IntN(8)
		l := make([]float32, w*h)
		labels := make([]int32, w*h)
		for i := range l {
			l[i] = float32(rng.IntN(1000))
			labels[i] = int32(rng.IntN(5))
		}
		p := gray(w, l...)
		n := Components(labels, w, h)
		count := 1 + rng.IntN(n)
		fast, slow := newRegions(p, labels, n, 0.1), newRegions(p, labels, n, 0.1)
		fast.mergeTo(count)
		for slow.alive > count {
			bi, bj, best := int32(-1), int32(-1), math.Inf(1)
			for i := range int32(n) {
				if slow.parent[i] == i {
					for _, j := range slices.Clone(slow.around(i)) {
						if i < j && (slow.cost(i, j) < best || slow.cost(i, j) == best && (i < bi || i == bi && j < bj)) {
							bi, bj, best = i, j, slow.cost(i, j)
						}
					}
				}
			}
			slow.merge(bi, bj)
		}
		a, b := slices.Clone(labels), slices.Clone(labels)
		fast.relabel(a)
		slow.relabel(b)
		if !slices.Equal(a, b) {
			t.Fatalf("%d x %d to %d: got %v, want %v", h, w, count, a, b)
		}
	}
}

// The single pixel of lightness 50 joins the region that is more like it, not the one before it; at least 1
// nothing happens.
func TestAbsorb(t *testing.T) {
	for least, want := range map[int][]int32{1: {0, 0, 1, 2, 2}, 2: {0, 0, 1, 1, 1}, 3: {0, 0, 0, 0, 0}} {
		labels := []int32{0, 0, 1, 2, 2}
		r := newRegions(gray(5, 0, 0, 50, 60, 60), labels, 3, 0)
		r.absorb(least)
		r.relabel(labels)
		if !slices.Equal(labels, want) {
			t.Errorf("least %d: got %v, want %v", least, labels, want)
		}
	}
}

// Ring bits go clockwise from the upper left; direct neighbours are bits 1, 3, 5, 7.
func TestLoose(t *testing.T) {
	for _, c := range []struct {
		ring int
		want bool
		why  string
	}{
		{0, false, "its only pixel"},
		{1<<0 | 1<<2, false, "corners alone do not hold it"},
		{1 << 1, true, "the tip of a line"},
		{1<<1 | 1<<5, false, "the middle of a line"},
		{1<<1 | 1<<3, false, "a corner whose inner pixel is another's"},
		{1<<1 | 1<<2 | 1<<3, true, "a corner that holds together"},
		{1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5, true, "a straight border"},
		{255 &^ (1 << 1), true, "a notch's floor"},
		{255 &^ (1 << 0), true, "all but a corner: the rest still hangs together"},
		{255, true, "the inside"},
	} {
		if got := loose[c.ring]; got != c.want {
			t.Errorf("%08b (%s): got %v, want %v", c.ring, c.why, got, c.want)
		}
	}
	// Every ring, against counting the pieces in the 3 x 3 without its middle that hold a direct neighbour.
	place := []int{0, 1, 2, 5, 8, 7, 6, 3}
	for ring := range 256 {
		var cells [9]int32
		for k, at := range place {
			cells[at] = int32(ring >> k & 1)
		}
		cells[4] = 2
		comp := flood(cells[:], 3)
		pieces := map[int32]bool{}
		for _, at := range []int{1, 3, 5, 7} {
			if cells[at] == 1 {
				pieces[comp[at]] = true
			}
		}
		if got, want := loose[ring], len(pieces) == 1; got != want {
			t.Errorf("%08b: got %v, want %v", ring, got, want)
		}
	}
}

// A 4 x 2 picture, left half 0, right half 100, and the border one column too far to the left. The means are 0 and 200/3 =
// 66.7; the pixels of column 1 are 0 from the left mean and 66.7 squared from the right one, so both move.
func TestSweep(t *testing.T) {
	labels, _, _ := parse("0111", "0111")
	p := gray(4, 0, 0, 100, 100, 0, 0, 100, 100)
	o := Defaults()
	o.sweeps = 1
	sums := make([]sum, 2)
	sumLabels(p, labels, sums)
	sweep(p, labels, sums, 0, o)
	if want, _, _ := parse("0011", "0011"); !slices.Equal(labels, want) {
		t.Errorf("got %v, want %v", labels, want)
	}
	if sums[0].n != 4 || sums[1].l != 400 || sums[0].x != 2 || sums[1].y != 2 {
		t.Errorf("sums were not kept up: %+v", sums)
	}
	// The upper pixel has three neighbours in its own superpixel and two in the other: to move gains 4444 and costs one
	// neighbour, so at a price of 3000 it moves, at 5000 it stays.
	for smooth, moves := range map[float64]bool{3000: true, 5000: false} {
		labels, _, _ := parse("0111", "0111")
		o.smoothness = smooth
		sums := make([]sum, 2)
		sumLabels(p, labels, sums)
		sweep(p, labels, sums, 0, o)
		if got := labels[1] == 0; got != moves {
			t.Errorf("smoothness %g: moved %v, want %v", smooth, got, moves)
		}
	}
}

// Whole maps do not depend on the kernel.
func TestMapsAgree(t *testing.T) {
	img := peer.Scene(123, 77, 5)
	for _, o := range methods(60) {
		want := Segment(img, o)
		was := assign
		assign = assignGeneric
		got := Segment(img, o)
		assign = was
		if !slices.Equal(got.Labels, want.Labels) {
			t.Errorf("%s: the generic kernel gives another map", o.Method)
		}
	}
}
