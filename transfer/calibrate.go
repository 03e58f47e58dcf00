package transfer

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"hdseg/manifests"
)

// A grader predicts the IoU of a mask from what is known without the truth: a linear function of its signs, learned by ridge
// regression on leave-one-out transfers within the sources.
type grader struct {
	Weights []float64 // one per sign, then the constant; empty: the first sign is the prediction
}

// gradeFrom is the number of sources from which a grader is learned.
const gradeFrom = 20

// predict returns a value in [0.01, 1]; 0 would mean that nothing predicts.
func (g *grader) predict(signs []float64) float64 {
	v := signs[0]
	if len(g.Weights) > 0 {
		v = g.Weights[len(signs)]
		for i, s := range signs {
			v += g.Weights[i] * s
		}
	}
	return math.Round(1e4*min(max(v, 0.01), 1)) / 1e4
}

// fitGrader learns weights from signs (a row per mask) and true IoUs.
func fitGrader(signs [][]float64, truth []float64) *grader {
	if len(signs) < gradeFrom {
		return &grader{}
	}
	d := len(signs[0]) + 1
	const lambda = 1e-2 // per mask; signs are of the order of one
	a, b := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for i, s := range signs {
		row := append(append([]float64(nil), s...), 1)
		for j := range d {
			b.SetVec(j, b.AtVec(j)+row[j]*truth[i])
			for k := range j + 1 {
				a.SetSym(j, k, a.At(j, k)+row[j]*row[k])
			}
		}
	}
	for j := range d - 1 {
		a.SetSym(j, j, a.At(j, j)+lambda*float64(len(signs)))
	}
	var chol mat.Cholesky
	var w mat.VecDense
	if !chol.Factorize(a) || chol.SolveVecTo(&w, b) != nil {
		return &grader{} // signs that never vary
	}
	return &grader{Weights: w.RawVector().Data}
}

// calibrate transfers every source's own mask away and back: its picture is segmented without it, inside the windows of its
// mask, and the IoU with the mask is what the grader learns to predict.
func (l *learner) calibrate(ctx context.Context, a *assembly) (*grader, error) {
	type graded struct {
		signs []float64
		iou   float64
	}
	var signs [][]float64
	var truth []float64
	err := manifests.Each(ctx, l.workers, len(a.good), func(ctx context.Context, i int) (*graded, error) {
		s := a.good[i]
		im, mask, err := s.load(l.store)
		if err != nil {
			return nil, err
		}
		p := a.without(i).propose(im, sourceWindows(mask, l.tier, l.o), s.isSource)
		return &graded{p.signs, iou(confusion(mask, p.mask))}, nil
	}, func(i int, g *graded, err error) error {
		l.tick()
		if g != nil {
			signs, truth = append(signs, g.signs), append(truth, g.iou)
		}
		return err
	})
	return fitGrader(signs, truth), err
}
