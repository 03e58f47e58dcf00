package boost

import (
	"fmt"

	"hdseg/lscrf/internal/parallel"
)

// Data is what Fit learns from. All slices are only read.
type Data struct {
	Design  Design
	Outputs int       // targets per row, at least 1
	Targets []float32 // output k of row i is Targets[i*Outputs+k]
	Weights []float32 // per row, finite and >= 0; nil means 1 for every row
}

// check panics where slices do not fit, and returns an error where a value is unusable.
func (d Data) check(opt Options) error {
	n := d.Design.Len()
	if d.Outputs < 1 || len(d.Targets) != n*d.Outputs {
		panic(fmt.Sprintf("boost: len(targets) = %d, want %d rows x %d outputs", len(d.Targets), n, d.Outputs))
	}
	if d.Weights != nil && len(d.Weights) != n {
		panic(fmt.Sprintf("boost: len(weights) = %d, want %d rows", len(d.Weights), n))
	}
	for i, y := range d.Targets {
		if y-y != 0 {
			return fmt.Errorf("boost: row %d: target %d: got %v, want a finite number", i/d.Outputs, i%d.Outputs, y)
		}
		if opt.Loss == Logistic && (y < 0 || y > 1) {
			return fmt.Errorf("boost: row %d: target %d: got %v, want 0..1 for logistic loss", i/d.Outputs, i%d.Outputs, y)
		}
	}
	for i, w := range d.Weights {
		if w < 0 || w-w != 0 {
			return fmt.Errorf("boost: row %d: weight: got %v, want a finite number >= 0", i, w)
		}
	}
	return nil
}

// A Design says what the rows of the data are. Its zero value is not usable.
type Design struct {
	nodes *Binned
	edges [][2]int32
	pairs bool
}

// Rows is the design whose rows are those of b.
func Rows(b *Binned) Design { return Design{nodes: b} }

// Pairs is the design whose row e is the pair of nodes edges[e] = {s, t}: features
// 0..Dim-1 are those of s (the head), Dim..2*Dim-1 those of t (the tail). Both slices are
// kept, not copied. It panics where an edge leaves 0..b.N-1. Edges in ascending order of
// heads train fastest.
func Pairs(b *Binned, edges [][2]int32) Design {
	for e, st := range edges {
		if uint(st[0]) >= uint(b.N) || uint(st[1]) >= uint(b.N) {
			panic(fmt.Sprintf("boost: edge %d = %v, want nodes 0..%d", e, st, b.N-1))
		}
	}
	return Design{nodes: b, edges: edges, pairs: true}
}

// Len returns the number of rows.
func (d Design) Len() int {
	if d.pairs {
		return len(d.edges)
	}
	return d.nodes.N
}

// sides returns 2 for pairs, else 1.
func (d Design) sides() int {
	if d.pairs {
		return 2
	}
	return 1
}

// split tells side and column of a feature of a row.
func (d Design) split(feature int) (side, column int) {
	dim := d.nodes.Binning.Dim()
	return feature / dim, feature % dim
}

// answer writes the leaf of every row: bit l is set where question l is answered with
// yes. Pairs are answered per node, once as head and once as tail.
func (d Design) answer(leaf []uint8, questions []Question, workers int) {
	if !d.pairs {
		d.answerNodes(leaf, questions, 0, workers)
		return
	}
	var side [2][]uint8
	for i := range side {
		side[i] = make([]uint8, d.nodes.N)
		d.answerNodes(side[i], questions, i, workers)
	}
	parallel.Each(workers, blocks(len(leaf)), func(_, b int) {
		from, to := block(b, len(leaf))
		for i, e := range d.edges[from:to] {
			leaf[from+i] = side[0][e[0]] | side[1][e[1]]
		}
	})
}

// answerNodes sets the bits of the questions about one side of nodes.
func (d Design) answerNodes(bits []uint8, questions []Question, side, workers int) {
	parallel.Each(workers, blocks(len(bits)), func(_, b int) {
		from, to := block(b, len(bits))
		clear(bits[from:to])
		for l, q := range questions {
			if s, column := d.split(int(q.Feature)); s == side {
				kernels.orAbove(bits[from:to], d.nodes.Column(column)[from:], q.Border, 1<<l)
			}
		}
	})
}
