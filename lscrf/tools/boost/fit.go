package boost

import (
	"errors"
	"fmt"
	"math"

	"hdseg/lscrf/internal/parallel"
	"hdseg/manifests/arith"
)

// Progress is what Fit reports after every tree.
type Progress struct {
	Sequence, Sequences int // the one that got a tree, of how many
	Tree, Trees         int // trees in this sequence, of all
	// Loss is that of the sequence on its rows: the root of the mean squared error, or the mean
	// negative log-likelihood.
	Loss float64
}

// ErrStopped says that a progress function ended the training.
var ErrStopped = errors.New("boost: training was stopped")

// Fit trains trees on data. It calls progress (which may be nil) after every tree and
// returns ErrStopped when that returns false. The model's bytes depend on data and options,
// not on workers (at least one). Options that do not validate and unusable numbers in data
// are errors; it panics where sizes do not fit.
//
// Memory beside the data, in bytes, for W outputs of a sequence (all of them with Shared
// leaves, else 1) whose sums take w words, 1 for W = 1 and else 4: 21 + 8W + 16w for each row,
// or 37 + 8W + 24w for each pair, and 4W more with Logistic; D for each node or row, D being
// Dim rounded up to a multiple of 16; and histograms of 8w * C * D << (Depth-1), twice that for
// pairs, of C = 40, 136 or 256 cells for up to 32, 128 or 255 borders. The data themselves are
// Dim for each node or row, 4 for each target and weight, and 8 for each pair.
func Fit(data Data, opt Options, workers int, progress func(Progress) bool) (*Model, error) {
	if err := opt.Validate(); err != nil {
		return nil, fmt.Errorf("boost: options: %w", err)
	}
	if err := data.check(opt); err != nil {
		return nil, err
	}
	m := &Model{Binning: data.Design.nodes.Binning, Pairs: data.Design.pairs, Loss: opt.Loss, Outputs: data.Outputs}
	width := 1
	if opt.Leaves == Shared {
		width = data.Outputs
	}
	weights := make([]float32, data.Design.Len())
	for i := range weights {
		weights[i] = 1
		if data.Weights != nil {
			weights[i] = data.Weights[i]
		}
	}
	g := newGrower(data.Design, opt, wordsFor(width), workers)
	count := data.Outputs / width
	for i := range count {
		s := newSequenceFit(data, opt, g, i, Sequence{First: i * width, Width: width, Base: make([]float32, width)}, weights, workers)
		s.measure()
		for t := range opt.Trees {
			s.grow()
			p := Progress{Sequence: i, Sequences: count, Tree: t + 1, Trees: opt.Trees, Loss: s.measure()}
			if progress != nil && !progress(p) {
				return nil, ErrStopped
			}
		}
		m.Sequences = append(m.Sequences, s.seq)
	}
	return m, nil
}

// A sequenceFit trains one Sequence.
type sequenceFit struct {
	data    Data
	opt     Options
	grower  *grower
	workers int
	index   int       // of the sequence
	weights []float32 // per row
	total   float64   // sum of weights
	abs     []float64 // sum of absolute gradients, per output
	seq     Sequence

	pred, grad, hess []float32 // Width per row; hess only for Logistic
	leaf             []uint8   // of the newest tree, per row
	cells            []int64
	sums             []float64 // scratch: per block
}

// newSequenceFit starts at the weighted means of the outputs.
func newSequenceFit(d Data, opt Options, g *grower, index int, seq Sequence, weights []float32, workers int) *sequenceFit {
	n, width := d.Design.Len(), seq.Width
	s := &sequenceFit{data: d, opt: opt, grower: g, workers: workers, index: index, weights: weights, seq: seq}
	s.pred, s.grad = make([]float32, n*width), make([]float32, n*width)
	if opt.Loss == Logistic {
		s.hess = make([]float32, n*width)
	}
	s.leaf, s.cells = make([]uint8, n), make([]int64, n*g.words)
	for _, w := range weights {
		s.total += float64(w)
	}
	for k := range width {
		mean := 0.0
		for i, w := range weights {
			mean += float64(float64(w) * float64(d.Targets[i*d.Outputs+seq.First+k]))
		}
		if s.total > 0 {
			mean /= s.total
		}
		s.seq.Base[k] = opt.Loss.baseOf(mean)
	}
	for i := range n {
		copy(s.pred[i*width:], s.seq.Base)
	}
	return s
}

// blockSums calls f for every block of rows with width zeroed sums of its own, and
// returns the total of the sums, added in the order of the blocks.
func (s *sequenceFit) blockSums(width int, f func(from, to int, sums []float64)) []float64 {
	n := len(s.weights)
	m := blocks(n)
	if len(s.sums) < m*width {
		s.sums = make([]float64, m*width)
	}
	all := s.sums[:m*width]
	clear(all)
	parallel.Each(s.workers, m, func(_, i int) {
		from, to := block(i, n)
		f(from, to, all[i*width:(i+1)*width])
	})
	total := make([]float64, width)
	for i, v := range all {
		total[i%width] += v
	}
	return total
}

// measure computes gradients at the current predictions and returns the loss.
func (s *sequenceFit) measure() float64 {
	w, stride := s.seq.Width, s.data.Outputs
	sum := s.blockSums(1+w, func(from, to int, sums []float64) {
		var hess []float32
		if s.hess != nil {
			hess = s.hess[from*w : to*w]
		}
		y := s.data.Targets[from*stride+s.seq.First:]
		grad := s.grad[from*w : to*w]
		sums[0] = s.opt.Loss.gradients(grad, hess, s.pred[from*w:to*w], y, w, stride, s.weights[from:to])
		for i := 0; i < len(grad); i += w {
			for k, v := range grad[i : i+w] {
				sums[1+k] += math.Abs(float64(v))
			}
		}
	})
	s.abs = sum[1:]
	return s.opt.Loss.figure(sum[0], s.total, w)
}

// grow adds the next tree and moves the predictions; measure must have been called before.
func (s *sequenceFit) grow() {
	l2 := s.quantize()
	t := Tree{Questions: s.grower.grow(s.cells, s.parts(), s.opt.Depth, l2)}
	s.data.Design.answer(s.leaf, t.Questions, s.workers)
	t.Values = s.values(1 << len(t.Questions))
	s.seq.Trees = append(s.seq.Trees, t)
	width := s.seq.Width
	parallel.Each(s.workers, blocks(len(s.leaf)), func(_, b int) {
		from, to := block(b, len(s.leaf))
		for i := from; i < to; i++ {
			value := t.Values[int(s.leaf[i])*width:][:width]
			for k := range value {
				s.pred[i*width+k] += value[k]
			}
		}
	})
}

// values returns the leaf values of the answered rows: Rate times one Newton step.
func (s *sequenceFit) values(leaves int) []float32 {
	width := s.seq.Width
	// Per leaf: a denominator for each output (one for all with Squared), then numerators.
	bottoms := 1
	if s.hess != nil {
		bottoms = width
	}
	per := bottoms + width
	sum := s.blockSums(leaves*per, func(from, to int, sums []float64) {
		for i := from; i < to; i++ {
			w := s.weights[i]
			if w == 0 {
				continue
			}
			cell := sums[int(s.leaf[i])*per:][:per]
			if s.hess == nil {
				cell[0] += float64(w)
			} else {
				for k, h := range s.hess[i*width:][:width] {
					cell[k] += float64(h)
				}
			}
			for k, g := range s.grad[i*width:][:width] {
				cell[bottoms+k] += float64(g)
			}
		}
	})
	values := make([]float32, leaves*width)
	for i := range values {
		cell := sum[i/width*per:][:per]
		k := i % width
		if bottom := cell[min(k, bottoms-1)] + s.opt.L2; bottom > 0 {
			values[i] = float32(s.opt.Rate * cell[bottoms+k] / bottom)
		}
	}
	return values
}

// baseOf returns the first prediction of an output with the given weighted mean.
func (l Loss) baseOf(mean float64) float32 {
	if l == Squared {
		return float32(mean)
	}
	mean = min(max(mean, 1e-6), 1-1e-6)
	return float32(arith.Log(mean / (1 - mean)))
}

// gradients writes the negative derivative of each row's loss and, for Logistic, the
// second derivative, both times the row's weight, and returns the sum of the loss. All slices
// have width numbers per row, weights one; y has stride numbers per row.
func (l Loss) gradients(grad, hess, pred, y []float32, width, stride int, weights []float32) (loss float64) {
	for i, w := range weights {
		row := 0.0
		for k := range width {
			j := i*width + k
			t, p := float64(y[i*stride+k]), float64(pred[j])
			if l == Squared {
				grad[j] = w * float32(t-p)
				row += float64((t - p) * (t - p))
				continue
			}
			q := sigmoid(p)
			grad[j], hess[j] = w*float32(t-q), w*float32(q*(1-q))
			row += logLoss(t, p, q)
		}
		loss += float64(row * float64(w))
	}
	return loss
}

// logLoss returns -t log(q) - (1-t) log(1-q) for q = sigmoid(z), without overflow: as log(1-q) is
// log(q) - z, one logarithm is enough.
func logLoss(t, z, q float64) float64 {
	if q == 0 {
		return -float64(t * z) // exp(-z) overflowed: log(q) is z
	}
	return float64((1-t)*z) - arith.Log(q)
}

// figure turns a sum of losses into what is reported: the root of the mean squared error,
// or the mean negative log-likelihood, per output.
func (l Loss) figure(sum, weight float64, width int) float64 {
	if weight == 0 {
		return 0
	}
	sum /= weight * float64(width)
	if l == Squared {
		return math.Sqrt(sum)
	}
	return sum
}

func sigmoid(z float64) float64 { return 1 / (1 + arith.Exp(-z)) }
