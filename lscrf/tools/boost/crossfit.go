package boost

import (
	"fmt"
	"slices"
	"sync/atomic"

	"hdseg/lscrf/internal/parallel"
)

// A Cross holds predictions that were made for every row by a model that never saw the
// row's group, and a model of all rows. The predictions can be features of another model
// on the same rows without telling it its own labels; new rows get theirs from Model.
type Cross struct {
	Out     []float32 // output k of row i at i*Outputs+k, as Model.Predict gives it
	Fold    []int     // the fold of every row
	Model   *Model    // trained on all rows
	Without []*Model  // Without[f] was trained on all rows but those of fold f
}

// A FewError says that there are too few groups of rows for the number of folds.
type FewError struct {
	Folds  int
	Groups int
}

func (e *FewError) Error() string {
	return fmt.Sprintf("boost: folds: got %d with %d groups of rows, want at least 2 and at most one per group", e.Folds, e.Groups)
}

// CrossFit deals the groups of rows (group[i] of row i: its image) to folds, trains on all
// folds but one and predicts that one, for each, and then trains on all rows. All rows of a
// group are in one fold, so that no model predicts an image that it was trained on.
//
// progress sees the sequences of all folds and of Model as one count. Errors are those of Fit,
// and a *FewError of too few groups for the folds; it panics where sizes do not fit. The cost
// is that of folds+1 calls of Fit.
func CrossFit(data Data, group []int, folds int, opt Options, workers int, progress func(Progress) bool) (*Cross, error) {
	n, k := data.Design.Len(), data.Outputs
	if len(group) != n {
		panic(fmt.Sprintf("boost: len(group) = %d, want %d rows", len(group), n))
	}
	c := &Cross{Out: make([]float32, n*k)}
	held, err := Hold(group, folds, opt.Seed, 1, func(f int, fold []int) (*Model, error) {
		part := data
		if c.Fold = fold; f < folds {
			part.Weights = withoutFold(data.Weights, fold, f)
		}
		return Fit(part, opt, workers, func(p Progress) bool {
			p.Sequence += f * p.Sequences
			p.Sequences *= folds + 1
			return progress == nil || progress(p)
		})
	})
	if err != nil {
		return nil, err
	}
	c.Model, c.Without = held.Model, held.Folds
	for f, m := range c.Without {
		all := m.Predict(data.Design, workers)
		for i, g := range c.Fold {
			if g == f {
				copy(c.Out[i*k:(i+1)*k], all[i*k:])
			}
		}
	}
	return c, nil
}

// dealFolds gives every row the fold of its group. Groups are dealt in a random order,
// like cards.
func dealFolds(group []int, folds int, seed uint64) ([]int, error) {
	names := slices.Clone(group)
	slices.Sort(names)
	names = slices.Compact(names)
	if folds < 2 || folds > len(names) {
		return nil, &FewError{folds, len(names)}
	}
	for i := len(names) - 1; i > 0; i-- {
		j := int(uniform(seed, streamFolds, uint64(i)) * float64(i+1))
		names[i], names[j] = names[j], names[i]
	}
	fold := make(map[int]int, len(names))
	for i, g := range names {
		fold[g] = i % folds
	}
	out := make([]int, len(group))
	for i, g := range group {
		out[i] = fold[g]
	}
	return out, nil
}

// withoutFold returns the weights with those of one fold set to 0.
func withoutFold(weights []float32, fold []int, f int) []float32 {
	out := make([]float32, len(fold))
	for i := range out {
		switch {
		case fold[i] == f:
		case weights == nil:
			out[i] = 1
		default:
			out[i] = weights[i]
		}
	}
	return out
}

// A Held is a model with those that stand in for it where it must not have seen a group, such as
// an image.
type Held[M any] struct {
	Model M
	Folds []M         // the model without the groups of each fold
	Fold  map[int]int // of the groups
}

// Hold deals the groups of rows to folds, as CrossFit does, and calls fit for each fold f to learn
// from the rows i with fold[i] != f, and with f = folds to learn from all. At most workers calls
// run at once. It is a *FewError if there are too few groups, else the first error of fit.
func Hold[M any](group []int, folds int, seed uint64, workers int, fit func(f int, fold []int) (M, error)) (*Held[M], error) {
	fold, err := dealFolds(group, folds, seed)
	if err != nil {
		return nil, err
	}
	models, errs := make([]M, folds+1), make([]error, folds+1)
	var failed atomic.Bool
	parallel.Each(workers, folds+1, func(_, f int) {
		if failed.Load() {
			return
		}
		if models[f], errs[f] = fit(f, fold); errs[f] != nil {
			failed.Store(true)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return NewHeld(models[folds], models[:folds], group, fold), nil
}

// NewHeld joins a model with others, the one at f made without the groups of fold f. group and
// fold are those of the rows of a Cross, equally long.
func NewHeld[M any](model M, without []M, group, fold []int) *Held[M] {
	h := &Held[M]{model, without, map[int]int{}}
	for i, g := range group {
		h.Fold[g] = fold[i]
	}
	return h
}

// Without returns the model made without a group, and Model for a group that was in no row.
func (h *Held[M]) Without(group int) M {
	if f, ok := h.Fold[group]; ok {
		return h.Folds[f]
	}
	return h.Model
}
