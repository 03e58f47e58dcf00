package boost

import "fmt"

// Progress is what Fit reports after every tree.
type Progress struct {
	Sequence, Sequences int     // the one that got a tree, of how many
	Tree, Trees         int     // trees in this sequence, of at most
	Loss, HeldOut       float64 // as in Report; HeldOut is 0 where nothing is held out
	// Checkpoint returns what Resume continues from. It may be called until the progress
	// function returns.
	Checkpoint func() []byte
}

// A Report tells how training went.
type Report struct {
	// Loss[s][t] is the loss on the training rows after t trees of sequence s: the root of
	// the mean squared error, or the mean negative log-likelihood. It includes trees that
	// early stopping cut off again.
	Loss [][]float64
	// HeldOut is the same on the rows held out; nil where there are none.
	HeldOut [][]float64
	// Stopped is set when the progress function ended the training; the model then holds
	// the trees so far.
	Stopped bool
}

// Fit trains trees on data. It calls progress (which may be nil) after every tree and
// stops when it returns false. The model's bytes depend on data and options, not on
// workers (at least one). It returns an error for options that do not validate, for
// unusable numbers in data, and a *FewError where HeldOut leaves no row to train on or, with
// Patience, none to stop by; it panics where sizes do not fit.
//
// Memory beside the data, in bytes, for W outputs of a sequence (all of them with Shared leaves, else 1) whose sums take
// w = 1 (W = 1), 2 (W = 2, 3) or 4 words: 21 + 8W + 16w for each row, or 37 + 8W + 24w for each pair, and 4W more
// with Logistic, 4 more with rows held out; D for each node or row, D being Dim rounded up to a multiple of 16; and
// histograms of 8w * C * D << (Depth-1), twice that for pairs, of C = 40, 72, 136 or 256 cells for up to 32, 64, 128 or
// 255 borders. The data themselves are Dim for each node or row, 4 for each target and weight, and 8 for each pair.
func Fit(data Data, opt Options, workers int, progress func(Progress) bool) (*Model, Report, error) {
	return fit(data, opt, nil, workers, progress)
}

func fit(data Data, opt Options, old *Model, workers int, progress func(Progress) bool) (*Model, Report, error) {
	if err := opt.Validate(); err != nil {
		return nil, Report{}, fmt.Errorf("boost: options: %w", err)
	}
	if err := data.check(opt); err != nil {
		return nil, Report{}, err
	}
	weights, held := data.weights(opt)
	if err := measurable(weights, held, opt); err != nil {
		return nil, Report{}, err
	}
	m := newModel(data, opt)
	report := Report{Loss: make([][]float64, len(m.Sequences))}
	if held != nil {
		report.HeldOut = make([][]float64, len(m.Sequences))
	}
	width := m.Sequences[0].Width
	g := newGrower(data.Design, opt, wordsFor(width), workers)
	print, keep := "", make([]int, len(m.Sequences))
	for i := range m.Sequences {
		s := newSequenceFit(data, opt, g, i, m.Sequences[i].First, width, weights, held, workers)
		best, least := 0, 0.0
		for t := 0; ; t++ {
			loss, out := s.measure()
			m.Sequences[i] = s.seq
			report.Loss[i] = append(report.Loss[i], loss)
			if held != nil {
				report.HeldOut[i] = append(report.HeldOut[i], out)
			}
			if t == 0 || out < least {
				best, least = t, out
			}
			if isNew := old == nil || t > len(old.Sequences[i].Trees); t > 0 && isNew && progress != nil {
				p := Progress{Sequence: i, Sequences: len(m.Sequences), Tree: t, Trees: opt.Trees, Loss: loss, HeldOut: out}
				p.Checkpoint = func() []byte {
					if print == "" {
						print = Fingerprint(data, opt)
					}
					return checkpoint(m, print)
				}
				if !progress(p) {
					report.Stopped = true
				}
			}
			if report.Stopped || t == opt.Trees || opt.Patience > 0 && t-best >= opt.Patience {
				break
			}
			if old != nil && t < len(old.Sequences[i].Trees) {
				tree := old.Sequences[i].Trees[t]
				s.assign(tree.Questions)
				s.add(tree)
				continue
			}
			s.add(s.grow())
		}
		keep[i] = len(s.seq.Trees)
		if opt.Patience > 0 {
			keep[i] = best
		}
		if report.Stopped {
			break
		}
	}
	// Checkpoints need the trees that are cut off here.
	for i := range m.Sequences {
		m.Sequences[i].Trees = m.Sequences[i].Trees[:keep[i]]
	}
	return m, report, nil
}

// measurable returns an error where no row is left to train on, or to stop by, beside the rows held out.
func measurable(weights, held []float32, opt Options) error {
	if held == nil {
		return nil
	}
	kept, out := 0, 0
	for i, w := range weights {
		if w > 0 {
			kept++
		}
		if held[i] > 0 {
			out++
		}
	}
	if out > 0 && kept == 0 || out == 0 && opt.Patience > 0 {
		return fewToHold(opt.HeldOut, kept+out)
	}
	return nil
}

// newModel returns the model before the first tree.
func newModel(data Data, opt Options) *Model {
	m := &Model{Binning: data.Design.nodes.Binning, Pairs: data.Design.pairs, Loss: opt.Loss, Outputs: data.Outputs}
	width := 1
	if opt.Leaves == Shared {
		width = data.Outputs
	}
	for first := 0; first < data.Outputs; first += width {
		m.Sequences = append(m.Sequences, Sequence{First: first, Width: width, Base: make([]float32, width)})
	}
	return m
}
