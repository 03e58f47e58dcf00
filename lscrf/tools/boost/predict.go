package boost

import (
	"fmt"

	"hdseg/lscrf/internal/parallel"
)

// blockBins is the number of rows that go through all trees together: their bins stay in the
// cache.
const blockBins = 128

// Predict returns output k of row i at index i*Outputs+k: the model's value, or a
// probability for Logistic. It panics unless d has the model's kind and borders.
// The result does not depend on workers.
func (m *Model) Predict(d Design, workers int) []float32 {
	if d.pairs != m.Pairs {
		panic(fmt.Sprintf("boost: pairs = %v, want %v as the model was trained", d.pairs, m.Pairs))
	}
	if !m.Binning.equal(d.nodes.Binning) {
		panic("boost: the design's borders are not the model's")
	}
	n, outputs := d.Len(), m.Outputs
	out := make([]float32, n*outputs)
	asked, column := m.asked()
	bins := make([][]uint8, max(1, workers)) // and the leaves of a block behind them
	parallel.Each(workers, (n+blockBins-1)/blockBins, func(w, b int) {
		if bins[w] == nil {
			bins[w] = make([]uint8, (len(asked)+1)*blockBins)
		}
		from, to := b*blockBins, min((b+1)*blockBins, n)
		d.gatherBlock(bins[w], asked, from, to)
		dst := out[from*outputs : to*outputs]
		for i := range m.Sequences {
			m.Sequences[i].predict(dst, outputs, bins[w], column)
		}
		if m.Loss == Logistic {
			for i, v := range dst {
				dst[i] = float32(sigmoid(float64(v)))
			}
		}
	})
	return out
}

// PredictRows is Predict for the n rows x[i*Dim+f]; the model must not be one of pairs.
func (m *Model) PredictRows(x []float32, n, workers int) []float32 {
	return m.Predict(Rows(m.bin(x, n, workers)), workers)
}

// PredictPairs is Predict for pairs of the n nodes x[i*Dim+f].
func (m *Model) PredictPairs(x []float32, n int, edges [][2]int32, workers int) []float32 {
	return m.Predict(Pairs(m.bin(x, n, workers), edges), workers)
}

// bin cuts n rows in the columns that the trees ask about; the others stay zero.
func (m *Model) bin(x []float32, n, workers int) *Binned {
	used := make([]bool, m.Binning.Dim())
	asked, _ := m.asked()
	for _, f := range asked {
		used[f%len(used)] = true
	}
	out := &Binned{Binning: m.Binning, N: n, bins: make([]uint8, n*len(used))}
	m.Binning.fill(out, 0, x, n, workers, used)
	return out
}

// asked returns the features of a row that trees ask about, in order, and the place of each of
// all features among them.
func (m *Model) asked() (features, place []int) {
	place = make([]int, 2*m.Binning.Dim())
	for _, s := range m.Sequences {
		for _, t := range s.Trees {
			for _, q := range t.Questions {
				place[q.Feature] = 1
			}
		}
	}
	for f, n := range place {
		if n > 0 {
			place[f] = len(features)
			features = append(features, f)
		}
	}
	return features, place
}

// gatherBlock writes the bins of rows from..to-1, column by column.
func (d Design) gatherBlock(bins []uint8, features []int, from, to int) {
	for c, f := range features {
		side, column := d.split(f)
		col, dst := d.nodes.Column(column), bins[c*blockBins:][:to-from]
		if !d.pairs {
			copy(dst, col[from:])
			continue
		}
		for i, e := range d.edges[from:to] {
			dst[i] = col[e[side&1]]
		}
	}
}

// predict writes the raw outputs of a sequence for a block of rows.
func (s *Sequence) predict(dst []float32, outputs int, bins []uint8, column []int) {
	n, leaf := len(dst)/outputs, bins[len(bins)-blockBins:]
	for i := range n {
		copy(dst[i*outputs+s.First:], s.Base)
	}
	for _, t := range s.Trees {
		clear(leaf)
		for l, q := range t.Questions {
			kernels.orAbove(leaf, bins[column[q.Feature]*blockBins:][:blockBins], q.Border, 1<<l)
		}
		if s.Width == 1 {
			for i, l := range leaf[:n] {
				dst[i*outputs+s.First] += t.Values[l]
			}
			continue
		}
		for i, l := range leaf[:n] {
			row := dst[i*outputs+s.First:][:s.Width]
			for k, v := range t.Values[int(l)*s.Width:][:s.Width] {
				row[k] += v
			}
		}
	}
}
