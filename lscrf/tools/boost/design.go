package boost

import "fmt"

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

// Features returns the number of features of a row: Dim, or 2*Dim for pairs.
func (d Design) Features() int { return d.sides() * d.nodes.Binning.Dim() }

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
		parallel(workers, blocks(d.nodes.N), func(_, b int) {
			from, to := block(b, d.nodes.N)
			d.answerNodes(leaf[from:to], from, questions, 0)
		})
		return
	}
	var side [2][]uint8
	for i := range side {
		side[i] = make([]uint8, d.nodes.N)
		parallel(workers, blocks(d.nodes.N), func(_, b int) {
			from, to := block(b, d.nodes.N)
			d.answerNodes(side[i][from:to], from, questions, i)
		})
	}
	parallel(workers, blocks(len(leaf)), func(_, b int) {
		from, to := block(b, len(leaf))
		for i, e := range d.edges[from:to] {
			leaf[from+i] = side[0][e[0]] | side[1][e[1]]
		}
	})
}

// answerNodes sets the bits of the questions about one side in nodes from..from+len(bits)-1.
func (d Design) answerNodes(bits []uint8, from int, questions []Question, side int) {
	clear(bits)
	for l, q := range questions {
		if s, column := d.split(int(q.Feature)); s == side {
			kernels.orAbove(bits, d.nodes.Column(column)[from:], q.Border, 1<<l)
		}
	}
}
