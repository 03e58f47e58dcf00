package regress

import "fmt"

// A Gram is a weighted least-squares problem in float64, by its normal equations: for rows φ with
// the constant 1 last, one 0/1 target per output and weights w,
//
//	XX[i*Width+j]   = Σ w φᵢ φⱼ      (Width x Width, both triangles)
//	XY[i*Outputs+p] = Σ w φᵢ yₚ      (Width x Outputs)
//	YY[p]           = Σ w yₚ²
//
// XX's last element is the sum of weights. The squared error of weights v for output p is YY - 2
// v·XY + v·XX·v.
type Gram struct {
	Width, Outputs int
	XX, XY, YY     []float64
}

// NewGram returns the empty problem; width counts the constant.
func NewGram(width, outputs int) *Gram {
	if width < 2 || outputs < 1 {
		panic(fmt.Sprintf("regress: %d columns and %d outputs, want at least 2 with the constant and 1", width, outputs))
	}
	return &Gram{width, outputs, make([]float64, width*width), make([]float64, width*outputs), make([]float64, outputs)}
}

// Total returns the sum of weights.
func (g *Gram) Total() float64 { return g.XX[len(g.XX)-1] }

// SquaredError returns the mean weighted squared error of a model for one output, without clamping,
// from the sums alone. It is not below 0; that of a problem without rows is 0.
func (g *Gram) SquaredError(m *Linear, output int) float64 {
	if m.Dim != g.Width-1 || m.Outputs != g.Outputs {
		panic(fmt.Sprintf("regress: a model of %d columns and %d outputs, want %d and %d", m.Dim, m.Outputs, g.Width-1, g.Outputs))
	}
	if g.Total() == 0 {
		return 0
	}
	v := make([]float64, g.Width)
	for i := range m.Dim {
		v[i] = m.W[i*m.Outputs+output]
	}
	v[m.Dim] = m.B[output]
	e := g.YY[output]
	for i, vi := range v {
		gv := 0.0
		for j, vj := range v {
			gv += g.XX[i*g.Width+j] * vj
		}
		e += vi * (gv - 2*g.XY[i*g.Outputs+output])
	}
	return max(0, e) / g.Total()
}

// Gram returns the least-squares problem in which the rows of output p have weight
// times their own; nil weights are 1. Weights cost nothing to change: the statistics stay as
// they are.
func (s *Stats) Gram(weight []float64) *Gram {
	if weight != nil && len(weight) != len(s.rows) {
		panic(fmt.Sprintf("regress: %d weights, want one for each of %d outputs", len(weight), len(s.rows)))
	}
	s.settle()
	g := NewGram(s.Width(), len(s.rows))
	for p := range s.rows {
		w := 1.0
		if weight != nil {
			w = weight[p]
		}
		if w == 0 {
			continue
		}
		d, c := s.dim, g.Width-1
		tail := s.block(0, p)
		head, cross := s.block(2, p), s.block(1, p)
		g.YY[p] = w * tail(d, d)
		for i := range d {
			g.XY[i*g.Outputs+p] = w * tail(i, d)
			if s.kind != Nodes {
				g.XY[(d+i)*g.Outputs+p] = w * head(i, d)
			}
		}
		g.XY[c*g.Outputs+p] = w * tail(d, d)
		for i := range d {
			for j := range d {
				g.XX[i*g.Width+j] += w * tail(i, j)
				if s.kind != Nodes {
					g.XX[i*g.Width+d+j] += w * cross(i, j)
					g.XX[(d+j)*g.Width+i] += w * cross(i, j)
					g.XX[(d+i)*g.Width+d+j] += w * head(i, j)
				}
			}
		}
		for i := range g.Width {
			if i == c {
				g.XX[c*g.Width+c] += g.XY[c*g.Outputs+p]
				continue
			}
			g.XX[i*g.Width+c] += g.XY[i*g.Outputs+p]
			g.XX[c*g.Width+i] += g.XY[i*g.Outputs+p]
		}
	}
	return g
}

// block returns the elements of one output's matrix over [x, 1]: group 0 is tail-tail, 1
// tail-head and 2 head-head.
func (s *Stats) block(group, output int) func(i, j int) float64 {
	n := len(s.rows)
	zero := func(i, j int) float64 { return 0 }
	if s.kind == Nodes {
		if group > 0 || s.mats[output] == nil {
			return zero
		}
		return func(i, j int) float64 { return s.mats[output].at(i, j).float() }
	}
	m := s.mats[group*n+output]
	if m == nil {
		return zero
	}
	return func(i, j int) float64 { return m.at(i, j).float() }
}
