package lscrf

import (
	"context"
	"time"

	"hdseg/lscrf/tools/regress"
)

// A softmaxFit is a logistic regression, over labels or over label pairs. Logistic models and piecewise training are both made
// of them and differ in their energy alone, so a trainer makes each once.
type softmaxFit struct {
	*regress.Linear
	report regress.Iterations
	spent  time.Duration
}

// softmax gives m the regressors of its terms and returns what making them took, now or for an earlier model.
func (t *Trainer) softmax(ctx context.Context, m *Trained, d *dataset, it regress.IterOptions) (spent time.Duration, err error) {
	o := &m.Options
	once := func(part, terms string, fit func() (*regress.Linear, regress.Iterations)) *Regressor {
		key := [3]string{m.Tiers.Key(), o.Balance, terms}
		f, ok := t.fits[key]
		if !ok {
			got, spent := t.once(ctx, part, m, d, func() fitted {
				l, report := fit()
				return fitted{[]*regress.Linear{l}, report}
			})
			f = softmaxFit{got.Fits[0], got.Report, spent}
			if ctx.Err() == nil { // else it was stopped
				t.fits[key] = f
			}
		}
		m.Iterations = append(m.Iterations, f.report)
		spent += f.spent
		return linear(f.Linear)
	}
	if t.fits == nil {
		t.fits = map[[3]string]softmaxFit{}
	}
	m.Model.Node = once("node", Unary, func() (*regress.Linear, regress.Iterations) { return regress.Logistic(&d.Data, o.Options, it) })
	if m.Terms == Pairwise && ctx.Err() == nil {
		m.Model.Edge = once("edge", Pairwise, func() (*regress.Linear, regress.Iterations) {
			return regress.PairLogistic(&d.Data, o.kind(), o.Options, it)
		})
	}
	return spent, ctx.Err()
}
