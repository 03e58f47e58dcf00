package boost

import (
	"fmt"
	"math"
)

// predictRows is the number of rows that go through all trees together.
const predictRows = 64

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
	m.checkDesign(d)
	for i := range m.Sequences {
		m.Sequences[i].predictTo(dst, m.Outputs, d, workers)
	}
	if m.Loss == Logistic {
		parallel(workers, blocks(len(dst)), func(_, b int) {
			from, to := block(b, len(dst))
			for i, v := range dst[from:to] {
				dst[from+i] = float32(sigmoid(float64(v)))
			}
		})
	}
}

func (m *Model) checkDesign(d Design) {
	if d.pairs != m.Pairs {
		panic(fmt.Sprintf("boost: pairs = %v, want %v as the model was trained", d.pairs, m.Pairs))
	}
	if !m.Binning.equal(d.nodes.Binning) {
		panic("boost: the design's borders are not the model's")
	}
}

// predictTo writes the raw outputs of one sequence into rows of stride outputs.
func (s *Sequence) predictTo(dst []float32, outputs int, d Design, workers int) {
	n := d.Len()
	parallel(workers, (n+predictRows-1)/predictRows, func(_, b int) {
		var bins, leaf [predictRows]uint8
		from, to := b*predictRows, min((b+1)*predictRows, n)
		for i := from; i < to; i++ {
			copy(dst[i*outputs+s.First:], s.Base)
		}
		for t := range s.Trees {
			tree := &s.Trees[t]
			clear(leaf[:])
			for l, q := range tree.Questions {
				d.gather(bins[:to-from], int(q.Feature), from)
				for i, v := range bins[:to-from] {
					if v > q.Border {
						leaf[i] |= 1 << l
					}
				}
			}
			for i := from; i < to; i++ {
				row := dst[i*outputs+s.First:][:s.Width]
				value := tree.Values[int(leaf[i-from])*s.Width:][:s.Width]
				for k := range row {
					row[k] += value[k]
				}
			}
		}
	})
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
