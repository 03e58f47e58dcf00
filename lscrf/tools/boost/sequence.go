package boost

import "math"

// A sequenceFit trains one Sequence.
type sequenceFit struct {
	data    Data
	opt     Options
	grower  *grower
	workers int
	index   int        // of the sequence
	weights []float32  // for training
	held    []float32  // for measuring; nil for none
	total   [2]float64 // weight of the rows for training and for measuring
	abs     []float64  // sum of absolute gradients, per output
	seq     Sequence

	pred, grad, hess []float32 // Width per row; hess only for Logistic
	leaf             []uint8   // of the newest tree, per row
	cells            []int64
	sums             []float64 // scratch: per block
}

// newSequenceFit starts at the weighted means of the outputs.
func newSequenceFit(d Data, opt Options, g *grower, index, first, width int, weights, held []float32, workers int) *sequenceFit {
	n := d.Design.Len()
	s := &sequenceFit{data: d, opt: opt, grower: g, workers: workers, index: index, weights: weights, held: held}
	s.seq = Sequence{First: first, Width: width, Base: make([]float32, width)}
	s.pred, s.grad = make([]float32, n*width), make([]float32, n*width)
	if opt.Loss == Logistic {
		s.hess = make([]float32, n*width)
	}
	s.leaf, s.cells = make([]uint8, n), make([]int64, n*g.words)
	for i, w := range weights {
		s.total[0] += float64(w)
		if held != nil {
			s.total[1] += float64(held[i])
		}
	}
	for k := range width {
		mean := 0.0
		for i, w := range weights {
			mean += float64(float64(w) * float64(d.Targets[i*d.Outputs+first+k]))
		}
		if s.total[0] > 0 {
			mean /= s.total[0]
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
	parallel(s.workers, m, func(_, i int) {
		from, to := block(i, n)
		f(from, to, all[i*width:(i+1)*width])
	})
	total := make([]float64, width)
	for i, v := range all {
		total[i%width] += v
	}
	return total
}

// measure computes gradients at the current predictions and returns the losses.
func (s *sequenceFit) measure() (loss, held float64) {
	w, stride := s.seq.Width, s.data.Outputs
	sum := s.blockSums(2+w, func(from, to int, sums []float64) {
		var hess, out []float32
		if s.hess != nil {
			hess = s.hess[from*w : to*w]
		}
		if s.held != nil {
			out = s.held[from:to]
		}
		y := s.data.Targets[from*stride+s.seq.First:]
		grad := s.grad[from*w : to*w]
		sums[0], sums[1] = s.opt.Loss.gradients(grad, hess, s.pred[from*w:to*w], y, w, stride, s.weights[from:to], out)
		for i := 0; i < len(grad); i += w {
			for k, v := range grad[i : i+w] {
				sums[2+k] += math.Abs(float64(v))
			}
		}
	})
	s.abs = sum[2:]
	return s.opt.Loss.figure(sum[0], s.total[0], w), s.opt.Loss.figure(sum[1], s.total[1], w)
}

// grow returns the next tree; measure must have been called after the last change.
func (s *sequenceFit) grow() Tree {
	l2 := s.quantize()
	tree := Tree{Questions: s.grower.grow(s.cells, s.parts(), s.opt.Depth, l2)}
	s.assign(tree.Questions)
	tree.Values = s.values(1 << len(tree.Questions))
	return tree
}

// stream numbers the random streams of a tree.
func (s *sequenceFit) stream(kind uint64) uint64 {
	return mix(uint64(s.index)<<32|uint64(len(s.seq.Trees)))<<3 + kind
}

// assign writes the leaf of every row.
func (s *sequenceFit) assign(questions []Question) {
	s.data.Design.answer(s.leaf, questions, s.workers)
}

// add appends a tree whose leaves are assigned and moves the predictions.
func (s *sequenceFit) add(t Tree) {
	s.seq.Trees = append(s.seq.Trees, t)
	width := s.seq.Width
	parallel(s.workers, blocks(len(s.leaf)), func(_, b int) {
		from, to := block(b, len(s.leaf))
		for i := from; i < to; i++ {
			value := t.Values[int(s.leaf[i])*width:][:width]
			for k := range value {
				s.pred[i*width+k] += value[k]
			}
		}
	})
}
