package lscrf

import (
	"context"
	"slices"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/regress"
)

// treeOutputs is the number of outputs of trees over nodes: of two labels the second is enough.
func treeOutputs(labels int) int {
	if labels == 2 {
		return 1
	}
	return labels
}

// nodeTrees fits trees that predict the labels of nodes. Labels with fewer than MinRows rows get a constant.
func (t *fitting) nodeTrees(ctx context.Context, d *dataset, o *TrainOptions) (*Regressor, error) {
	f := d.flatten()
	binning := boost.NewBinning(f.x, f.n, d.Dim, o.Trees.Borders, t.workers)
	data := nodeData(d, f, binning.Bin(f.x, f.n, t.workers), o)
	var err error
	if data.HeldOut, err = boost.HoldOut(f.group, data.Weights, o.Trees); err != nil {
		return nil, treesErr("train.trees", d.mix, err)
	}
	r := &Regressor{Outputs: d.Labels, Rare: rare(d.learned(regress.Nodes, o))}
	if len(r.Rare) > 0 {
		r.Constant = o.Rare
	}
	r.Trees, err = t.trees(ctx, "node", data, o.Trees)
	return r, err
}

// nodeData states the regression of labels on the nodes' features.
func nodeData(d *dataset, f *flat, bins *boost.Binned, o *TrainOptions) boost.Data {
	outputs := treeOutputs(d.Labels)
	first := d.Labels - outputs
	factor := regress.Balanced(o.Balance, regress.Nodes, d.Labels, d.totals(regress.Nodes), atLeast(d.rows(regress.Nodes), 1))
	data := boost.Data{Design: boost.Rows(bins), Outputs: outputs, Targets: make([]float32, f.n*outputs), Weights: make([]float32, f.n)}
	for i, y := range f.y {
		if y == regress.Skip {
			continue // weight 0
		}
		data.Weights[i] = f.w[i] * float32(factor[y])
		if k := int(y) - first; k >= 0 {
			data.Targets[i*outputs+k] = 1
		}
	}
	return data
}

// edgeTrees fits trees that predict the label pairs of edges.
func (t *fitting) edgeTrees(ctx context.Context, d *dataset, o *TrainOptions) (*Regressor, error) {
	f := d.flatten()
	binning := boost.NewBinning(f.x, f.n, d.Dim, o.Trees.Borders, t.workers)
	bins := binning.Bin(f.x, f.n, t.workers)
	f.x = nil
	learned := d.learned(o.kind(), o)
	r := &Regressor{Outputs: d.Labels * d.Labels, Rare: rare(learned), Constant: o.Rare}
	factor := regress.Balanced(o.Balance, o.kind(), d.Labels, d.totals(o.kind()), learned)
	data := boost.Data{Outputs: r.Outputs}
	var edges [][2]int32
	var group []int
	add := func(s, t int32, w float32) {
		p := int(f.y[s])*d.Labels + int(f.y[t])
		if w == 0 {
			return
		}
		edges = append(edges, [2]int32{s, t})
		group = append(group, f.group[s])
		data.Weights = append(data.Weights, w*float32(factor[p]))
		data.Targets = append(data.Targets, make([]float32, r.Outputs)...)
		data.Targets[len(data.Targets)-r.Outputs+p] = 1
	}
	for i, e := range f.edges {
		if f.y[e[0]] == regress.Skip || f.y[e[1]] == regress.Skip {
			continue
		}
		add(e[0], e[1], f.edgeW[i])
		if o.Orientation == OrientBoth {
			add(e[1], e[0], f.edgeW[i])
		}
	}
	data.Design = boost.Pairs(bins, edges)
	var err error
	if data.HeldOut, err = boost.HoldOut(group, data.Weights, o.Trees); err != nil {
		return nil, treesErr("train.trees", d.mix, err)
	}
	r.Trees, err = t.trees(ctx, "edge", data, o.Trees)
	return r, err
}

// addTreeFeatures trains the classifiers of the tree features and replaces the features of every
// image by the final ones. An image's tree features come from classifiers that saw no image of
// its fold, which holds all images that are alike.
func (t *fitting) addTreeFeatures(ctx context.Context, d *dataset, o *TrainOptions) (*Forest, error) {
	base := slices.Clone(d.Images)
	d.widen(o.Context)
	f := d.flatten()
	opt := o.TreeFeatures.Options
	binning := boost.NewBinning(f.x, f.n, d.Dim, opt.Borders, t.workers)
	bins := binning.Bin(f.x, f.n, t.workers)
	f.x = nil
	data := nodeData(d, f, bins, o)
	cross, err := t.cross(ctx, data, f.group, o.TreeFeatures.Folds, opt)
	if err != nil {
		return nil, treesErr("train.treeFeatures", d.mix, err)
	}
	dim := d.Dim / (1 + o.Context)
	first := 0
	for i := range d.Images {
		m := &d.Images[i]
		n := len(m.Y)
		p := cross.Out[first*data.Outputs : (first+n)*data.Outputs]
		m.X = o.join(base[i].X, dim, p, data.Outputs, n, m.Edges)
		first += n
	}
	d.Dim = o.TreeFeatures.width(dim, data.Outputs) * (1 + o.Context)
	return &Forest{cross.Model}, nil
}

// widen adds the context of every node.
func (d *dataset) widen(rings int) {
	if rings == 0 {
		return
	}
	for i := range d.Images {
		m := &d.Images[i]
		m.X = widen(m.X, d.Dim, len(m.Y), m.Edges, rings)
	}
	d.Dim *= 1 + rings
}

// learned tells which labels, or label pairs, have enough rows.
func (d *dataset) learned(kind regress.Kind, o *TrainOptions) []bool {
	return atLeast(d.rows(kind), max(o.MinRows, 1))
}

// rare returns the outputs that are not learned.
func rare(learned []bool) (out []int) {
	for p, ok := range learned {
		if !ok {
			out = append(out, p)
		}
	}
	return out
}

func atLeast(n []int64, least int64) []bool {
	out := make([]bool, len(n))
	for i, v := range n {
		out[i] = v >= least
	}
	return out
}
