package regress

import "math"

// logisticLoss returns -log softmax_y(s) and turns the scores into the softmax in place.
func logisticLoss(s []float64, y int) float64 {
	top := math.Inf(-1)
	for _, v := range s {
		top = max(top, v)
	}
	own, sum := s[y], 0.0
	for i, v := range s {
		e := math.Exp(v - top)
		s[i] = e
		sum += e
	}
	for i := range s {
		s[i] /= sum
	}
	return top + math.Log(sum) - own
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
			w := m.nodeWeight(s) * factor[y]
			for j := range p {
				p[j] = z[s*stride+j] + bias[j]
			}
			f += w * logisticLoss(p, int(y))
			p[y]--
			for j, v := range p {
				dz[s*stride+j] += w * v
				dbias[j] += w * v
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
		m.eachEdge(func(s, t int, w float64) {
			y := int(m.Y[s])*labels + int(m.Y[t])
			w *= factor[y]
			a, b := z[s*stride:][:n], z[t*stride+n:][:n]
			for p := range q {
				q[p] = a[p] + b[p] + bias[p]
			}
			f += w * logisticLoss(q, y)
			q[y]--
			da, db, dbias := dz[s*stride:][:n], dz[t*stride+n:][:n], dbias[:n]
			for p, v := range q {
				g := w * v
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
// biases L and L². An edge's weight multiplies its table.
func pseudolikelihood(factor []float64) loss {
	l := len(factor)
	n := l * l
	return func(m *Image, stride int, z, bias, dz, dbias []float64) (f float64) {
		score, grad := make([]float64, len(m.Y)*l), make([]float64, len(m.Y)*l)
		// ends visits both ends of every edge: s is scored, given the label of t.
		ends := func(visit func(s, t int, tail bool, w float64)) {
			m.eachEdge(func(s, t int, w float64) {
				visit(s, t, true, w)
				visit(t, s, false, w)
			})
		}
		for s := range m.Y {
			for j := range l {
				score[s*l+j] = z[s*stride+j] + bias[j]
			}
		}
		ends(func(s, t int, tail bool, w float64) {
			y := int(m.Y[t])
			for j := range l {
				if tail {
					p := j*l + y
					score[s*l+j] += w * (z[s*stride+l+p] + z[t*stride+l+n+p] + bias[l+p])
				} else {
					p := y*l + j
					score[s*l+j] += w * (z[t*stride+l+p] + z[s*stride+l+n+p] + bias[l+p])
				}
			}
		})
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			w := m.nodeWeight(s) * factor[y]
			q := score[s*l : (s+1)*l]
			f += w * logisticLoss(q, int(y))
			q[y]--
			for j, v := range q {
				g := w * v
				grad[s*l+j] = g
				dz[s*stride+j] += g
				dbias[j] += g
			}
		}
		ends(func(s, t int, tail bool, w float64) {
			y := int(m.Y[t])
			for j := range l {
				g := w * grad[s*l+j]
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
