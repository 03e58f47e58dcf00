package regress

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A loss returns the loss of one image from its scores z, nodes x columns, and the biases, and adds its derivatives
// to dz and dbias. Each node's scores are linear functions of its features alone; whatever
// couples nodes happens here. So the cost of a pass is nodes x features x columns, and edges
// only cost table lookups.
type loss func(m *Image, z, bias, dz, dbias []float64) float64

// An objective is the sum of a loss over images, divided by total, plus Σ penalty v². Its parameters are the
// weights of the standardized features, Dim x columns, followed by the biases.
type objective struct {
	data          *Data
	columns       int
	biases        int
	loss          loss
	total         float64
	penalty       []float64 // per weight
	mean, inverse []float64 // per feature: its mean and 1/deviation, 0 if it has none
	workers       int
}

func newObjective(d *Data, columns, biases int, f loss, total, lambda float64, workers int) *objective {
	o := &objective{data: d, columns: columns, biases: biases, loss: f, total: max(total, 1e-300), workers: max(workers, 1)}
	o.mean, o.inverse = d.moments()
	for c, v := range o.inverse {
		if v > 0 {
			o.inverse[c] = 1 / v
		}
	}
	o.penalty = make([]float64, d.Dim*columns)
	for i := range o.penalty {
		o.penalty[i] = lambda
	}
	return o
}

// parts is the number of ranges that the images are cut into. It does not depend on the workers, so that sums
// do not either.
const parts = 32

// value returns the objective at v and puts its gradient into grad.
func (o *objective) value(v, grad []float64) float64 {
	raw, offset := o.raw(v)
	bias := v[len(v)-o.biases:]
	n := min(parts, len(o.data.Images))
	type partial struct {
		f              float64
		dw, sum, dbias []float64
	}
	done := make([]partial, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(o.workers, n) {
		wg.Go(func() {
			var x, z, dz []float64
			for i := range next {
				p := partial{dw: make([]float64, len(raw)), sum: make([]float64, o.columns), dbias: make([]float64, o.biases)}
				for j := i * len(o.data.Images) / n; j < (i+1)*len(o.data.Images)/n; j++ {
					m := &o.data.Images[j]
					nodes := len(m.Y)
					if nodes == 0 {
						continue
					}
					x, z, dz = resize(x, len(m.X)), resize(z, nodes*o.columns), resize(dz, nodes*o.columns)
					for k, u := range m.X {
						x[k] = float64(u)
					}
					for s := range nodes {
						for c, u := range offset {
							z[s*o.columns+c] = -u
						}
					}
					clear(dz)
					a := blas64.General{Rows: nodes, Cols: o.data.Dim, Stride: o.data.Dim, Data: x}
					w := blas64.General{Rows: o.data.Dim, Cols: o.columns, Stride: o.columns, Data: raw}
					blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, a, w, 1, blas64.General{Rows: nodes, Cols: o.columns, Stride: o.columns, Data: z})
					p.f += o.loss(m, z, bias, dz, p.dbias)
					g := blas64.General{Rows: nodes, Cols: o.columns, Stride: o.columns, Data: dz}
					blas64.Gemm(blas.Trans, blas.NoTrans, 1, a, g, 1, blas64.General{Rows: o.data.Dim, Cols: o.columns, Stride: o.columns, Data: p.dw})
					for s := range nodes {
						for c, u := range dz[s*o.columns : (s+1)*o.columns] {
							p.sum[c] += u
						}
					}
				}
				done[i] = p
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	clear(grad)
	f := 0.0
	for _, p := range done { // in order
		f += p.f / o.total
		for c := range o.data.Dim {
			for k := range o.columns {
				i := c*o.columns + k
				grad[i] += (p.dw[i] - o.mean[c]*p.sum[k]) * o.inverse[c] / o.total
			}
		}
		for k, u := range p.dbias {
			grad[len(raw)+k] += u / o.total
		}
	}
	for i, l := range o.penalty {
		f += l * v[i] * v[i]
		grad[i] += 2 * l * v[i]
	}
	return f
}

// raw returns the weights of the features as they are, and what standardizing takes off the scores.
func (o *objective) raw(v []float64) (w, offset []float64) {
	w, offset = make([]float64, o.data.Dim*o.columns), make([]float64, o.columns)
	for c := range o.data.Dim {
		for k := range o.columns {
			u := v[c*o.columns+k] * o.inverse[c]
			w[c*o.columns+k] = u
			offset[k] += u * o.mean[c]
		}
	}
	return w, offset
}

// size returns the number of parameters.
func (o *objective) size() int { return o.data.Dim*o.columns + o.biases }

// nodeModel returns columns first..first+n as a model of nodes, with biases from the same place.
func (o *objective) nodeModel(v []float64, first, n int) *Linear {
	w, offset := o.raw(v)
	m := NewLinear(o.data.Dim, n)
	for p := range n {
		for c := range o.data.Dim {
			m.W[c*n+p] = w[c*o.columns+first+p]
		}
		m.B[p] = v[len(w)+first+p] - offset[first+p]
	}
	return m
}

// edgeModel returns n columns from first on for the tail and n more for the head as a model of edges, with
// biases from bias on.
func (o *objective) edgeModel(v []float64, first, n, bias int) *Linear {
	w, offset := o.raw(v)
	m := NewLinear(2*o.data.Dim, n)
	for p := range n {
		for c := range o.data.Dim {
			m.W[c*n+p] = w[c*o.columns+first+p]
			m.W[(o.data.Dim+c)*n+p] = w[c*o.columns+first+n+p]
		}
		m.B[p] = v[len(w)+bias+p] - offset[first+p] - offset[first+n+p]
	}
	return m
}

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
