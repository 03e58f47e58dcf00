package lscrf

import (
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/superpixel"
)

// What a regressor sees of a superpixel is its row of Setup's features x, made wider. With mean_r the mean of a row over the
// superpixels at distance r in the graph, R = Options.Context, and p the outputs of the tree features,
// which are predicted from the classified row:
//
//	classified = x, mean_1(x), ..., mean_R(x)
//	final      = x', mean_1(x'), ..., mean_R(x')      x' = x, p, around(p)
//
// where x' has the first Options.TreeFeatures.Keep columns of x only, and is x without tree features; around(p) is there
// with Options.TreeFeatures.AutoContext.

// widths are the numbers of columns of the steps.
type widths struct{ classified, final int }

func (m *Model) widths() widths {
	rings := 1 + m.Options.Context
	w := widths{m.Dim * rings, m.Dim * rings}
	if m.TreeFeatures != nil {
		w.final = m.Options.TreeFeatures.width(m.Dim, m.TreeFeatures.Outputs) * rings
	}
	return w
}

// features returns the final rows of a graph.
func (m *Model) features(g *Graph) []float32 {
	x := widen(g.Features, g.Dim, g.N, g.Edges, m.Options.Context)
	if m.TreeFeatures == nil {
		return x
	}
	p := m.TreeFeatures.PredictRows(x, g.N, 1)
	return m.Options.join(g.Features, g.Dim, p, m.TreeFeatures.Outputs, g.N, g.Edges)
}

// width returns the number of columns of x', before the rings.
func (o TreeFeatureOptions) width(dim, outputs int) int {
	if o.AutoContext {
		outputs *= 1 + feature.AutoContextDim
	}
	return o.kept(dim) + outputs
}

// join returns the final rows of n nodes from their features x and tree features p.
func (o *TrainOptions) join(x []float32, dim int, p []float32, outputs, n int, edges [][2]int32) []float32 {
	keep := o.TreeFeatures.kept(dim)
	var around []float32
	if o.TreeFeatures.AutoContext {
		around = feature.AutoContext(p, outputs, feature.Places(x, dim), edges)
	}
	more := len(around) / max(n, 1)
	width := o.TreeFeatures.width(dim, outputs)
	both := make([]float32, 0, n*width)
	for i := range n {
		both = append(both, x[i*dim:i*dim+keep]...)
		both = append(both, p[i*outputs:(i+1)*outputs]...)
		both = append(both, around[i*more:(i+1)*more]...)
	}
	return widen(both, width, n, edges, o.Context)
}

// widen appends to every row the means of the rows at distance 1..rings in the graph; a node
// without any at some distance repeats what it has at the one before. With rings 0 it
// returns x itself.
func widen(x []float32, dim, n int, edges [][2]int32, rings int) []float32 {
	if rings == 0 {
		return x
	}
	width := dim * (1 + rings)
	out := make([]float32, n*width)
	for s := range n {
		copy(out[s*width:], x[s*dim:(s+1)*dim])
	}
	superpixel.Rings(n, edges, rings, func(s, r int, ring []int32) {
		row := out[s*width : (s+1)*width]
		mean := row[r*dim : (r+1)*dim]
		if len(ring) == 0 {
			copy(mean, row[(r-1)*dim:r*dim])
			return
		}
		for _, u := range ring {
			for j, v := range x[int(u)*dim : (int(u)+1)*dim] {
				mean[j] += v
			}
		}
		for j := range mean {
			mean[j] /= float32(len(ring))
		}
	})
	return out
}
