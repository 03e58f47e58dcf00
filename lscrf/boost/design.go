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

// gather writes the bins of one feature in rows from..from+len(dst)-1.
func (d Design) gather(dst []uint8, feature, from int) {
	side, column := d.split(feature)
	col := d.nodes.Column(column)
	if !d.pairs {
		copy(dst, col[from:])
		return
	}
	edges := d.edges[from : from+len(dst)]
	for i := range dst {
		dst[i] = col[edges[i][side]]
	}
}
