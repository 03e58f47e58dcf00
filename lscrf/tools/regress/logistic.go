package regress

import (
	"math"

	"hdseg/manifests/arith"
)

// The trainers below go over rows again and again. Options.Lambda is the penalty on the squared
// weights of the standardized features, relative to the mean loss, and Options.Balance weights the
// rows; MinRows, Rare and Solver do not apply. All are convex, start at zero and do not depend on
// the number of workers. Many images are warm started (see objective.minimize), which changes
// nothing at the minimum.

// Logistic trains multinomial logistic regression on the nodes: the softmax of the model's scores
// are label probabilities.
func Logistic(d *Data, o Options, it IterOptions) (*Linear, Iterations) {
	ob, v, r := fit(d, Nodes, d.Labels, d.Labels, logisticNodes, o, it)
	return ob.model(v, 1, 0, d.Labels, 0), r
}

// PairLogistic trains multinomial logistic regression over label pairs on the edges, the logistic
// twin of LS-CRF's regression: the softmax of the scores is a joint distribution of the two labels.
// Beside Logistic it is piecewise training (Sutton and McCallum, "Piecewise training for undirected
// models", 2005).
func PairLogistic(d *Data, o Options, it IterOptions) (*Linear, Iterations) {
	n := d.Labels * d.Labels
	ob, v, r := fit(d, Edges, 2*n, n, func(factor []float64) loss { return logisticEdges(factor, d.Labels) }, o, it)
	return ob.model(v, 2, 0, n, 0), r
}

// A LogLinear is a CRF by its scores: P(y) ∝ exp(Σ_s Unary_{y_s}(x_s) + Σ_st Pair_{y_s y_t}(x_s,
// x_t)). To find the best labeling minimize their negatives.
type LogLinear struct {
	Unary, Pair *Linear
}

// Pseudolikelihood trains unary and pair scores together by maximizing Σ_s log P(y_s | the
// neighbors' labels) (Besag, "Statistical analysis of non-lattice data", 1975). Balance weights the
// nodes.
func Pseudolikelihood(d *Data, o Options, it IterOptions) (LogLinear, Iterations) {
	l := d.Labels
	ob, v, r := fit(d, Nodes, l+2*l*l, l+l*l, pseudolikelihood, o, it)
	return LogLinear{ob.model(v, 1, 0, l, 0), ob.model(v, 2, l, l*l, l)}, r
}

// fit minimizes a loss of so many columns and biases, given the weights of the rows of a kind, and
// returns the objective and its parameters at the minimum.
func fit(d *Data, kind Kind, columns, biases int, lossOf func(factor []float64) loss, o Options,
	it IterOptions) (*objective, []float64, Iterations) {
	d.check()
	factor, total := d.factors(kind, o.Balance)
	ob := newObjective(d, columns, biases, lossOf(factor), total, o.Lambda, it.Workers)
	v := make([]float64, ob.size())
	r := ob.minimize(v, it)
	return ob, v, r
}

// logisticLoss returns -log softmax_y(s) and turns the scores into the softmax in place.
func logisticLoss(s []float64, y int) float64 {
	top := math.Inf(-1)
	for _, v := range s {
		top = max(top, v)
	}
	own, sum := s[y], 0.0
	for i, v := range s {
		e := arith.Exp(v - top)
		s[i] = e
		sum += e
	}
	for i := range s {
		s[i] /= sum
	}
	return top + arith.Log(sum) - own
}

// logisticNodes is -Σ w_s log softmax_{y_s}(z_s + b).
func logisticNodes(factor []float64) loss {
	l := len(factor)
	return func(m *Image, stride int, z, bias, dz, dbias []float64) (f float64) {
		p := make([]float64, l)
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			w := factor[y]
			for j := range p {
				p[j] = z[s*stride+j] + bias[j]
			}
			f += float64(w * logisticLoss(p, int(y)))
			p[y]--
			for j, v := range p {
				dz[s*stride+j] += float64(w * v)
				dbias[j] += float64(w * v)
			}
		}
		return f
	}
}

// logisticEdges is -Σ w_st log softmax over the n label pairs of z_s[:n] + z_t[n:] + b: a piece of
// piecewise training.
func logisticEdges(factor []float64, labels int) loss {
	n := len(factor)
	return func(m *Image, stride int, z, bias, dz, dbias []float64) (f float64) {
		q := make([]float64, n)
		m.eachEdge(func(s, t int) {
			y := int(m.Y[s])*labels + int(m.Y[t])
			w := factor[y]
			a, b := z[s*stride:][:n], z[t*stride+n:][:n]
			for p := range q {
				q[p] = a[p] + b[p] + bias[p]
			}
			f += float64(w * logisticLoss(q, y))
			q[y]--
			da, db, dbias := dz[s*stride:][:n], dz[t*stride+n:][:n], dbias[:n]
			for p, v := range q {
				g := float64(w * v)
				da[p] += g
				db[p] += g
				dbias[p] += g
			}
		})
		return f
	}
}

// pseudolikelihood is -Σ w_s log softmax_{y_s}[u_s(·) + Σ_t p_st(·, y_t)] over the labeled nodes
// and their labeled neighbors. Columns are L unary scores, then L² of the tail and L² of the head;
// biases L and L².
func pseudolikelihood(factor []float64) loss {
	l := len(factor)
	n := l * l
	return func(m *Image, stride int, z, bias, dz, dbias []float64) (f float64) {
		score, grad := make([]float64, len(m.Y)*l), make([]float64, len(m.Y)*l)
		// ends visits both ends of every edge: s is scored, given the label of t.
		ends := func(visit func(s, t int, tail bool)) {
			m.eachEdge(func(s, t int) {
				visit(s, t, true)
				visit(t, s, false)
			})
		}
		for s := range m.Y {
			for j := range l {
				score[s*l+j] = z[s*stride+j] + bias[j]
			}
		}
		ends(func(s, t int, tail bool) {
			y := int(m.Y[t])
			for j := range l {
				if tail {
					p := j*l + y
					score[s*l+j] += z[s*stride+l+p] + z[t*stride+l+n+p] + bias[l+p]
				} else {
					p := y*l + j
					score[s*l+j] += z[t*stride+l+p] + z[s*stride+l+n+p] + bias[l+p]
				}
			}
		})
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			w := factor[y]
			q := score[s*l : (s+1)*l]
			f += float64(w * logisticLoss(q, int(y)))
			q[y]--
			for j, v := range q {
				g := float64(w * v)
				grad[s*l+j] = g
				dz[s*stride+j] += g
				dbias[j] += g
			}
		}
		ends(func(s, t int, tail bool) {
			y := int(m.Y[t])
			for j := range l {
				g := grad[s*l+j]
				from, to, p := s, t, j*l+y
				if !tail {
					from, to, p = t, s, y*l+j
				}
				dz[from*stride+l+p] += g
				dz[to*stride+l+n+p] += g
				dbias[l+p] += g
			}
		})
		return f
	}
}
