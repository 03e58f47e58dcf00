package regress

import (
	"math"
	"testing"
)

func TestSampleRatesByHand(t *testing.T) {
	// 25% of 100 + 300 nodes is 100: 50 of each label.
	got := SampleRates(Nodes, 2, []int64{300, 100}, 0.25)
	if math.Abs(got[0]-1.0/6) > 1e-15 || got[1] != 0.5 {
		t.Errorf("rates %v, want 1/6 and 1/2", got)
	}
	// 10% of 1000 edges with 900 of equal labels: 45 each of 00 (800) and 11 (100), 5 each of 01 and 10 (50 each).
	got = SampleRates(Edges, 2, []int64{800, 50, 50, 100}, 0.1)
	for p, want := range []float64{45.0 / 800, 0.1, 0.1, 0.45} {
		if math.Abs(got[p]-want) > 1e-15 {
			t.Errorf("rates %v, want 0.05625 0.1 0.1 0.45", got)
		}
	}
	// A class that is too small is kept whole.
	if got := SampleRates(Nodes, 2, []int64{1000, 10}, 0.25); got[1] != 1 {
		t.Errorf("rates %v", got)
	}
}

// Sampled statistics have the wanted totals up to chance.
func TestSampleStatistics(t *testing.T) {
	const labels = 2
	ps := pictures(600, 150, 2, labels)
	rng := pcg(601)
	for _, kind := range []Kind{Nodes, Edges} {
		fraction := NodeFraction
		if kind == Edges {
			fraction = EdgeFraction
		}
		all := statsOf(t, kind, ps, 2, labels, false)
		rates := SampleRates(kind, labels, all.Rows(), fraction)
		s := newStats(kind, 2, labels)
		for _, p := range ps {
			w := SampleNodes(p.y, rates, rng)
			if kind == Edges {
				w = SampleEdges(p.edges, p.y, labels, rates, rng)
			}
			if err := s.AddImage(p.x, p.edges, p.y, w); err != nil {
				t.Fatal(err)
			}
		}
		for p, n := range s.Rows() {
			want := rates[p] * float64(all.Rows()[p])
			if math.Abs(float64(n)-want) > 5*math.Sqrt(2*want) {
				t.Errorf("%v: %d rows of output %d, want about %.0f", kind, n, p, want)
			}
		}
	}
}
