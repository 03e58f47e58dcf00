package lscrf

import (
	"context"
	"errors"
	"fmt"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/regress"
)

// A treeFit is what the trainings of trees of one model have in common.
type treeFit struct {
	workers  int
	loss     func(part string, loss float64)
	progress func(done, total int)
}

// step returns the progress function of a part, which stops the training when ctx ends.
func (t *treeFit) step(ctx context.Context, part string) func(boost.Progress) bool {
	return func(p boost.Progress) bool {
		t.loss(part, p.Loss)
		t.progress(p.Sequence*p.Trees+p.Tree, p.Sequences*p.Trees)
		return ctx.Err() == nil
	}
}

// fit trains the trees of a part.
func (t *treeFit) fit(ctx context.Context, part string, data boost.Data, o boost.Options) (*Forest, error) {
	trees, err := boost.Fit(data, o, t.workers, t.step(ctx, part))
	if stopped := ctx.Err(); stopped != nil {
		err = stopped
	}
	return &Forest{trees}, err
}

// treeOutputs is the number of outputs of trees over nodes: of two labels the second is enough.
func treeOutputs(labels int) int {
	if labels == 2 {
		return 1
	}
	return labels
}

// nodes fits trees that predict the labels of nodes. Labels with fewer than MinRows rows get a
// constant.
func (t *treeFit) nodes(ctx context.Context, d *dataset, o *TrainOptions) (*Regressor, error) {
	f := d.flatten()
	data := nodeData(d, f, d.bin(o.Trees.Borders, t.workers), o)
	r := &Regressor{Outputs: d.Labels, Rare: rare(d.learned(regress.Nodes, o.MinRows))}
	if len(r.Rare) > 0 {
		r.Constant = o.Rare
	}
	var err error
	r.Trees, err = t.fit(ctx, "node", data, o.Trees)
	return r, err
}

// nodeData states the regression of labels on the nodes' features.
func nodeData(d *dataset, f *flat, bins *boost.Binned, o *TrainOptions) boost.Data {
	outputs := treeOutputs(d.Labels)
	first := d.Labels - outputs
	factor := d.factors(regress.Nodes, o.Balance, d.learned(regress.Nodes, 1))
	data := boost.Data{Design: boost.Rows(bins), Outputs: outputs}
	data.Targets, data.Weights = make([]float32, len(f.y)*outputs), make([]float32, len(f.y))
	for i, y := range f.y {
		if y == regress.Skip {
			continue // weight 0
		}
		data.Weights[i] = float32(factor[y])
		if k := int(y) - first; k >= 0 {
			data.Targets[i*outputs+k] = 1
		}
	}
	return data
}

// edges fits trees that predict the label pairs of edges.
func (t *treeFit) edges(ctx context.Context, d *dataset, o *TrainOptions) (*Regressor, error) {
	f := d.flatten()
	learned := d.learned(regress.Edges, o.MinRows)
	r := &Regressor{Outputs: d.Labels * d.Labels, Rare: rare(learned), Constant: o.Rare}
	factor := d.factors(regress.Edges, o.Balance, learned)
	data := boost.Data{Outputs: r.Outputs}
	var edges [][2]int32
	for _, e := range f.edges {
		if f.y[e[0]] == regress.Skip || f.y[e[1]] == regress.Skip {
			continue
		}
		p := int(f.y[e[0]])*d.Labels + int(f.y[e[1]])
		edges = append(edges, e)
		data.Weights = append(data.Weights, float32(factor[p]))
		data.Targets = append(data.Targets, make([]float32, r.Outputs)...)
		data.Targets[len(data.Targets)-r.Outputs+p] = 1
	}
	data.Design = boost.Pairs(d.bin(o.Trees.Borders, t.workers), edges)
	var err error
	r.Trees, err = t.fit(ctx, "edge", data, o.Trees)
	return r, err
}

// features trains the classifiers of the tree features and replaces the features of every image by
// the final ones. The classifiers that give an image its tree features saw no image of its fold,
// which holds whole groups.
func (t *treeFit) features(ctx context.Context, d *dataset, o *TrainOptions) (*Forest, error) {
	f := d.flatten()
	opt := o.TreeFeatures.Options
	data := nodeData(d, f, d.bin(opt.Borders, t.workers), o)
	cross, err := boost.CrossFit(data, f.group, o.TreeFeatures.Folds, opt, t.workers, t.step(ctx, "features"))
	if stopped := ctx.Err(); stopped != nil {
		return nil, stopped
	}
	if err != nil {
		return nil, foldsErr(d.mix, err)
	}
	first := 0
	for i := range d.Images {
		m := &d.Images[i]
		n := len(m.Y)
		m.X = o.TreeFeatures.join(m.X, d.Dim, cross.Out[first*data.Outputs:(first+n)*data.Outputs], data.Outputs, n, m.Edges)
		first += n
	}
	d.Dim = o.TreeFeatures.width(d.Dim, data.Outputs)
	return &Forest{cross.Model}, nil
}

// width returns the number of final features of a superpixel with dim features of its own, whose
// classifiers have so many outputs.
func (o TreeFeatureOptions) width(dim, outputs int) int {
	if o.AutoContext {
		outputs *= 1 + feature.AutoContextDim
	}
	return dim + outputs
}

// join returns the final features of n superpixels, n x width: their own x, the outputs p of the
// classifiers, and with AutoContext what these say around each.
func (o TreeFeatureOptions) join(x []float32, dim int, p []float32, outputs, n int, edges [][2]int32) []float32 {
	var around []float32
	if o.AutoContext {
		around = feature.AutoContext(p, outputs, feature.Places(x, dim), edges)
	}
	more := len(around) / max(n, 1)
	all := make([]float32, 0, n*o.width(dim, outputs))
	for i := range n {
		all = append(all, x[i*dim:(i+1)*dim]...)
		all = append(all, p[i*outputs:(i+1)*outputs]...)
		all = append(all, around[i*more:(i+1)*more]...)
	}
	return all
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

// A FewError says that a mix of tiers has too few images for a setting. Another mix may have
// enough.
type FewError struct{ message string }

func (e *FewError) Error() string { return e.message }

// few makes a FewError of a format like that of fmt.Errorf.
func few(format string, args ...any) error { return &FewError{fmt.Sprintf(format, args...)} }

// foldsErr names the setting and the images in an error of too few groups of rows for the folds of
// tree features.
func foldsErr(m Mix, err error) error {
	var f *boost.FewError
	if !errors.As(err, &f) {
		return err
	}
	want := fmt.Sprintf("2 to %d", f.Groups)
	if f.Groups < 2 {
		want = "0, which turns tree features off"
	}
	return few("train.treeFeatures.folds: got %d with %d images of the tiers %s (near duplicates are one), want %s", f.Folds,
		f.Groups, m, want)
}
