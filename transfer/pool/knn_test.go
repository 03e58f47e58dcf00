package pool

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Queries of one call answer as each alone does.
func TestNearestOfManyIsThatOfEach(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	p := randomPool(r, 12)
	var queries []float32
	for range 35 { // two tiles and a part of one
		im, m := bar(r)
		queries = append(queries, p.Describe(im, Windows(m, 1)[0])...)
	}
	for q, want := range p.Nearest(queries, 5, nil) {
		if got := p.Nearest(queries[q*p.size:][:p.size], 5, nil)[0]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("query %d: got %v alone, %v among others", q, got, want)
		}
	}
}

// Equal distances keep the order of windows, and a full list loses its last.
func TestNearer(t *testing.T) {
	near := make([]Neighbor, 0, 3)
	for i, d := range []float32{5, 2, 5, 2, 9, 1} {
		near = nearer(near, Neighbor{i, d})
	}
	if got, want := fmt.Sprint(near), "[{5 1} {1 2} {3 2}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// BenchmarkNearest asks 20,000 windows for 30 neighbours, one query or 100 at a time.
func BenchmarkNearest(b *testing.B) {
	const n = 20000
	r := rand.New(rand.NewPCG(12, 12))
	p := New(Defaults())
	d := make([]float32, p.size)
	for i := range n {
		for j := range d {
			d[j] = r.Float32()
		}
		p.append(Window{ID: fmt.Sprint(i)}, d, nil)
	}
	for _, queries := range []int{1, 100} {
		b.Run(fmt.Sprintf("queries=%d", queries), func(b *testing.B) {
			for b.Loop() {
				p.Nearest(p.desc[:queries*p.size], 30, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*queries), "ns/query")
		})
	}
}
