package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
)

func TestReach(t *testing.T) {
	c := Curve{Points: []Point{{Images: 10, Mean: metric.Of(60)}, {Images: 40, Mean: metric.Of(70)}, {Images: 80, Mean: metric.Of(68)}, {Images: 160, Mean: metric.Of(72)}}}
	for _, want := range []struct {
		accuracy, images float64
		bound            string
	}{
		{55, 10, "below"},
		{60, 10, ""},
		{65, 20, ""}, // halfway from 10 to 40 by logarithm
		{70, 40, ""},
		{71, 80 * math.Pow(2, 0.75), ""}, // three quarters of the way from 68 to 72
		{73, 160, "above"},
	} {
		if n, bound := c.reach(want.accuracy); math.Abs(n-want.images) > 1e-9 || bound != want.bound {
			t.Errorf("%v: got %v %q, want %v %q", want.accuracy, n, bound, want.images, want.bound)
		}
	}
}

// The interval of a rate: none of its own where all images and draws are alike; where a tier's curve ends just above or
// below manual images, by chance, more than all of its images may be needed.
func TestRatesHaveIntervals(t *testing.T) {
	point := func(n int, draws ...[]*metric.Confusion) Point {
		p := Point{Images: n, counts: draws}
		for _, d := range draws {
			p.Draws = append(p.Draws, accuracy(d))
		}
		p.Mean, _ = metric.Mean(p.Draws)
		return p
	}
	same := func(n int64) []*metric.Confusion { return counts(n, n, n, n) }
	curves := []Curve{
		{Tier: manifests.Manual, Points: []Point{point(8, same(60), same(60)), point(16, same(70))}},
		{Tier: manifests.BBox, Points: []Point{point(8, same(50), same(50)), point(32, same(70), same(70)), point(33, counts(75, 77, 75, 77))}},
		{Tier: manifests.Label, Points: []Point{point(8, same(55), same(65)), point(64, counts(50, 72, 72, 90))}},
	}
	got := exchange(curves, metric.Times(500), rand.New(rand.NewPCG(1, 1)))
	if len(got) != 4 {
		t.Fatalf("got %d rates, want 4", len(got))
	}
	// bbox: 60 lies halfway from 50 to 70, at 16 images; 70 is reached at 32. Nothing varies below 32 images.
	for i, want := range []float64{2, 2} {
		e := got[i]
		if math.Abs(e.Rate.V-want) > 1e-9 || e.CI[0] != e.Rate || e.CI[1] != e.Rate {
			t.Errorf("bbox for %d manual images: got %v %v, want %v without an interval", e.Manual, e.Rate, e.CI, want)
		}
	}
	// label: draws of 8 reach 55 to 65, so 60 takes 8 or fewer images, or more; 71 on average is above 70, but not on all images.
	if e := got[2]; e.CI[0] != metric.Of(0) || !e.CI[1].OK || e.CI[1].V < 1 {
		t.Errorf("label for 8 manual images: got %v %v, want from 0 to above 1", e.Rate, e.CI)
	}
	if e := got[3]; e.Bound != "" || !e.CI[0].OK || e.CI[0].V > e.Rate.V || e.CI[1].OK {
		t.Errorf("label for 16 manual images: got %v %q %v, want an interval without a high end", e.Rate, e.Bound, e.CI)
	}
}

// counts are images of 200 pixels, of each label so many of 100 right.
func counts(right ...int64) []*metric.Confusion {
	var out []*metric.Confusion
	for _, n := range right {
		c := metric.NewConfusion(2)
		c.N[0], c.N[1], c.N[3], c.N[4] = n, 100-n, 100-n, n
		out = append(out, c)
	}
	return out
}
