package regress

import (
	"fmt"
	"math"
)

// The range to which predicted probabilities are clamped before the logarithm (section 4.3).
const (
	ClampLow  = 1e-9
	ClampHigh = 1
)

// A Linear is Outputs linear functions of Dim columns: f_p(φ) = B[p] + Σᵢ W[i*Outputs+p] φᵢ. For models of edges the
// columns are those of the tail node followed by those of the head, so Dim is twice the features of a node
// and the output of labels (j, k) is j*labels+k.
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
	sum := make([]float64, m.Outputs)
	for s := range n {
		m.apply(sum, m.B, x[s*m.Dim:(s+1)*m.Dim], 0)
		for p, v := range sum {
			out[s*m.Outputs+p] = float32(v)
		}
	}
	return out
}

// PredictEdges returns f_p for E edges between nodes with features x, len(x) = N*Dim/2, as E x Outputs
// values, not clamped: element e*Outputs + j*L + k is the label pair (j, k) of (edges[e][0], edges[e][1]).
// Both halves are applied once per node, so the cost is N*Dim*Outputs and not E*Dim*Outputs.
func (m *Linear) PredictEdges(x []float32, edges [][2]int32) []float32 {
	d := m.Dim / 2
	if m.Dim%2 != 0 || len(x)%d != 0 {
		panic(fmt.Sprintf("regress: len(x) = %d for a model of %d columns, want a multiple of half as many", len(x), m.Dim))
	}
	n, o := len(x)/d, m.Outputs
	tail, head := make([]float64, n*o), make([]float64, n*o)
	zero := make([]float64, o)
	for s := range n {
		m.apply(tail[s*o:(s+1)*o], m.B, x[s*d:(s+1)*d], 0)
		m.apply(head[s*o:(s+1)*o], zero, x[s*d:(s+1)*d], d)
	}
	out := make([]float32, len(edges)*o)
	for e, st := range edges {
		a, b := tail[int(st[0])*o:][:o], head[int(st[1])*o:][:o]
		f := out[e*o:][:o]
		for p := range f {
			f[p] = float32(a[p] + b[p])
		}
	}
	return out
}

// apply sets sum to start plus the contribution of the columns from first on.
func (m *Linear) apply(sum, start []float64, x []float32, first int) {
	copy(sum, start)
	for i, v := range x {
		w := m.W[(first+i)*m.Outputs:][:len(sum)]
		for p := range sum {
			sum[p] += float64(v) * w[p]
		}
	}
}

// Clamp limits values to ClampLow..ClampHigh in place and returns them; NaN becomes ClampLow.
func Clamp(f []float32) []float32 {
	for i, v := range f {
		if !(v >= ClampLow) {
			f[i] = ClampLow
		} else if v > ClampHigh {
			f[i] = ClampHigh
		}
	}
	return f
}

// finite tells whether all numbers of the model are.
func (m *Linear) finite() bool {
	for _, s := range [][]float64{m.W, m.B} {
		for _, v := range s {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}
