package regress

import "math"

// logSoftmax turns scores into log-probabilities in place and returns that of label y.
func logSoftmax(s []float64, y int) float64 {
	top := math.Inf(-1)
	for _, v := range s {
		top = max(top, v)
	}
	sum := 0.0
	for _, v := range s {
		sum += math.Exp(v - top)
	}
	lse := top + math.Log(sum)
	for i := range s {
		s[i] -= lse
	}
	return s[y]
}

// squaredNodes is Σ w_s Σ_j (z_sj + b_j - [y_s=j])², with weights times factor[y_s].
func squaredNodes(factor []float64) loss {
	l := len(factor)
	return func(m *Image, z, bias, dz, dbias []float64) (f float64) {
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			w := m.nodeWeight(s) * factor[y]
			for j := range l {
				r := z[s*l+j] + bias[j]
				if j == int(y) {
					r--
				}
				f += w * r * r
				dz[s*l+j] += 2 * w * r
				dbias[j] += 2 * w * r
			}
		}
		return f
	}
}

// squaredEdges is the same for edges: f_st = z_s[:n] + z_t[n:] + b over the n label pairs.
func squaredEdges(factor []float64, labels int, both bool) loss {
	n := len(factor)
	return func(m *Image, z, bias, dz, dbias []float64) (f float64) {
		m.eachEdge(both, func(s, t int, w float64) {
			y := int(m.Y[s])*labels + int(m.Y[t])
			w *= factor[y]
			a, b := z[s*2*n:][:n], z[t*2*n+n:][:n]
			da, db := dz[s*2*n:][:n], dz[t*2*n+n:][:n]
			for p := range n {
				r := a[p] + b[p] + bias[p]
				if p == y {
					r--
				}
				f += w * r * r
				da[p] += 2 * w * r
				db[p] += 2 * w * r
				dbias[p] += 2 * w * r
			}
		})
		return f
	}
}

// logisticNodes is -Σ w_s log softmax_{y_s}(z_s + b).
func logisticNodes(factor []float64) loss {
	l := len(factor)
	return func(m *Image, z, bias, dz, dbias []float64) (f float64) {
		p := make([]float64, l)
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			w := m.nodeWeight(s) * factor[y]
			for j := range p {
				p[j] = z[s*l+j] + bias[j]
			}
			f -= w * logSoftmax(p, int(y))
			for j, v := range p {
				g := w * math.Exp(v)
				if j == int(y) {
					g -= w
				}
				dz[s*l+j] += g
				dbias[j] += g
			}
		}
		return f
	}
}

// logisticEdges is -Σ w_st log softmax over the n label pairs of z_s[:n] + z_t[n:] + b: a piece of
// piecewise training.
func logisticEdges(factor []float64, labels int, both bool) loss {
	n := len(factor)
	return func(m *Image, z, bias, dz, dbias []float64) (f float64) {
		q := make([]float64, n)
		m.eachEdge(both, func(s, t int, w float64) {
			y := int(m.Y[s])*labels + int(m.Y[t])
			w *= factor[y]
			a, b := z[s*2*n:][:n], z[t*2*n+n:][:n]
			for p := range q {
				q[p] = a[p] + b[p] + bias[p]
			}
			f -= w * logSoftmax(q, y)
			da, db := dz[s*2*n:][:n], dz[t*2*n+n:][:n]
			for p, v := range q {
				g := w * math.Exp(v)
				if p == y {
					g -= w
				}
				da[p] += g
				db[p] += g
				dbias[p] += g
			}
		})
		return f
	}
}

// pseudolikelihood is -Σ w_s log softmax_{y_s}[u_s(·) + Σ_t p_st(·, y_t)] over the labeled nodes and
// their labeled neighbors. Columns are L unary scores, then L² of the tail and L² of the head; biases L and L². An
// edge's weight multiplies its table. If both, the table of an edge is the mean of
// those of its two orientations, so that it does not matter which way it is given.
func pseudolikelihood(factor []float64, both bool) loss {
	l := len(factor)
	n := l * l
	k := l + 2*n
	return func(m *Image, z, bias, dz, dbias []float64) (f float64) {
		type half struct {
			s, t int // s is scored, given the label of t
			tail bool
			w    float64
		}
		score, grad := make([]float64, len(m.Y)*l), make([]float64, len(m.Y)*l)
		var halves []half
		m.eachEdge(both, func(s, t int, w float64) {
			if both {
				w /= 2
			}
			halves = append(halves, half{s, t, true, w}, half{t, s, false, w})
		})
		for s := range m.Y {
			for j := range l {
				score[s*l+j] = z[s*k+j] + bias[j]
			}
		}
		for _, h := range halves {
			y := int(m.Y[h.t])
			for j := range l {
				if h.tail {
					p := j*l + y
					score[h.s*l+j] += h.w * (z[h.s*k+l+p] + z[h.t*k+l+n+p] + bias[l+p])
				} else {
					p := y*l + j
					score[h.s*l+j] += h.w * (z[h.t*k+l+p] + z[h.s*k+l+n+p] + bias[l+p])
				}
			}
		}
		for s, y := range m.Y {
			if y == Skip {
				continue
			}
			w := m.nodeWeight(s) * factor[y]
			q := score[s*l : (s+1)*l]
			f -= w * logSoftmax(q, int(y))
			for j, v := range q {
				g := w * math.Exp(v)
				if j == int(y) {
					g -= w
				}
				grad[s*l+j] = g
				dz[s*k+j] += g
				dbias[j] += g
			}
		}
		for _, h := range halves {
			y := int(m.Y[h.t])
			for j := range l {
				g := h.w * grad[h.s*l+j]
				tail, head, p := h.s, h.t, j*l+y
				if !h.tail {
					tail, head, p = h.t, h.s, y*l+j
				}
				dz[tail*k+l+p] += g
				dz[head*k+l+n+p] += g
				dbias[l+p] += g
			}
		}
		return f
	}
}
