package bench

import (
	"strings"
	"testing"

	"hdseg/lscrf"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

func TestWhatIsNamedTwiceIsTrainedOnce(t *testing.T) {
	o := Defaults()
	o.Tiers, o.Models, o.Balances = []string{"manual", "manual,bbox", "manual"}, []string{lscrf.Linear, lscrf.Linear, lscrf.Trees}, []string{"paper", "none", "paper"}
	// two mixes by two terms: linear and trees under the first balance, linear alone under the other
	if got := o.Specs(); len(got) != 2*2*2+2*2 {
		t.Errorf("got %d rows, want 12: %v", len(got), got)
	}
}

// The default mixes lose the tiers that a data set does not have; mixes that were chosen stay.
func TestMixesOfADataSet(t *testing.T) {
	chosen := Defaults()
	chosen.Tiers = []string{"manual", "manual,bbox"}
	for _, c := range []struct {
		o     Options
		tiers []manifests.Tier
		want  string
	}{
		{Defaults(), []manifests.Tier{"manual", "label", "bbox"}, "manual manual,bbox manual,bbox,label bbox label"},
		{Defaults(), []manifests.Tier{"manual", "label"}, "manual manual,label label"},
		{Defaults(), []manifests.Tier{"manual", "external:x"}, "manual"},
		{Defaults(), []manifests.Tier{"bbox", "label"}, "bbox bbox,label label"},
		{Defaults(), nil, "manual manual,bbox manual,bbox,label bbox label"},
		{chosen, []manifests.Tier{"manual"}, "manual manual,bbox"},
	} {
		if got := strings.Join(c.o.For(c.tiers).Tiers, " "); got != c.want {
			t.Errorf("%v of %v: got %s, want %s", c.o.Tiers, c.tiers, got, c.want)
		}
	}
}

// One test image has scores, but tells nothing of how others would be.
func TestOneImageHasNoInterval(t *testing.T) {
	for n := 1; n <= 2; n++ {
		s := &Score{Labels: 2}
		for range n {
			c := metric.NewConfusion(2)
			c.N[0], c.N[4] = 3, 5
			s.Images, s.Boundary, s.ImageMS = append(s.Images, c), append(s.Boundary, metric.Of(1)), append(s.ImageMS, metric.Of(1))
		}
		r := rowOf(s, metric.Times(50), 1)
		if !r.PerClassPooled.OK || r.PerClassPooledCI[0].OK != (n > 1) || r.IoUMeanCI[1].OK != (n > 1) || r.PredictMSCI[0].OK != (n > 1) {
			t.Errorf("%d images: got %v with %v", n, r.PerClassPooled, r.PerClassPooledCI)
		}
	}
}
