package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBest compares with the best of all labelings of a few parts: labels that are rare or missing,
// parts that are all void.
func TestBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for range 500 {
		p := Parts{Labels: 2 + rng.IntN(2)}
		const n = 6
		for i := range n * p.Labels {
			p.N = append(p.N, int64(rng.IntN(4)*rng.IntN(5)))
			if i%p.Labels > 0 && rng.IntN(3) > 0 {
				p.N[i] /= 4
			}
		}
		var want Best
		y := make([]int, n)
		for {
			c := NewConfusion(p.Labels)
			for i, l := range y {
				for truth := range p.Labels {
					c.N[truth*(p.Labels+1)+l] += p.N[i*p.Labels+truth]
				}
			}
			iou := Value{}
			if p.Labels == 2 && c.Truth(1) > 0 {
				iou = FigureIoU(c)
			}
			for _, s := range []struct {
				best *Value
				got  Value
			}{{&want.PerClass, PerClassAccuracy(c)}, {&want.Pixel, PixelAccuracy(c)}, {&want.IoU, iou}} {
				if s.got.OK && (!s.best.OK || s.got.V > s.best.V) {
					*s.best = s.got
				}
			}
			i := 0
			for ; i < n && y[i] == p.Labels-1; i++ {
				y[i] = 0
			}
			if i == n {
				break
			}
			y[i]++
		}
		got := p.Best()
		for what, v := range map[string][2]Value{"per class": {got.PerClass, want.PerClass}, "pixel": {got.Pixel, want.Pixel}, "IoU": {got.IoU, want.IoU}} {
			if v[0].OK != v[1].OK || math.Abs(v[0].V-v[1].V) > 1e-12 {
				t.Fatalf("%s of %v: got %v, want %v", what, p, v[0], v[1])
			}
		}
	}
}

// TestBestIsNotTheMajority: of 90 ground and 10 figure pixels, a part of 6 and 4 is ground by
// majority, which finds 6 of 10 figure pixels and all ground: 80%. As figure it costs 6 of 90:
// (84/90 + 1)/2.
func TestBestIsNotTheMajority(t *testing.T) {
	p := Parts{Labels: 2, N: []int64{84, 0, 6, 4, 0, 6}}
	got := p.Best()
	if want := (84.0/90 + 1) / 2; math.Abs(got.PerClass.V-want) > 1e-12 || got.Pixel.V != 0.96 || got.IoU.V != 10.0/16 {
		t.Errorf("got %+v, want %v, 0.96 and 0.625", got, want)
	}
}
