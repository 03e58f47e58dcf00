package cut

import (
	"fmt"
	"math"

	"hdseg/manifests/arith"
)

// A Mixture is a Gaussian mixture over RGB colours in [0, 1]³ with full covariances.
// Components of weight 0 never win a colour. Between calls of Refit it is read-only.
type Mixture struct {
	Components []Gaussian
}

// A Gaussian is one component: its weight, mean, and covariance in the order
// rr, rg, rb, gg, gb, bb.
type Gaussian struct {
	Weight float64
	Mean   [3]float64
	Cov    [6]float64

	inverse [6]float32 // of Cov, as logDensity wants it
	mean    [3]float32
	base    float32 // log weight - (3 log 2π + log det)/2
}

// minVariance is added to the diagonal of a covariance that is singular or nearly so: 1e-5 in
// [0, 1]² units, about half a grey level squared (method facts 3.1).
const minVariance = 1e-5

// moments are the weighted sums a Gaussian is made of.
type moments struct {
	n   float64
	sum [3]float64
	sq  [6]float64
}

func (m *moments) add(c []float32, w float64) {
	r, g, b := float64(c[0]), float64(c[1]), float64(c[2])
	m.n += w
	m.sum[0] += float64(w * r)
	m.sum[1] += float64(w * g)
	m.sum[2] += float64(w * b)
	m.sq[0] += float64(w * r * r)
	m.sq[1] += float64(w * r * g)
	m.sq[2] += float64(w * r * b)
	m.sq[3] += float64(w * g * g)
	m.sq[4] += float64(w * g * b)
	m.sq[5] += float64(w * b * b)
}

// gaussian returns the maximum-likelihood component of the given share of the data. With n = 0 its
// weight is 0.
func (m *moments) gaussian(total float64) Gaussian {
	var g Gaussian
	if m.n <= 0 || total <= 0 {
		g.base = float32(math.Inf(-1))
		return g
	}
	g.Weight = m.n / total
	for i := range 3 {
		g.Mean[i] = m.sum[i] / m.n
	}
	for k, ij := range covIndex {
		g.Cov[k] = m.sq[k]/m.n - float64(g.Mean[ij[0]]*g.Mean[ij[1]])
	}
	g.prepare()
	return g
}

var covIndex = [6][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}

// prepare computes the inverse and the log-normalizer.
func (g *Gaussian) prepare() {
	inv, det, ok := invert(g.Cov)
	for !ok {
		for _, k := range []int{0, 3, 5} {
			g.Cov[k] = max(g.Cov[k], 0) + minVariance
		}
		inv, det, ok = invert(g.Cov)
	}
	for k, ij := range covIndex {
		g.inverse[k] = float32(inv[k])
		if ij[0] == ij[1] {
			g.inverse[k] *= 0.5 // the others stand for two
		}
	}
	for k := range g.Mean {
		g.mean[k] = float32(g.Mean[k])
	}
	g.base = float32(arith.Log(g.Weight) - float64(0.5*(float64(3*arith.Log(2*math.Pi))+arith.Log(det))))
}

// invert returns the inverse and determinant of a symmetric positive definite matrix; ok is false
// if it is not safely so: a variance or minor below minVariance's scale.
func invert(c [6]float64) (inv [6]float64, det float64, ok bool) {
	inv[0] = float64(c[3]*c[5]) - float64(c[4]*c[4])
	inv[1] = float64(c[2]*c[4]) - float64(c[1]*c[5])
	inv[2] = float64(c[1]*c[4]) - float64(c[2]*c[3])
	inv[3] = float64(c[0]*c[5]) - float64(c[2]*c[2])
	inv[4] = float64(c[1]*c[2]) - float64(c[0]*c[4])
	inv[5] = float64(c[0]*c[3]) - float64(c[1]*c[1])
	det = float64(c[0]*inv[0]) + float64(c[1]*inv[1]) + float64(c[2]*inv[2])
	const tiny = minVariance * minVariance * minVariance / 8
	if !(det > tiny) || c[0] <= 0 || inv[5] <= 0 {
		return inv, det, false
	}
	for k := range inv {
		inv[k] /= det
	}
	return inv, det, true
}

// logDensity returns log(weight·N(c; mean, cov)).
func (g *Gaussian) logDensity(r, gr, b float32) float32 {
	r -= g.mean[0]
	gr -= g.mean[1]
	b -= g.mean[2]
	return g.base - (float32(r*(float32(g.inverse[0]*r)+(float32(g.inverse[1]*gr)+float32(g.inverse[2]*b)))) +
		float32(gr*(float32(g.inverse[3]*gr)+float32(g.inverse[4]*b))) + float32(g.inverse[5]*b*b))
}

// Score returns the logarithm of the density of one colour under the component that explains it
// best, weight·N, not under the sum of components (as the transfer code of Kuettel and Ferrari has
// it), and that component. An empty mixture gives -Inf and -1.
func (m *Mixture) Score(r, g, b float32) (logDensity float32, component int) {
	logDensity, component = float32(math.Inf(-1)), -1
	for k := range m.Components {
		if c := &m.Components[k]; c.Weight > 0 {
			if s := c.logDensity(r, g, b); s > logDensity {
				logDensity, component = s, k
			}
		}
	}
	return logDensity, component
}

// Refit assigns every colour to the component that explains it best and estimates all components
// anew: one step of hard EM. colors is interleaved RGB in [0, 1], weights its weights ≥ 0, one per
// colour. A component that wins nothing keeps its shape with weight 0.
func (m *Mixture) Refit(colors, weights []float32) {
	checkColors(colors, weights)
	sums := make([]moments, len(m.Components))
	var total float64
	for i, w := range weights {
		if w <= 0 {
			continue
		}
		c := colors[3*i : 3*i+3]
		if _, k := m.Score(c[0], c[1], c[2]); k >= 0 {
			sums[k].add(c, float64(w))
			total += float64(w)
		}
	}
	for k := range sums {
		if sums[k].n > 0 {
			m.Components[k] = sums[k].gaussian(total)
		} else {
			m.Components[k].Weight = 0
		}
	}
}

func checkColors(colors, weights []float32) {
	if len(colors) != 3*len(weights) {
		panic(fmt.Sprintf("cut: %d colour values for %d weights, want %d", len(colors), len(weights), 3*len(weights)))
	}
}
