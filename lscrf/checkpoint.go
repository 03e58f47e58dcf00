package lscrf

import (
	"context"

	"hdseg/lscrf/boost"
)

// Checkpoints keep what an interrupted training of trees has reached, one per part of the model ("node", "edge").
type Checkpoints interface {
	Load(part string) []byte // nil if there is none
	Save(part string, data []byte) error
}

// fitTrees trains trees, from the checkpoint of an interrupted run of the same training if there is one: the model is
// that of an undisturbed run. A checkpoint of other data or options, or a damaged one, is as good as
// none. When ctx ends the trees so far are saved.
func fitTrees(ctx context.Context, part string, data boost.Data, o boost.Options, keep Checkpoints, workers int, progress func(done, total int)) (*Forest, error) {
	var saved error
	show := watch(ctx, progress)
	step := func(p boost.Progress) bool {
		if show(p) {
			return true
		}
		if keep != nil {
			saved = keep.Save(part, p.Checkpoint())
		}
		return false
	}
	if keep != nil {
		if from := keep.Load(part); from != nil {
			if m, rep, err := boost.Resume(data, o, from, workers, step); err == nil && !rep.Stopped {
				return &Forest{m}, nil
			} else if err == nil {
				return nil, stopped(ctx, saved)
			}
		}
	}
	m, rep, err := boost.Fit(data, o, workers, step)
	if err == nil && rep.Stopped {
		err = stopped(ctx, saved)
	}
	return &Forest{m}, err
}

// stopped returns why a training ended early: its checkpoint could not be saved, or the context's end.
func stopped(ctx context.Context, saved error) error {
	if saved != nil {
		return saved
	}
	return ctx.Err()
}

// watch turns a stage's progress function into that of package boost, which stops when ctx ends.
func watch(ctx context.Context, progress func(done, total int)) func(boost.Progress) bool {
	return func(p boost.Progress) bool {
		progress(p.Sequence*p.Trees+p.Tree, p.Sequences*p.Trees)
		return ctx.Err() == nil
	}
}
