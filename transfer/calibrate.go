package transfer

import (
	"context"
	"math"
	"slices"

	"hdseg/manifests"
	"hdseg/manifests/arith"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A grader predicts the IoU of a mask from what is known without the truth: a linear function of
// its signs, learned by ridge regression on leave-one-out transfers within the sources.
type grader struct {
	Weights []float64 // one per sign, then the constant; empty: the first sign is the prediction
}

// gradeFrom is the number of sources from which a grader is learned.
const gradeFrom = 20

// leastQuality is the lowest predicted IoU, as 0 would mean that nothing predicts. Masks with a
// status have it: that of an empty one is 0, the rest have nothing in common with what the grader
// has seen; so people review them first and no threshold keeps them.
const leastQuality = 0.01

// valid tells whether a grader that was read is one of these signs.
func (g *grader) valid() bool { return len(g.Weights) == 0 || len(g.Weights) == signCount+1 }

// predict returns a value in [leastQuality, 1].
func (g *grader) predict(signs []float64) float64 {
	v := signs[0]
	if len(g.Weights) > 0 {
		v = g.Weights[len(signs)]
		for i, s := range signs {
			v += float64(g.Weights[i] * s)
		}
	}
	return math.Round(1e4*min(max(v, leastQuality), 1)) / 1e4
}

// fitGrader learns weights from signs (a row per mask) and true IoUs. A sign counts in its standard
// deviations.
func fitGrader(signs [][]float64, truth []float64) *grader {
	if len(signs) < gradeFrom {
		return &grader{}
	}
	const lambda = 0.3 // per mask; by cross-validation on VOC
	n, d := len(signs), len(signs[0])
	mean, sd := make([]float64, d), make([]float64, d)
	column := make([]float64, n)
	for j := range d {
		for i, s := range signs {
			column[i] = s[j]
		}
		mean[j], sd[j] = spread(column)
		sd[j] = max(sd[j], 1e-9) // of a sign that never varies
	}
	base, _ := spread(truth)
	a, w := make([]float64, d*d), make([]float64, d)
	for i, s := range signs {
		for j := range d {
			z := (s[j] - mean[j]) / sd[j]
			w[j] += float64(z * (truth[i] - base))
			for k := range j + 1 {
				a[j*d+k] += z * (s[k] - mean[k]) / sd[k]
			}
		}
	}
	for j := range d {
		a[j*d+j] += float64(lambda * float64(n))
	}
	chol, ok := arith.Factor(a, d)
	if !ok {
		return &grader{} // signs that are no numbers
	}
	chol.Solve(w, 1)
	g := &grader{Weights: make([]float64, d+1)}
	g.Weights[d] = base
	for j := range d {
		g.Weights[j] = w[j] / sd[j]
		g.Weights[d] -= float64(g.Weights[j] * mean[j])
	}
	return g
}

// spread returns the mean and the standard deviation of values, each of weight 1/len(v).
func spread(v []float64) (mean, deviation float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		deviation += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, math.Sqrt(deviation)
}

// bandPx is how far settled reaches: half of the band that annotators of VOC leave void along
// borders, and a bit.
const bandPx = 4

// settled returns a mask in which void pixels near the border have the label of most of the pixels
// around them. Masks are worst there: an IoU that leaves the border out is too high.
func settled(mask *raster.Mask) *raster.Mask {
	out := *mask
	for range bandPx {
		from := out.Pix
		out.Pix = slices.Clone(from)
		for i, v := range from {
			if v != raster.Void {
				continue
			}
			x, y, near := i%mask.Width, i/mask.Width, [2]int{}
			for ny := max(0, y-1); ny <= min(mask.Height-1, y+1); ny++ {
				for nx := max(0, x-1); nx <= min(mask.Width-1, x+1); nx++ {
					if n := from[ny*mask.Width+nx]; n != raster.Void {
						near[n]++
					}
				}
			}
			switch {
			case near[raster.Figure] > near[raster.Ground]:
				out.Pix[i] = raster.Figure
			case near[raster.Ground] > 0:
				out.Pix[i] = raster.Ground
			}
		}
	}
	return &out
}

// calibrate transfers every manual source's own mask away and back: its picture is segmented
// without it, inside the windows of its mask, and the IoU with the settled mask is what the grader
// learns to predict. A transferred mask is no truth to learn from.
func (l *learner) calibrate(ctx context.Context, a *assembly) (*grader, error) {
	type graded struct {
		signs []float64
		iou   float64
	}
	var signs [][]float64
	var truth []float64
	show := l.phase("learning how good masks are")
	err := manifests.Each(ctx, l.workers, len(a.good), func(ctx context.Context, i int) (*graded, error) {
		s := a.good[i]
		if s.mask.Transferred() {
			return nil, nil
		}
		defer load.Hold(s.record, raster.Segmenting)() // it is cut out as a picture without a mask is
		im, mask, err := s.load(l.store, l.o)
		if err != nil {
			return nil, err
		}
		e := a.without(s)
		p := e.propose(im.seenBy(e.head), sourceWindows(mask, l.tier, l.o), s.isSource)
		return &graded{p.signs, iou(confusion(settled(mask), p.mask))}, nil
	}, func(i int, g *graded, err error) error {
		show(i+1, len(a.good))
		if g != nil {
			signs, truth = append(signs, g.signs), append(truth, g.iou)
		}
		return err
	})
	return fitGrader(signs, truth), err
}
