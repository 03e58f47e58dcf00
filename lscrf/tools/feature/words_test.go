package feature

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The nearest word is the one that looking at every distance finds, for any number of words; kernels give
// equal bits.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1, 5, 64, 65, 200} {
		for _, dim := range []int{1, 3, 128} {
			words := noise(rng, n*dim)
			tab := newTable(words, dim)
			for range 20 {
				x := noise(rng, dim)
				want, least := 0, math.Inf(1)
				for i := range n {
					d := 0.0
					for j, v := range x {
						d += math.Pow(float64(v-words[i*dim+j]), 2)
					}
					if d < least {
						want, least = i, d
					}
				}
				if got, score := tab.nearest(x); got != want || math.Abs(square(x)-2*float64(score)-least) > 1e-4*square(x)+1e-3 {
					t.Fatalf("%d words of %d: got %d at %g, want %d at %g", n, dim, got, square(x)-2*float64(score), want, least)
				}
			}
			var a, b [block]float32
			copy(a[:], tab.bias)
			b = a
			x := noise(rng, dim)
			scoreGeneric(&a, tab.cells, x)
			scoreBlock(&b, tab.cells, x)
			if a != b {
				t.Fatalf("%d words of %d: kernels differ", n, dim)
			}
		}
	}
}

// The first of equal words wins.
func TestNearestTie(t *testing.T) {
	if w, _ := newTable([]float32{9, 2, 4, 2}, 1).nearest([]float32{3}); w != 1 {
		t.Errorf("got word %d, want 1", w)
	}
}

// Four clumps of three points far apart have their means as centers; equal seeds give equal centers.
func TestKMeans(t *testing.T) {
	x := []float32{
		0, 0, 0, 3, 3, 0, // mean (1, 1)
		100, 0, 103, 0, 100, 3, // (101, 1)
		0, 100, 3, 100, 0, 103, // (1, 101)
		200, 200, 203, 200, 200, 203, // (201, 201)
	}
	want := [][2]float32{{1, 1}, {1, 101}, {101, 1}, {201, 201}}
	for s := range uint64(20) {
		c := kmeans(x, 2, 4, 20, rand.New(rand.NewPCG(s, 1)))
		if again := kmeans(x, 2, 4, 20, rand.New(rand.NewPCG(s, 1))); !slices.Equal(c, again) {
			t.Fatal("equal seeds, other centers")
		}
		var got [][2]float32
		for i := 0; i < len(c); i += 2 {
			got = append(got, [2]float32{c[i], c[i+1]})
		}
		slices.SortFunc(got, func(a, b [2]float32) int { return slices.Compare(a[:], b[:]) })
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", s, got, want)
		}
	}
}

// With fewer different vectors than centers every vector is a center.
func TestKMeansFew(t *testing.T) {
	c := kmeans([]float32{5, 7, 5, 7}, 1, 4, 10, rand.New(rand.NewPCG(1, 1)))
	if len(c) != 4 || !slices.Contains(c, 5) || !slices.Contains(c, 7) {
		t.Errorf("got %v, want 5 and 7 among four", c)
	}
}
