package regress

import (
	"slices"

	"hdseg/lscrf/internal/parallel"
	"hdseg/manifests/arith"
)

// A loss returns the loss of one image from its scores z, nodes x stride, and the biases, and adds
// its derivatives to dz and dbias. Each node's scores are linear functions of its features alone;
// whatever couples nodes happens here. So the cost of a pass is nodes x features x columns, and
// edges only cost table lookups.
type loss func(m *Image, stride int, z, bias, dz, dbias []float64) float64

// An objective is the sum of a loss over images, divided by total, plus lambda Σ u² over the
// weights u of the standardized features. Its parameters v are weights of whitened features, Dim x
// columns, followed by the biases: u = L⁻ᵀ v with L the Cholesky factor of the features'
// correlations over nodes. That changes nothing at the minimum, but quasi-Newton methods get there
// in a fraction of the iterations.
type objective struct {
	data          *Data
	columns       int
	stride        int // columns rounded up to a multiple of 8, for the kernels
	biases        int
	loss          loss
	total         float64
	lambda        float64         // the penalty on every weight
	mean, inverse []float64       // per feature: its mean and 1/deviation, 0 if it has none
	whiten        *arith.Cholesky // L
	workers       int
}

func newObjective(d *Data, columns, biases int, f loss, total, lambda float64, workers int) *objective {
	o := &objective{data: d, columns: columns, stride: (columns + 7) / 8 * 8, biases: biases, loss: f,
		lambda: lambda, total: max(total, 1e-300), workers: max(workers, 1)}
	o.mean, o.inverse = d.moments()
	for c, v := range o.inverse {
		if v > 0 {
			o.inverse[c] = 1 / v
		}
	}
	o.whiten = d.correlation(o.mean, o.inverse)
	return o
}

// Warm starts: a convex problem of many images is first solved on every 16th and every 4th of them.
var warmSteps = []int{16, 4}

// warmImages is the least number of images that a warm start takes.
const warmImages = 8

// warmTolerance ends the iterations of warm starts, whose minimum is only near that of all images.
const warmTolerance = 1e-3

// minimize finds the minimum by L-BFGS from v, with warm starts. Iterations are those over all
// images.
func (o *objective) minimize(v []float64, it IterOptions) Iterations {
	for _, step := range warmSteps {
		n := len(o.data.Images) / step
		if n < warmImages {
			continue
		}
		part := *o
		part.data = &Data{Dim: o.data.Dim, Labels: o.data.Labels}
		for i := range n {
			part.data.Images = append(part.data.Images, o.data.Images[i*step+step/2])
		}
		part.total *= float64(n) / float64(len(o.data.Images))
		warm := it
		warm.Tolerance = max(it.Tolerance, warmTolerance)
		if it.Progress != nil {
			warm.Progress = func(_ int, value float64) bool { return it.Progress(0, value) }
		}
		if r := minimize(part.value, v, warm); r.Status == Stopped {
			return r
		}
	}
	return minimize(o.value, v, it)
}

// parts is the number of ranges that the images are cut into. It does not depend on the workers, so
// that sums do not either.
const parts = 32

// value returns the objective at v and puts its gradient into grad.
func (o *objective) value(v, grad []float64) float64 {
	u := o.standard(v)
	raw, offset := o.raw(u)
	bias := v[len(v)-o.biases:]
	n := min(parts, len(o.data.Images))
	done, scratch := make([]partial, n), make([]buffers, o.workers)
	parallel.Each(o.workers, n, func(worker, i int) {
		p := partial{dw: make([]float64, len(raw)), sum: make([]float64, o.columns), dbias: make([]float64, o.biases)}
		for j := i * len(o.data.Images) / n; j < (i+1)*len(o.data.Images)/n; j++ {
			o.image(&o.data.Images[j], raw, offset, bias, &p, &scratch[worker])
		}
		done[i] = p
	})
	clear(grad)
	f := 0.0
	for _, p := range done { // in order
		f += p.f / o.total
		for c := range o.data.Dim {
			for k := range o.columns {
				i := c*o.columns + k
				grad[i] += (p.dw[c*o.stride+k] - float64(o.mean[c]*p.sum[k])) * o.inverse[c] / o.total
			}
		}
		for k, u := range p.dbias {
			grad[o.data.Dim*o.columns+k] += u / o.total
		}
	}
	for i, w := range u {
		f += float64(o.lambda * w * w)
		grad[i] += float64(2 * o.lambda * w)
	}
	o.whiten.SolveLower(grad, o.columns)
	return f
}

// standard returns the weights of the standardized features.
func (o *objective) standard(v []float64) []float64 {
	u := append([]float64(nil), v[:o.data.Dim*o.columns]...)
	o.whiten.SolveUpper(u, o.columns)
	return u
}

// A partial is the sum over a range of images.
type partial struct {
	f              float64
	dw, sum, dbias []float64 // Dim x stride, columns, biases
}

type buffers struct {
	z, dz []float64 // nodes x stride
	xt    []float32 // the image's features, feature by feature
}

// image adds one image: scores z = x w - offset, their loss, and its derivative xᵀ dz.
func (o *objective) image(m *Image, raw, offset, bias []float64, p *partial, b *buffers) {
	nodes, d := len(m.Y), o.data.Dim
	b.z, b.dz, b.xt = resize(b.z, nodes*o.stride), resize(b.dz, nodes*o.stride), resize(b.xt, len(m.X))
	for s := range nodes {
		z := b.z[s*o.stride : (s+1)*o.stride]
		for k, u := range offset {
			z[k] = -u
		}
		kernels.apply(z, m.X[s*d:(s+1)*d], raw)
		for c, u := range m.X[s*d : (s+1)*d] {
			b.xt[c*nodes+s] = u
		}
	}
	clear(b.dz)
	p.f += o.loss(m, o.stride, b.z, bias, b.dz, p.dbias)
	for c := range d {
		kernels.apply(p.dw[c*o.stride:(c+1)*o.stride], b.xt[c*nodes:(c+1)*nodes], b.dz)
	}
	for s := range nodes {
		for k := range p.sum {
			p.sum[k] += b.dz[s*o.stride+k]
		}
	}
}

// raw turns weights of standardized features into those of the features as they are, Dim x stride,
// and what standardizing takes off the scores.
func (o *objective) raw(v []float64) (w, offset []float64) {
	w, offset = make([]float64, o.data.Dim*o.stride), make([]float64, o.stride)
	for c := range o.data.Dim {
		for k := range o.columns {
			u := v[c*o.columns+k] * o.inverse[c]
			w[c*o.stride+k] = u
			offset[k] += float64(u * o.mean[c])
		}
	}
	return w, offset
}

// size returns the number of parameters.
func (o *objective) size() int { return o.data.Dim*o.columns + o.biases }

// model returns n columns from first on as a model of nodes (parts = 1), or those for the tail and
// n more behind them for the head as a model of edges (parts = 2), with biases from bias on.
func (o *objective) model(v []float64, parts, first, n, bias int) *Linear {
	w, offset := o.raw(o.standard(v))
	d := o.data.Dim
	m := NewLinear(parts*d, n)
	copy(m.B, v[d*o.columns+bias:])
	for part := range parts {
		for p := range n {
			column := first + part*n + p
			for c := range d {
				m.W[(part*d+c)*n+p] = w[c*o.stride+column]
			}
			m.B[p] -= offset[column]
		}
	}
	return m
}

// resize returns n elements of any content, in the memory of s if they fit.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
