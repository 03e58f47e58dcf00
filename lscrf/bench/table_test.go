package bench

import (
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
)

func TestWhatIsNamedTwiceIsTrainedOnce(t *testing.T) {
	o := Defaults()
	o.Tiers, o.Models, o.Balances = []string{"manual", "manual,bbox", "manual"}, []string{lscrf.Linear, lscrf.Linear, lscrf.Trees}, []string{"paper", "none", "paper"}
	// two mixes by two terms: linear and trees under the first balance, linear alone under the other
	if got := o.Specs(); len(got) != 2*2*2+2*2 {
		t.Errorf("got %d rows, want 12: %v", len(got), got)
	}
}

// One test image has scores, but tells nothing of how others would be.
func TestOneImageHasNoInterval(t *testing.T) {
	for n := 1; n <= 2; n++ {
		s := &Score{Labels: 2}
		for range n {
			c := metric.NewConfusion(2)
			c.N[0], c.N[4] = 3, 5
			s.Images, s.Boundary, s.ImageMS = append(s.Images, c), append(s.Boundary, metric.Of(1)), append(s.ImageMS, 1)
		}
		r := rowOf(s, metric.Times(50), 1)
		if !r.PerClassPooled.OK || r.PerClassPooledCI[0].OK != (n > 1) || r.IoUMeanCI[1].OK != (n > 1) || r.PredictMSCI[0].OK != (n > 1) {
			t.Errorf("%d images: got %v with %v", n, r.PerClassPooled, r.PerClassPooledCI)
		}
	}
}
