package regress

import "fmt"

// ClampLow is the least that predicted probabilities count before the logarithm (section 4.3).
const ClampLow = 1e-9

// A Linear is Outputs linear functions of Dim columns: f_p(φ) = B[p] + Σᵢ W[i*Outputs+p] φᵢ. For
// models of edges the columns are those of the tail node followed by those of the head, so Dim is
// twice the features of a node and the output of labels (j, k) is j*labels+k.
type Linear struct {
	Dim, Outputs int
	W            []float64 // Dim x Outputs
	B            []float64 // Outputs
}

// NewLinear returns the zero function.
func NewLinear(dim, outputs int) *Linear {
	if dim < 1 || outputs < 1 {
		panic(fmt.Sprintf("regress: a model of %d columns and %d outputs, want at least one of each", dim, outputs))
	}
	return &Linear{dim, outputs, make([]float64, dim*outputs), make([]float64, outputs)}
}

func (m *Linear) setConstant(p int, v float64) {
	for i := range m.Dim {
		m.W[i*m.Outputs+p] = 0
	}
	m.B[p] = v
}

// PredictNodes returns f_p for N rows x, len(x) = N*Dim, as N x Outputs values, not clamped. The
// sums are in float64.
func (m *Linear) PredictNodes(x []float32) []float32 {
	if len(x)%m.Dim != 0 {
		panic(fmt.Sprintf("regress: len(x) = %d, want a multiple of %d", len(x), m.Dim))
	}
	n := len(x) / m.Dim
	out := make([]float32, n*m.Outputs)
	f, width := m.scores(x, m.Dim)
	for s := range n {
		for p := range m.Outputs {
			out[s*m.Outputs+p] = float32(m.B[p] + f[s*width+p])
		}
	}
	return out
}

// PredictEdges returns f_p for E edges between nodes with features x, len(x) = N*Dim/2, as E x
// Outputs values, not clamped: element e*Outputs + j*L + k is the label pair (j, k) of
// (edges[e][0], edges[e][1]). Both halves are applied once per node, so the cost is N*Dim*Outputs
// and not E*Dim*Outputs.
func (m *Linear) PredictEdges(x []float32, edges [][2]int32) []float32 {
	d := m.Dim / 2
	if m.Dim%2 != 0 || len(x)%d != 0 {
		panic(fmt.Sprintf("regress: len(x) = %d for a model of %d columns, want a multiple of half as many", len(x), m.Dim))
	}
	f, width := m.scores(x, d)
	o := m.Outputs
	out := make([]float32, len(edges)*o)
	for e, st := range edges {
		tail, head := f[int(st[0])*width:][:o], f[int(st[1])*width+o:][:o]
		for p := range o {
			out[e*o+p] = float32(m.B[p] + (tail[p] + head[p]))
		}
	}
	return out
}

// scores applies the weights, without intercepts, to rows of d features: row s of the result, of
// the returned width, holds for each of the Dim/d parts of the columns the Outputs sums over that
// part.
func (m *Linear) scores(x []float32, d int) (f []float64, width int) {
	o := m.Outputs
	used := m.Dim / d * o
	width = (used + 7) / 8 * 8
	w := make([]float64, d*width)
	for i := range m.Dim {
		copy(w[i%d*width+i/d*o:], m.W[i*o:(i+1)*o])
	}
	n := len(x) / d
	f = make([]float64, n*width)
	for s := range n {
		kernels.apply(f[s*width:(s+1)*width], x[s*d:(s+1)*d], w)
	}
	return f, width
}
