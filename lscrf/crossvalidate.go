package lscrf

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// CrossValidate measures models on training images: for every fold, each model is trained on the
// images of the trainer's source that the fold does not hold and that are like none that it holds, and predicts those that it
// holds. images have true pixels; each must have a fold, and images of the source that have none are trained on
// in every fold. Features that were themselves learned from pictures, the vocabulary of the set
// hdseg, are taken as they are; tree features are trained anew in every fold. It returns the models
// of t whose mix has images, with scores over all images in the order of folds.Sort. Settings that training chooses are
// chosen anew in every fold, from the images trained on. A model with too few images in any fold is left out, and left says why.
func CrossValidate(ctx context.Context, t Trainer, specs []Spec, images []Scored, folds Folds, progress func(done, total int)) (out []Measured, left []string, err error) {
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
	const fine = 100 // steps of progress per model
	rows, total, most := len(out), fine*len(out)*len(held), 0
	for f, part := range held {
		if len(part) == 0 {
			continue
		}
		var ids []string
		for _, im := range part {
			ids = append(ids, im.ID)
		}
		src, err := leaveOut(t.Source, ids, t.Alike)
		if err != nil {
			return nil, nil, err
		}
		inner := t
		inner.Source, inner.tiers, inner.stats, inner.fits = src, nil, nil, nil // of other images
		// at is where the training of a model is.
		var at Part
		inner.Loss = func(p Part, loss float64) {
			if at = p; t.Loss != nil {
				t.Loss(p, loss)
			}
		}
		var models []*Model
		for i := 0; i < len(out); i++ {
			at = Part{Index: 1, Of: 1}
			got, err := inner.Train(ctx, out[i].Spec, func(done, of int) {
				// A model is trained in parts, each of which counts from 0.
				share := fine * (at.Index - 1) / at.Of
				share += fine * min(done, of) / (at.Of * max(of, 1))
				most = max(most, fine*(f*rows+i)+share)
				progress(most, total)
			})
			if few := new(FewError); errors.As(err, &few) {
				left = append(left, LeftOut(out[i].Spec, fmt.Errorf("fold %d: %w", f, few)))
				out = slices.Delete(out, i, i+1)
				i--
				continue
			}
			if err != nil {
				return nil, nil, fmt.Errorf("fold %d: %w", f, err)
			}
			models = append(models, got.Model)
			out[i].Images += got.Images
			if got.Choice != nil {
				out[i].Choices = append(out[i].Choices, FoldChoice{f, *got.Choice})
			}
			out[i].TrainSeconds += got.Seconds
		}
		scores, err := Evaluate(ctx, models, part, t.Workers, func(int, int) {})
		if err != nil {
			return nil, nil, err
		}
		for i, s := range scores {
			out[i].Score.merge(s, f)
		}
	}
	for i := range out {
		out[i].Images /= len(held)
		out[i].TrainSeconds /= float64(len(held))
	}
	progress(total, total)
	return out, left, nil
}

// merge appends the score of a fold.
func (s *Score) merge(o *Score, fold int) {
	s.Images = append(s.Images, o.Images...)
	s.Boundary = append(s.Boundary, o.Boundary...)
	for range o.Images {
		s.Fold = append(s.Fold, fold)
	}
	s.ImageMS = append(s.ImageMS, o.ImageMS...)
	s.Unsolved += o.Unsolved
}
