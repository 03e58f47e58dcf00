package mrf

// A core is what is left of a problem when most labels are settled: the open nodes, each
// with the labels that it may still take, and the costs among them given the settled ones.
//
// Fill it by begin, then keep for each label and open for each node in ascending order,
// then fold.
type core struct {
	id    []int32 // original number of each open node
	of    []int32 // open number of each original node, or -1
	at    []int32 // labels of open node c are label[at[c]:at[c+1]]
	label []uint8
	unary []float64 // parallel to label
	edges [][2]int32
	table []float64 // rows of the first node, columns of the second
	tabAt []int32   // start of each edge's table
	graph incidence
}

// begin empties the core of a problem of n nodes.
func (c *core) begin(n int) {
	c.of = grow(c.of, n)
	for i := range c.of {
		c.of[i] = -1
	}
	c.id, c.label, c.at = c.id[:0], c.label[:0], append(c.at[:0], 0)
}

// keep adds a label to the node that open will name.
func (c *core) keep(l int) { c.label = append(c.label, uint8(l)) }

// kept returns the number of labels kept since the last open.
func (c *core) kept() int { return len(c.label) - int(c.at[len(c.at)-1]) }

// drop forgets the labels kept since the last open.
func (c *core) drop() { c.label = c.label[:c.at[len(c.at)-1]] }

// open makes node i, with the labels kept since the last call, the next open node.
func (c *core) open(i int) {
	c.of[i] = int32(len(c.id))
	c.id = append(c.id, int32(i))
	c.at = append(c.at, int32(len(c.label)))
}

// labels returns the labels that open node v may take.
func (c *core) labels(v int32) []uint8 { return c.label[c.at[v]:c.at[v+1]] }

// fold takes p's costs over, with every node that is not open at its label in y. g is the
// incidence of p. It gives up and reports false when the tables among open nodes would
// have more than limit entries.
func (c *core) fold(p *Problem, g *incidence, y []uint8, limit int) bool {
	L := p.Labels
	c.unary = grow(c.unary, len(c.label))
	c.edges, c.table, c.tabAt = c.edges[:0], c.table[:0], c.tabAt[:0]
	for v, i := range c.id {
		mine := c.labels(int32(v))
		unary := c.unary[c.at[v]:c.at[v+1]]
		for x, l := range mine {
			unary[x] = p.Unary[int(i)*L+int(l)]
		}
		for _, h := range g.early(int(i)) {
			if c.of[h.other] < 0 {
				k := int(h.edge)*L*L + int(y[h.other])*L
				for x, l := range mine {
					unary[x] += p.Pair[k+int(l)]
				}
			}
		}
		for _, h := range g.later(int(i)) {
			w := c.of[h.other]
			if w < 0 {
				k := int(h.edge)*L*L + int(y[h.other])
				for x, l := range mine {
					unary[x] += p.Pair[k+int(l)*L]
				}
				continue
			}
			if len(c.table) > limit {
				return false
			}
			c.edges = append(c.edges, [2]int32{int32(v), w})
			c.tabAt = append(c.tabAt, int32(len(c.table)))
			for _, a := range mine {
				row := p.Pair[(int(h.edge)*L+int(a))*L:]
				for _, b := range c.labels(w) {
					c.table = append(c.table, row[b])
				}
			}
		}
	}
	c.graph.of(len(c.id), c.edges)
	return true
}

// problem returns the core as a problem, if all its nodes have the same two or more labels.
// It shares the core's memory.
func (c *core) problem() Problem {
	return Problem{Labels: len(c.labels(0)), Unary: c.unary, Edges: c.edges, Pair: c.table}
}

// put writes the labels that z gives to open nodes, as indices, into y.
func (c *core) put(y, z []uint8) {
	for v, i := range c.id {
		y[i] = c.labels(int32(v))[z[v]]
	}
}
