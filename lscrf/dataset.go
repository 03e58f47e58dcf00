package lscrf

import (
	"context"
	"hash/fnv"
	"math/rand/v2"

	"hdseg/lscrf/tools/regress"
	"hdseg/manifests"
)

// A dataset is the training images of a mix in memory, for what needs rows again and again.
type dataset struct {
	regress.Data
	mix     Mix
	ids     []string
	alike   Alike
	weights []float64 // of images, as the mix weighs their tiers
}

// gather reads the graphs that a mix uses, each with the labels of the tier that it counts for.
func gather(ctx context.Context, src Source, m Mix, labels, workers int) (*dataset, error) {
	d := &dataset{Data: regress.Data{Labels: labels}, mix: m}
	type one struct {
		*Graph
		y      []uint8
		weight float64
	}
	err := manifests.Each(ctx, workers, src.Len(),
		func(_ context.Context, i int) (one, error) {
			g, err := src.Graph(i)
			if err != nil {
				return one{}, err
			}
			if t, w := m.pick(tiersOf(g)); w > 0 {
				return one{g, g.Labels[t], w}, nil
			}
			return one{}, nil
		},
		func(_ int, g one, err error) error {
			if err == nil && g.Graph != nil {
				d.Dim = g.Dim
				d.ids = append(d.ids, g.ID)
				d.weights = append(d.weights, g.weight)
				d.Images = append(d.Images, regress.Image{X: g.Features, Edges: g.Edges, Y: g.y})
			}
			return err
		})
	return d, err
}

// sample gives every row a weight, 1 for those that the paper's sampling keeps and else 0. What is drawn for an image depends
// on its id and the seed.
func (d *dataset) sample(kind regress.Kind, seed uint64) {
	nodes, edges := d.rows(regress.Nodes), d.rows(kind)
	nodeRates := regress.SampleRates(regress.Nodes, d.Labels, nodes, regress.NodeFraction)
	edgeRates := regress.SampleRates(kind, d.Labels, edges, regress.EdgeFraction)
	for i := range d.Images {
		m := &d.Images[i]
		rng := rand.New(rand.NewPCG(seed, hashID(d.ids[i])))
		m.NodeWeight = regress.SampleNodes(m.Y, nodeRates, rng)
		m.EdgeWeight = regress.SampleEdges(m.Edges, m.Y, d.Labels, edgeRates, rng)
	}
}

// weigh multiplies the weights of the rows by those of their images, of which the mean over rows is made 1: only their
// ratios count, for penalties are in units of rows. For pseudolikelihood rows are nodes, and the weight of
// an edge is a factor in them: there edges stay as they are.
func (d *dataset) weigh(edges bool) {
	nodeMean, edgeMean := d.meanWeight(regress.Nodes), d.meanWeight(regress.Forward)
	for i, w := range d.weights {
		m := &d.Images[i]
		m.NodeWeight = scaled(m.NodeWeight, len(m.Y), w/nodeMean)
		if edges {
			m.EdgeWeight = scaled(m.EdgeWeight, len(m.Edges), w/edgeMean)
		}
	}
}

// meanWeight returns the mean of the images' weights over the rows that count, exact where all are equal.
func (d *dataset) meanWeight(kind regress.Kind) float64 {
	if len(d.weights) == 0 {
		return 1
	}
	first, sum, rows := d.weights[0], 0.0, 0
	for i, w := range d.weights {
		n := 0
		one := dataset{Data: regress.Data{Labels: d.Labels, Images: d.Images[i : i+1]}}
		one.each(kind, func(_ int, weight float32) {
			if weight > 0 {
				n++
			}
		})
		sum += float64(n) * (w - first)
		rows += n
	}
	return first + sum/float64(max(rows, 1))
}

// scaled returns w times n weights, where nil is all ones.
func scaled(weights []float32, n int, w float64) []float32 {
	if w == 1 {
		return weights
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = weightOf(weights, i) * float32(w)
	}
	return out
}

// rows counts the rows of each label, or label pair.
func (d *dataset) rows(kind regress.Kind) []int64 {
	n := make([]int64, d.outputs(kind))
	d.each(kind, func(p int, _ float32) { n[p]++ })
	return n
}

// totals sums the weights of the rows of each label, or label pair.
func (d *dataset) totals(kind regress.Kind) []float64 {
	w := make([]float64, d.outputs(kind))
	d.each(kind, func(p int, weight float32) { w[p] += float64(weight) })
	return w
}

func (d *dataset) outputs(kind regress.Kind) int {
	if kind == regress.Nodes {
		return d.Labels
	}
	return d.Labels * d.Labels
}

// each visits all rows, as the label or label pair that they teach and their weight.
func (d *dataset) each(kind regress.Kind, visit func(p int, weight float32)) {
	for _, m := range d.Images {
		if kind == regress.Nodes {
			for s, y := range m.Y {
				if y != regress.Skip {
					visit(int(y), weightOf(m.NodeWeight, s))
				}
			}
			continue
		}
		for e, ends := range m.Edges {
			j, k := int(m.Y[ends[0]]), int(m.Y[ends[1]])
			if j == regress.Skip || k == regress.Skip {
				continue
			}
			w := weightOf(m.EdgeWeight, e)
			visit(j*d.Labels+k, w)
			if kind == regress.Edges {
				visit(k*d.Labels+j, w)
			}
		}
	}
}

// A flat dataset is one matrix of all nodes.
type flat struct {
	n     int
	x     []float32
	y     []uint8
	w     []float32 // per node
	group []int     // per node: those of images that are alike are equal
	edges [][2]int32
	edgeW []float32
}

// flatten lays the images side by side.
func (d *dataset) flatten() *flat {
	f := &flat{}
	group := d.alike.numbers(d.ids)
	for _, m := range d.Images {
		f.n += len(m.Y)
	}
	f.x = make([]float32, 0, f.n*d.Dim)
	for i, m := range d.Images {
		first := int32(len(f.y))
		f.x = append(f.x, m.X...)
		f.y = append(f.y, m.Y...)
		for s := range m.Y {
			f.group = append(f.group, group[i])
			f.w = append(f.w, weightOf(m.NodeWeight, s))
		}
		for e, ends := range m.Edges {
			f.edges = append(f.edges, [2]int32{ends[0] + first, ends[1] + first})
			f.edgeW = append(f.edgeW, weightOf(m.EdgeWeight, e))
		}
	}
	return f
}

func weightOf(w []float32, i int) float32 {
	if w == nil {
		return 1
	}
	return w[i]
}

// hashID returns a number that depends on an id alone.
func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
