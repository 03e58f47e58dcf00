package bench

import (
	"context"
	"errors"
	"fmt"

	"hdseg/lscrf"
)

// LeftOut says in a warning that a row of the table is left out, and why.
func LeftOut(s lscrf.Spec, why error) string { return fmt.Sprintf("%s is left out: %v", s.Name(), why) }

// Train trains every model whose mix has images and gives it to done. A model with too few images
// for the settings is left out, and left says why.
func Train(ctx context.Context, t *lscrf.Trainer, specs []lscrf.Spec, progress func(i int, s lscrf.Spec) func(done, total int),
	done func(lscrf.Spec, *lscrf.Trained) error) (left []string, err error) {
	for i, spec := range specs {
		if ok, err := t.Has(ctx, spec.Tiers); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		got, err := t.Train(ctx, spec, progress(i, spec))
		if few := new(lscrf.FewError); errors.As(err, &few) {
			left = append(left, LeftOut(spec, few))
			continue
		}
		if err == nil {
			err = done(spec, got)
		}
		if err != nil {
			return nil, err
		}
	}
	return left, nil
}

// CrossValidate measures models on training images. For every fold, each model is trained on the
// trainer's source without the groups of the images that the fold holds out, and predicts these
// images. images have true pixels; each must have a fold. Images of the source without a
// fold are trained on in every fold. Tree features are trained, and settings chosen, anew in every
// fold; the vocabulary of the feature set hdseg is taken as it is. It returns the models of t whose
// mix has images, with scores over all images in the order of SortByFold. A model with too few
// images in any fold is left out, and left says why.
func CrossValidate(ctx context.Context, t lscrf.Trainer, specs []lscrf.Spec, images []Scored, folds lscrf.Folds,
	progress func(done, total int)) (out []Measured, left []string, err error) {
	held := make([][]Scored, folds.Count())
	for _, im := range images {
		f, ok := folds[im.ID]
		if !ok {
			return nil, nil, fmt.Errorf("cross-validation: %s has no fold", im.ID)
		}
		held[f] = append(held[f], im)
	}
	for _, s := range specs {
		if ok, err := t.Has(ctx, s.Tiers); err != nil {
			return nil, nil, err
		} else if ok {
			out = append(out, Measured{Spec: s, Score: &Score{Labels: len(t.About.Labels)}})
		}
	}
	bar := &foldProgress{rows: len(out), folds: len(held), show: progress, loss: t.Loss}
	for f, part := range held {
		if len(part) == 0 {
			continue
		}
		src, err := lscrf.LeaveOut(t.Source, IDs(part), t.Groups)
		if err != nil {
			return nil, nil, err
		}
		inner := t.On(src)
		inner.Loss = bar.part
		var models []*lscrf.Model
		var kept []Measured
		for i, m := range out {
			got, err := inner.Train(ctx, m.Spec, bar.model(f*bar.rows+i))
			if few := new(lscrf.FewError); errors.As(err, &few) {
				left = append(left, LeftOut(m.Spec, fmt.Errorf("fold %d: %w", f, few)))
				continue
			}
			if err != nil {
				return nil, nil, fmt.Errorf("fold %d: %w", f, err)
			}
			models = append(models, got.Model)
			m.Images += got.Images
			m.TrainSeconds += got.Seconds
			if got.Choice != nil {
				m.Choices = append(m.Choices, FoldChoice{f, *got.Choice})
			}
			kept = append(kept, m)
		}
		out = kept
		scores, err := Evaluate(ctx, models, part, t.Workers, func(int, int) {})
		if err != nil {
			return nil, nil, err
		}
		for i, s := range scores {
			out[i].Score.append(s, f)
		}
	}
	for i := range out {
		out[i].Images /= len(held)
		out[i].TrainSeconds /= float64(len(held))
	}
	bar.end()
	return out, left, nil
}

// append adds the images of a fold.
func (s *Score) append(o *Score, fold int) {
	s.Images = append(s.Images, o.Images...)
	s.Boundary = append(s.Boundary, o.Boundary...)
	for range o.Images {
		s.Fold = append(s.Fold, fold)
	}
	s.ImageMS = append(s.ImageMS, o.ImageMS...)
	s.Unsolved += o.Unsolved
}

// A foldProgress shows one count of all models of all folds, each of which is trained in parts that
// count from 0.
type foldProgress struct {
	rows, folds int
	most        int // shown so far
	at          lscrf.Part
	show        func(done, total int)
	loss        func(lscrf.Part, float64)
}

// steps is the number of steps of one model.
const steps = 100

func (p *foldProgress) part(at lscrf.Part, loss float64) {
	if p.at = at; p.loss != nil {
		p.loss(at, loss)
	}
}

// model returns the progress of the i-th model.
func (p *foldProgress) model(i int) func(done, total int) {
	p.at = lscrf.Part{Index: 1, Of: 1}
	return func(done, of int) {
		share := steps*(p.at.Index-1)/p.at.Of + steps*min(done, of)/(p.at.Of*max(of, 1))
		p.most = max(p.most, steps*i+share)
		p.show(p.most, steps*p.rows*p.folds)
	}
}

func (p *foldProgress) end() { p.show(steps*p.rows*p.folds, steps*p.rows*p.folds) }
