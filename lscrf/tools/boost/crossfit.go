package boost

import "fmt"

// A Cross holds predictions that were made for every row by a model that never saw the
// row's group, and a model of all rows. The predictions can be features of another model
// on the same rows without telling it its own labels; new rows get theirs from Model.
type Cross struct {
	Out     []float32 // output k of row i at i*Outputs+k, as Model.Predict gives it
	Fold    []int     // the fold of every row
	Model   *Model    // trained on all rows
	Without []*Model  // Without[f] was trained on all rows but those of fold f
	Stopped bool      // the progress function ended it: Out and Model are nil

	// Checkpoint returns what ResumeCrossFit gives the same Cross from, without training; nil where Stopped.
	Checkpoint func() []byte
}

// CrossFit deals the groups of rows (group[i] of row i: its image) to folds, trains on all
// folds but one and predicts that one, for each, and then trains on all rows. All rows of a
// group are in one fold, so that no model predicts an image that it was trained on. What Options.HeldOut holds out are whole
// groups of those that a model is trained on.
//
// progress sees the sequences of all folds and of Model as one count; its Checkpoint is for ResumeCrossFit. Errors are
// those of Fit, and a *FewError of too few groups for the folds; it panics where sizes do
// not fit. The cost is that of folds+1 calls of Fit.
func CrossFit(data Data, group []int, folds int, opt Options, workers int, progress func(Progress) bool) (*Cross, error) {
	return crossFit(data, group, folds, opt, crossState{}, workers, progress)
}

func crossFit(data Data, group []int, folds int, opt Options, from crossState, workers int, progress func(Progress) bool) (*Cross, error) {
	n, k := data.Design.Len(), data.Outputs
	if len(group) != n {
		panic(fmt.Sprintf("boost: len(group) = %d, want %d rows", len(group), n))
	}
	c := &Cross{Out: make([]float32, n*k)}
	var err error
	if c.Fold, err = dealFolds(group, folds, opt.Seed); err != nil {
		return nil, err
	}
	var done []*Model
	for f := range folds + 1 {
		part := data
		if f < folds {
			part.Weights = withoutFold(data.Weights, c.Fold, f)
		}
		if data.HeldOut == nil {
			if part.HeldOut, err = HoldOut(group, part.Weights, opt); err != nil {
				return nil, err
			}
		}
		step := func(p Progress) bool {
			p.Sequence += f * p.Sequences
			p.Sequences *= folds + 1
			unfinished := p.Checkpoint
			p.Checkpoint = func() []byte { return crossState{done, unfinished()}.encode(data, c.Fold, opt) }
			return progress == nil || progress(p)
		}
		var m *Model
		var rep Report
		switch {
		case f < len(from.done):
			m = from.done[f]
		case f == len(from.done) && len(from.unfinished) > 0:
			m, rep, err = Resume(part, opt, from.unfinished, workers, step)
		default:
			m, rep, err = Fit(part, opt, workers, step)
		}
		if err != nil {
			return nil, err
		}
		if rep.Stopped {
			c.Out, c.Stopped = nil, true
			return c, nil
		}
		if done = append(done, m); f == folds {
			break
		}
		m.predictFold(c.Out, data.Design, c.Fold, f, workers)
	}
	c.Without, c.Model = done[:folds], done[folds]
	c.Checkpoint = func() []byte { return crossState{done, nil}.encode(data, c.Fold, opt) }
	return c, nil
}

// dealFolds gives every row the fold of its group. Groups are dealt in a random order,
// like cards.
func dealFolds(group []int, folds int, seed uint64) ([]int, error) {
	names := shuffled(group, seed, streamFolds)
	if folds < 2 || folds > len(names) {
		return nil, &FewError{"folds", float64(folds), len(names), "at least 2 and at most one per group"}
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

// predictFold writes the predictions of the rows of one fold.
func (m *Model) predictFold(out []float32, d Design, fold []int, f, workers int) {
	all := m.Predict(d, workers)
	for i, g := range fold {
		if g == f {
			copy(out[i*m.Outputs:(i+1)*m.Outputs], all[i*m.Outputs:])
		}
	}
}
