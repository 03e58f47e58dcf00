package regress

import (
	"fmt"
	"slices"
)

// A Kind tells what the rows of Stats are.
type Kind uint8

const (
	Nodes Kind = 1 // φ = [x_s, 1], one output per label
	Edges Kind = 3 // φ = [x_s, x_t, 1], every edge (s,t) once; 2 was each in both orientations
)

func (k Kind) String() string {
	switch k {
	case Nodes:
		return "nodes"
	case Edges:
		return "edges"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Skip is the label of a node that is left out together with its edges.
const Skip = 255

// Stats are the sufficient statistics of least squares: per output (label j for Nodes, ordered
// label pair j*labels+k for Edges) the number of rows, Σφ and Σφφᵀ. They are exact sums of what
// the images contribute (see the package's comment). One goroutine at a time may use a Stats; give
// every worker its own and Merge them.
//
// With dim 143 and 2 labels the sums of edges take 2.3 MB and some 4 MB of scratch; matrices of
// label pairs that never occur are not allocated.
type Stats struct {
	kind        Kind
	dim, labels int
	sym, full   *layout
	// Per label for Nodes: the Gram matrix of [x, 1]. For edges three groups of labels² matrices
	// over [x_s, 1] and [x_t, 1]: tail-tail, tail-head, head-head. nil where nothing was added.
	mats   []*matrix
	rows   []int64 // per output
	images int64   // added; part of the file form
	bound  float64 // no accumulator exceeds this since the last spill, in units
	stage  stage
}

// NewNodeStats returns empty statistics of nodes with dim features and labels 0..labels-1.
func NewNodeStats(dim, labels int) *Stats { return newStats(Nodes, dim, labels) }

// NewEdgeStats returns empty statistics of edges between nodes with dim features, every edge
// taken once, as given; for the paper's reading the caller orders each edge s < t.
func NewEdgeStats(dim, labels int) *Stats { return newStats(Edges, dim, labels) }

func newStats(kind Kind, dim, labels int) *Stats {
	if dim < 1 || dim > maxDim || labels < 1 || labels > maxLabels {
		panic(fmt.Sprintf("regress: %d features and %d labels, want 1..%d and 1..%d", dim, labels, maxDim, maxLabels))
	}
	s := &Stats{kind: kind, dim: dim, labels: labels, sym: newLayout(dim+1, true)}
	groups, outputs := 1, labels
	if kind != Nodes {
		groups, outputs, s.full = 3, labels*labels, newLayout(dim+1, false)
	}
	s.mats = make([]*matrix, groups*outputs)
	s.rows = make([]int64, outputs)
	return s
}

// Limits of what a statistics file may claim.
const (
	maxDim    = 1 << 15
	maxLabels = 64
)

// width returns the length of φ with the constant: dim+1 for Nodes, 2 dim+1 for edges.
func (s *Stats) width() int {
	if s.kind == Nodes {
		return s.dim + 1
	}
	return 2*s.dim + 1
}

// Rows returns the number of rows per output. The slice is a copy.
func (s *Stats) Rows() []int64 { return slices.Clone(s.rows) }

// Merge adds the statistics of o, exactly: any order and grouping of merges gives the same
// bits. It panics if they are of another kind, or of other features or labels.
func (s *Stats) Merge(o *Stats) { s.combine(o, 1, (*matrix).add) }

// Subtract takes statistics out that were merged in before, exactly: s has the bits that it would
// have without them. It panics as Merge does.
func (s *Stats) Subtract(o *Stats) { s.combine(o, -1, (*matrix).subtract) }

func (s *Stats) combine(o *Stats, sign int64, sum func(m, o *matrix)) {
	if s.kind != o.kind || s.dim != o.dim || s.labels != o.labels {
		panic(fmt.Sprintf("regress: combining %v, %d features, %d labels with %v, %d, %d", o.kind, o.dim, o.labels, s.kind, s.dim, s.labels))
	}
	s.settle()
	o.settle()
	for i, m := range o.mats {
		if m != nil {
			sum(s.matrix(i), m)
		}
	}
	for i, n := range o.rows {
		s.rows[i] += sign * n
	}
	s.images += sign * o.images
}

// Clone returns a copy that shares nothing that changes.
func (s *Stats) Clone() *Stats {
	c := newStats(s.kind, s.dim, s.labels)
	c.Merge(s)
	return c
}

// Fold returns statistics of nodes of the first labels alone: rows of the others count as label 0.
// It panics for edges.
func (s *Stats) Fold(labels int) *Stats {
	if s.kind != Nodes {
		panic("regress: only statistics of nodes can be folded")
	}
	s.settle()
	out := newStats(Nodes, s.dim, labels)
	out.images = s.images
	for l, m := range s.mats {
		to := l
		if l >= labels {
			to = 0
		}
		if m != nil {
			out.matrix(to).add(m)
		}
		out.rows[to] += s.rows[l]
	}
	return out
}

// settle brings all sums into the matrices' wide integers.
func (s *Stats) settle() {
	s.work()
	if s.bound == 0 {
		return
	}
	for _, m := range s.mats {
		if m != nil {
			m.spill()
		}
	}
	s.bound = 0
}

// matrix returns the matrix of a slot, made on first use.
func (s *Stats) matrix(slot int) *matrix {
	if s.mats[slot] == nil {
		s.mats[slot] = newMatrix(s.layoutOf(slot))
	}
	return s.mats[slot]
}

// layoutOf returns the layout of a slot's matrix: tail-head ones need not be symmetric.
func (s *Stats) layoutOf(slot int) *layout {
	if n := len(s.rows); s.kind == Nodes || slot < n || slot >= 2*n {
		return s.sym
	}
	return s.full
}
