package lscrf

import (
	"context"

	"hdseg/lscrf/boost"
)

// Checkpoints keep what an interrupted training of trees has reached, one per part of the model ("features", "node", "edge").
type Checkpoints interface {
	Load(part string) []byte // nil if there is none
	Save(part string, data []byte) error
}

// A fitting is what trainings of trees have in common.
type fitting struct {
	keep     Checkpoints // nil keeps none
	loss     func(part string, loss float64)
	workers  int
	progress func(done, total int)
}

// trees trains trees, from the checkpoint of an interrupted run of the same training if there is one: the model is
// that of an undisturbed run. A checkpoint of other data or options, or a damaged one, is as good as
// none. When ctx ends the trees so far are saved.
func (t *fitting) trees(ctx context.Context, part string, data boost.Data, o boost.Options) (*Forest, error) {
	var saved error
	step := t.step(ctx, part, &saved)
	if from := t.load(part); from != nil {
		if m, rep, err := boost.Resume(data, o, from, t.workers, step); err == nil && !rep.Stopped {
			return &Forest{m}, nil
		} else if err == nil {
			return nil, stopped(ctx, saved)
		}
	}
	m, rep, err := boost.Fit(data, o, t.workers, step)
	if err == nil && rep.Stopped {
		err = stopped(ctx, saved)
	}
	return &Forest{m}, err
}

// cross is trees for cross-fitted trees. The checkpoint stays when they are done, for the trainings after it.
func (t *fitting) cross(ctx context.Context, data boost.Data, group []int, folds int, o boost.Options) (*boost.Cross, error) {
	const part = "features"
	var saved error
	step := t.step(ctx, part, &saved)
	from := t.load(part)
	var c *boost.Cross
	var err error
	if from != nil {
		c, err = boost.ResumeCrossFit(data, group, folds, o, from, t.workers, step)
	}
	if from == nil || err != nil {
		c, err = boost.CrossFit(data, group, folds, o, t.workers, step)
	}
	switch {
	case err != nil:
		return nil, err
	case c.Stopped:
		return nil, stopped(ctx, saved)
	case t.keep != nil:
		return c, t.keep.Save(part, c.Checkpoint())
	}
	return c, nil
}

func (t *fitting) load(part string) []byte {
	if t.keep == nil {
		return nil
	}
	return t.keep.Load(part)
}

// step returns the progress function of a training, which stops and saves when ctx ends.
func (t *fitting) step(ctx context.Context, part string, saved *error) func(boost.Progress) bool {
	return func(p boost.Progress) bool {
		if t.loss != nil {
			t.loss(part, p.Loss)
		}
		t.progress(p.Sequence*p.Trees+p.Tree, p.Sequences*p.Trees)
		if ctx.Err() == nil {
			return true
		}
		if t.keep != nil {
			*saved = t.keep.Save(part, p.Checkpoint())
		}
		return false
	}
}

// stopped returns why a training ended early: its checkpoint could not be saved, or the context's end.
func stopped(ctx context.Context, saved error) error {
	if saved != nil {
		return saved
	}
	return ctx.Err()
}
