package study

import (
	"math"
	"math/rand/v2"
	"slices"

	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/arith"
)

// An Exchange says how many images of a tier reach what some manual images reach.
type Exchange struct {
	Tier     manifests.Tier `json:"tier"`
	Manual   int            `json:"manual_images"` // manual images that are replaced
	Accuracy metric.Value   `json:"accuracy"`      // mean of that many manual images
	// of the tier; none if out of reach or below the curve
	Images metric.Value `json:"images"`
	Rate   metric.Value `json:"rate"` // of the tier per manual image
	// CI is the 95% bootstrap interval of Rate over test images and draws. It has no high end where
	// more than all images might be needed.
	CI [2]metric.Value `json:"ci"`
	// Bound is "" if the rate is known, else above or below the limit. It is above if all images of
	// the tier do not reach the accuracy, below if its first point exceeds it.
	Bound string  `json:"bound"`
	Limit float64 `json:"limit"` // the rate of these images
}

// exchange reads the rates off the mean curves, by interpolation over the logarithm of the number
// of images. Their intervals are of the same curves over resampled test images and draws; there are
// none if the resampling was stopped.
func exchange(curves []Curve, often metric.Resampling, rng *rand.Rand) []Exchange {
	out := rates(curves)
	if len(out) == 0 || len(curves[0].Points[0].counts) == 0 ||
		len(curves[0].Points[0].counts[0]) < 2 { // a single image tells nothing of others
		return out
	}
	drawn := make([][]float64, len(out))
	for range often.Samples {
		if often.Stop != nil && often.Stop() {
			return out
		}
		for i, e := range rates(resample(curves, rng)) {
			switch e.Bound {
			case "":
				drawn[i] = append(drawn[i], e.Rate.V)
			case "above":
				drawn[i] = append(drawn[i], math.Inf(1))
			default: // less than the curve's first point: anything from 0 on
				drawn[i] = append(drawn[i], 0)
			}
		}
	}
	for i := range out {
		slices.Sort(drawn[i])
		last := float64(len(drawn[i]) - 1)
		out[i].CI[0] = finite(drawn[i][int(0.025*last)])
		out[i].CI[1] = finite(drawn[i][int(math.Ceil(0.975*last))])
	}
	return out
}

func finite(v float64) metric.Value {
	if math.IsInf(v, 0) {
		return metric.Value{}
	}
	return metric.Of(v)
}

// resample returns the mean curves over test images and draws taken with replacement: the same
// images for all curves, whose models were measured on them.
func resample(curves []Curve, rng *rand.Rand) []Curve {
	images := make([]int, len(curves[0].Points[0].counts[0]))
	for i := range images {
		images[i] = rng.IntN(len(images))
	}
	out := make([]Curve, len(curves))
	for i, c := range curves {
		draws := make([]int, len(c.Points[0].counts))
		for d := range draws {
			draws[d] = rng.IntN(len(draws))
		}
		out[i].Tier = c.Tier
		for _, p := range c.Points {
			known := make([]metric.Value, len(p.counts))
			for d, counts := range p.counts {
				sum := metric.NewConfusion(2)
				for _, k := range images {
					sum.Merge(counts[k])
				}
				known[d] = metric.PerClassAccuracy(sum).Scale(100)
			}
			if len(known) == len(draws) { // the last point has one draw alone
				some := make([]metric.Value, len(draws))
				for d, k := range draws {
					some[d] = known[k]
				}
				known = some
			}
			q := Point{Images: p.Images}
			q.Mean, _ = metric.Mean(known)
			out[i].Points = append(out[i].Points, q)
		}
	}
	return out
}

// rates reads the rates off the mean curves.
func rates(curves []Curve) []Exchange {
	out := []Exchange{}
	if len(curves) == 0 || curves[0].Tier != manifests.Manual {
		return out
	}
	for _, c := range curves[1:] {
		for _, p := range curves[0].Points {
			e := Exchange{Tier: c.Tier, Manual: p.Images, Accuracy: p.Mean}
			n, bound := c.reach(p.Mean.V)
			if e.Bound = bound; bound == "" {
				e.Images, e.Rate = metric.Of(n), metric.Of(n/float64(p.Images))
			} else {
				e.Limit = n / float64(p.Images)
			}
			out = append(out, e)
		}
	}
	return out
}

// reach returns at how many images a curve first reaches an accuracy. Where it lies below the first
// point or above all points, bound says so, and the number is that of the curve's first or last
// point.
func (c Curve) reach(accuracy float64) (images float64, bound string) {
	for i, p := range c.Points {
		if p.Mean.V < accuracy {
			continue
		}
		if i == 0 {
			if p.Mean.V == accuracy {
				return float64(p.Images), ""
			}
			return float64(p.Images), "below"
		}
		q := c.Points[i-1]
		f := (accuracy - q.Mean.V) / (p.Mean.V - q.Mean.V)
		return arith.Exp(float64((1-f)*arith.Log(float64(q.Images))) + float64(f*arith.Log(float64(p.Images)))), ""
	}
	return float64(c.Points[len(c.Points)-1].Images), "above"
}
