package regress

import (
	"fmt"
	"math"
	"slices"
)

// AddImage adds one image's nodes or edges. x holds dim features per node, row by row; y a label
// per node, or Skip, which leaves the node and its edges out; edges name two different nodes each
// (ignored by Nodes). weight is per node for Nodes and per edge otherwise, at least 0; nil means 1
// everywhere, 0 leaves the row out.
//
// A feature that is not finite, or so large that its squares do not fit (several thousand, for an
// image of some hundred superpixels), is an error and adds nothing; wrong lengths, labels, node
// numbers and weights panic. The arguments are not kept. The cost is about dim² multiplications per
// node for Edges and half of it for Nodes, whatever the number of edges.
func (s *Stats) AddImage(x []float32, edges [][2]int32, y []uint8, weight []float32) error {
	n := len(y)
	if len(x) != n*s.dim {
		panic(fmt.Sprintf("regress: len(x) = %d, want %d nodes x %d features", len(x), n, s.dim))
	}
	rows := n
	if s.kind != Nodes {
		rows = len(edges)
	}
	if weight != nil && len(weight) != rows {
		panic(fmt.Sprintf("regress: len(weight) = %d, want %d %v", len(weight), rows, s.kind))
	}
	for i, l := range y {
		if int(l) >= s.labels && l != Skip {
			panic(fmt.Sprintf("regress: y[%d] = %d, want below %d or %d", i, l, s.labels, Skip))
		}
	}
	total := 0.0
	for i, w := range weight {
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			panic(fmt.Sprintf("regress: weight[%d] = %v, want finite and at least 0", i, w))
		}
		total += float64(w)
	}
	if weight == nil {
		total = float64(rows)
	}
	if s.kind != Nodes {
		for i, e := range edges {
			if e[0] == e[1] || uint32(e[0]) >= uint32(n) || uint32(e[1]) >= uint32(n) {
				panic(fmt.Sprintf("regress: edges[%d] = %v, want two different nodes below %d", i, e, n))
			}
		}
	}
	largest := math.Float32frombits(kernels.maxBits(x))
	if math.IsNaN(float64(largest)) || math.IsInf(float64(largest), 0) {
		i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 })
		return fmt.Errorf("feature %d of node %d is %v, want a finite number", i%s.dim, i/s.dim, x[i])
	}
	top := max(1, float64(largest))
	if !s.reserve(total * top * top * 1.01) {
		return fmt.Errorf("features up to %g over %d %v: too large to sum exactly, scale them to about 1..100", largest, rows, s.kind)
	}
	s.images++
	s.group(x, y)
	if s.kind == Nodes {
		s.addNodes(y, weight)
	} else {
		s.addEdges(edges, y, weight)
	}
	if s.stage.n >= stageRows {
		s.work()
	}
	return nil
}

// group orders the labeled nodes by label, node order within a label, and puts their rows [x, 1,
// 0...] on the stage. pos[node] is the node's row, -1 if it is left out.
func (s *Stats) group(x []float32, y []uint8) {
	g := &s.stage
	var count [maxLabels + 1]int32
	labeled := 0
	for _, l := range y {
		if l != Skip {
			count[l+1]++
			labeled++
		}
	}
	for l := range s.labels {
		count[l+1] += count[l]
	}
	g.order = slices.Grow(g.order[:0], labeled)[:labeled]
	g.pos = slices.Grow(g.pos[:0], len(y))[:len(y)]
	width := s.sym.width
	base := g.alloc(labeled, width)
	for i, l := range y {
		if l == Skip {
			g.pos[i] = -1
			continue
		}
		at := int(count[l])
		count[l]++
		g.order[at] = int32(i)
		g.pos[i] = int32(base + at)
		row := g.rows[(base+at)*width : (base+at+1)*width]
		copy(row, x[i*s.dim:(i+1)*s.dim])
		row[s.dim] = 1
		clear(row[s.dim+1:])
	}
}

// addNodes queues one product per label.
func (s *Stats) addNodes(y []uint8, weight []float32) {
	g := &s.stage
	for at := 0; at < len(g.order); {
		label := y[g.order[at]]
		first, w := int(g.pos[g.order[at]]), len(g.weights)
		for ; at < len(g.order) && y[g.order[at]] == label; at++ {
			v := float32(1)
			if weight != nil {
				v = weight[g.order[at]]
			}
			g.weights = append(g.weights, v*unit)
			if v > 0 {
				s.rows[label]++
			}
		}
		s.push(int(label), first, first, w, len(g.weights)-w)
	}
}
