package boost

import (
	"fmt"
	"math"
)

// blockBins is the number of rows that go through all trees together: one register of
// bytes.
const blockBins = 64

func float32bits(v float32) uint32     { return math.Float32bits(v) }
func float32frombits(v uint32) float32 { return math.Float32frombits(v) }

// Bin cuts n rows, x[i*Dim+f], by the model's borders, only in the columns that its trees
// ask about; the others stay zero. The result is for predicting with m.
func (m *Model) Bin(x []float32, n, workers int) *Binned {
	return m.Binning.bin(x, n, workers, m.used())
}

// Predict returns output k of row i at index i*Outputs+k: the model's value, or a
// probability for Logistic. It panics unless d has the model's kind and borders.
// The result does not depend on workers.
func (m *Model) Predict(d Design, workers int) []float32 {
	out := make([]float32, d.Len()*m.Outputs)
	m.PredictTo(out, d, workers)
	return out
}

// PredictRows is Predict for the n rows x[i*Dim+f]; the model must not be one of pairs.
func (m *Model) PredictRows(x []float32, n, workers int) []float32 {
	return m.Predict(Rows(m.Bin(x, n, workers)), workers)
}

// PredictPairs is Predict for pairs of the n nodes x[i*Dim+f].
func (m *Model) PredictPairs(x []float32, n int, edges [][2]int32, workers int) []float32 {
	return m.Predict(Pairs(m.Bin(x, n, workers), edges), workers)
}

// PredictTo is Predict into dst, which must have d.Len()*Outputs elements.
func (m *Model) PredictTo(dst []float32, d Design, workers int) {
	n := d.Len()
	if len(dst) != n*m.Outputs {
		panic(fmt.Sprintf("boost: len(dst) = %d, want %d rows x %d outputs", len(dst), n, m.Outputs))
	}
	if d.pairs != m.Pairs {
		panic(fmt.Sprintf("boost: pairs = %v, want %v as the model was trained", d.pairs, m.Pairs))
	}
	if !m.Binning.equal(d.nodes.Binning) {
		panic("boost: the design's borders are not the model's")
	}
	sequences, columns := m.compile()
	widest := 1
	for _, s := range m.Sequences {
		widest = max(widest, s.Width)
	}
	bins, sums := make([][]uint8, max(1, workers)), make([][]float32, max(1, workers))
	parallel(workers, (n+blockBins-1)/blockBins, func(w, b int) {
		if bins[w] == nil {
			bins[w], sums[w] = make([]uint8, len(columns)*blockBins), make([]float32, widest*blockBins)
		}
		from, to := b*blockBins, min((b+1)*blockBins, n)
		d.gatherBlock(bins[w], columns, from, to)
		for i := range sequences {
			sequences[i].predict(dst[from*m.Outputs:to*m.Outputs], m.Outputs, bins[w], sums[w])
		}
		if m.Loss == Logistic {
			for i := from * m.Outputs; i < to*m.Outputs; i++ {
				dst[i] = float32(sigmoid(float64(dst[i])))
			}
		}
	})
}

// compile returns the compiled sequences and the features that the blocks of bins need.
func (m *Model) compile() ([]compiled, []int) {
	var columns []int
	column := make([]int, 2*m.Binning.Dim())
	for f, n := range m.Importance() {
		if n > 0 {
			column[f] = len(columns)
			columns = append(columns, f)
		}
	}
	if len(columns) == 0 { // trees without questions
		columns = []int{0}
	}
	out := make([]compiled, len(m.Sequences))
	for i := range m.Sequences {
		out[i] = m.Sequences[i].compile(columns, column)
	}
	return out, columns
}

// gatherBlock writes the bins of rows from..to-1, column by column.
func (d Design) gatherBlock(bins []uint8, columns []int, from, to int) {
	if d.nodes.Binning.Dim() == 0 {
		return
	}
	var node [2][blockBins]int32
	if d.pairs {
		for i, e := range d.edges[from:to] {
			node[0][i], node[1][i] = e[0], e[1]
		}
	}
	for c, f := range columns {
		side, column := d.split(f)
		col, dst := d.nodes.Column(column), bins[c*blockBins:][:to-from]
		if !d.pairs {
			copy(dst, col[from:])
			continue
		}
		index := node[side][:len(dst)]
		for i, j := range index {
			dst[i] = col[j]
		}
	}
}

// predict writes the raw outputs of a sequence for a block of rows; sums is scratch.
func (c *compiled) predict(dst []float32, outputs int, bins []uint8, sums []float32) {
	s := c.seq
	if c.words == nil && len(s.Trees) > 0 {
		c.predictDeep(dst, outputs, bins)
		return
	}
	for k, base := range s.Base {
		for i := range blockBins {
			sums[k*blockBins+i] = base
		}
	}
	if len(s.Trees) > 0 {
		kernels.addTrees(sums, bins, c.words, len(s.Trees), s.Width)
	}
	for i := range len(dst) / outputs {
		for k := range s.Width {
			dst[i*outputs+s.First+k] = sums[k*blockBins+i]
		}
	}
}

// predictDeep is predict for trees of any depth.
func (c *compiled) predictDeep(dst []float32, outputs int, bins []uint8) {
	s := c.seq
	column := map[int32]int{}
	for i, f := range c.columns {
		column[int32(f)] = i
	}
	for i := range len(dst) / outputs {
		copy(dst[i*outputs+s.First:], s.Base)
	}
	for _, t := range s.Trees {
		var leaf [blockBins]uint8
		for l, q := range t.Questions {
			kernels.orAbove(leaf[:], bins[column[q.Feature]*blockBins:][:blockBins], q.Border, 1<<l)
		}
		for i := range len(dst) / outputs {
			row := dst[i*outputs+s.First:][:s.Width]
			for k, v := range t.Values[int(leaf[i])*s.Width:][:s.Width] {
				row[k] += v
			}
		}
	}
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
