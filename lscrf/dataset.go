package lscrf

import (
	"context"

	"hdseg/lscrf/tools/boost"
	"hdseg/lscrf/tools/regress"
)

// A dataset is the training images of a mix in memory, for what needs rows again and again.
type dataset struct {
	regress.Data
	mix     Mix
	ids     []string
	persons [][]uint8 // by image
	groups  Groups
}

// gather reads the graphs that a mix uses, each with the labels of the tier that it counts for.
func gather(ctx context.Context, src Source, m Mix, labels, workers int) (*dataset, error) {
	d := &dataset{Data: regress.Data{Labels: labels}, mix: m}
	err := EachGraph(ctx, src, workers, func(g *Graph) {
		if t, ok := m.pick(g.Labels); ok {
			d.Dim = g.Dim
			d.ids, d.persons = append(d.ids, g.ID), append(d.persons, g.persons)
			d.Images = append(d.Images, regress.Image{X: g.Features, Edges: g.Edges, Y: g.Labels[t]})
		}
	})
	return d, err
}

// learned tells which labels, or label pairs, have rows, and at least so many.
func (d *dataset) learned(kind regress.Kind, least int64) []bool {
	rows := d.Rows(kind)
	out := make([]bool, len(rows))
	for p, n := range rows {
		out[p] = n >= max(least, 1)
	}
	return out
}

// factors returns what a row of each label, or label pair, counts under a balance.
func (d *dataset) factors(kind regress.Kind, balance string, learned []bool) []float64 {
	rows := d.Rows(kind)
	total := make([]float64, len(rows))
	for p, n := range rows {
		total[p] = float64(n)
	}
	return regress.Balanced(balance, kind, d.Labels, total, learned)
}

// A flat dataset is all nodes one after another, without their features.
type flat struct {
	y     []uint8
	group []int // per node: those of images of one group are equal
	edges [][2]int32
}

// flatten lays the images side by side.
func (d *dataset) flatten() *flat {
	f := &flat{}
	group := d.groups.numbers(d.ids)
	for i, m := range d.Images {
		first := int32(len(f.y))
		f.y = append(f.y, m.Y...)
		for range m.Y {
			f.group = append(f.group, group[i])
		}
		for _, ends := range m.Edges {
			f.edges = append(f.edges, [2]int32{ends[0] + first, ends[1] + first})
		}
	}
	return f
}

// bin cuts the features of all nodes at borders of their own.
func (d *dataset) bin(borders, workers int) *boost.Binned {
	parts := make([][]float32, len(d.Images))
	for i, m := range d.Images {
		parts[i] = m.X
	}
	return boost.BinParts(parts, d.Dim, borders, workers)
}
