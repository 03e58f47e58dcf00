package boost

import (
	"cmp"
	"math"
	"slices"
)

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
	most    float64    // sum of absolute gradients, of the output where it is largest
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
	s.most = slices.Max(sum[2:])
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

// quantize draws the sample of the next tree, fills the cells and returns the L2 of the
// options in their units.
func (s *sequenceFit) quantize() float64 {
	width, words, n := s.seq.Width, s.grower.words, len(s.weights)
	weightScale, gradScale := scaleFor(s.total[0], n), scaleFor(s.most, n)
	draw := newDraws(s.opt.Seed, s.stream(streamRows), s.opt.RowSample)
	parallel(s.workers, blocks(n), func(_, b int) {
		from, to := block(b, n)
		for i := from; i < to; i++ {
			cell := s.cells[i*words : (i+1)*words]
			clear(cell)
			if s.weights[i] == 0 || !draw.keep(uint64(i)) {
				continue
			}
			// Field 0 is the weight, field 1+k output k; odd fields are high halves.
			cell[0] = roundEven(float64(s.weights[i]) * weightScale)
			for k, v := range s.grad[i*width : (i+1)*width] {
				cell[(1+k)/2] += roundEven(float64(v)*gradScale) << (32 * ((1 + k) % 2))
			}
		}
	})
	return s.opt.L2 * weightScale
}

// stream numbers the random streams of a tree.
func (s *sequenceFit) stream(kind uint64) uint64 {
	return mix(uint64(s.index)<<32|uint64(len(s.seq.Trees)))<<2 + kind
}

// parts draws the features that the next tree may ask about, in order.
func (s *sequenceFit) parts() []part {
	g := s.grower
	var all []part
	features := 0
	for side := range g.views {
		for group := range g.lanes.groups() {
			p := part{side: side, group: group}
			for i, column := range g.lanes.column[group*laneGroup:][:laneGroup] {
				if column >= 0 {
					p.use[i] = true
					features++
				}
			}
			all = append(all, p)
		}
	}
	if s.opt.ColumnSample >= 1 {
		return all
	}
	// Whole groups in random order, and a part of the last one.
	want := max(1, int(s.opt.ColumnSample*float64(features)+0.5))
	for i := range all {
		if want <= 0 {
			all = all[:i]
			break
		}
		j := i + int(uniform(s.opt.Seed, s.stream(streamColumns), uint64(i))*float64(len(all)-i))
		all[i], all[j] = all[j], all[i]
		for lane, use := range all[i].use {
			all[i].use[lane] = use && want > 0
			if use {
				want--
			}
		}
	}
	slices.SortFunc(all, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.group, b.group))
	})
	return all
}

// assign writes the leaf of every row.
func (s *sequenceFit) assign(questions []Question) {
	s.data.Design.answer(s.leaf, questions, s.workers)
}

// values returns the leaf values of the assigned rows: Rate times one Newton step.
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
