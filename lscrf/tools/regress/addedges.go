package regress

import "slices"

// neighbors lists, for every node and every label, the stage rows of the nodes that its edges with
// that label at the other end lead to, and the weights of those edges: those of node s and label k
// are row[start[s*L+k]:start[s*L+k+1]].
type neighbors struct {
	start  []int32
	row    []int32
	weight []float32
	total  []float32 // sum of weights per node and label
}

// build fills the lists from the edges with positive weight between labeled nodes: from the end
// tail, 0 or 1, of every edge to its other end.
func (nb *neighbors) build(edges [][2]int32, y []uint8, weight []float32, labels int, pos []int32, tail int) {
	keys := len(y) * labels
	nb.start = slices.Grow(nb.start[:0], keys+2)[:keys+2]
	nb.total = slices.Grow(nb.total[:0], keys)[:keys]
	clear(nb.start)
	clear(nb.total)
	for i, e := range edges {
		from, to := e[tail], e[1-tail]
		if y[from] != Skip && y[to] != Skip && (weight == nil || weight[i] > 0) {
			nb.start[int(from)*labels+int(y[to])+2]++
		}
	}
	for i := 2; i < len(nb.start); i++ {
		nb.start[i] += nb.start[i-1]
	}
	n := int(nb.start[keys+1])
	nb.row = slices.Grow(nb.row[:0], n)[:n]
	nb.weight = slices.Grow(nb.weight[:0], n)[:n]
	for i, e := range edges {
		from, to := e[tail], e[1-tail]
		w := float32(1)
		if weight != nil {
			w = weight[i]
		}
		if y[from] == Skip || y[to] == Skip || w == 0 {
			continue
		}
		key := int(from)*labels + int(y[to])
		at := nb.start[key+1]
		nb.start[key+1]++
		nb.row[at], nb.weight[at] = pos[to], w
		nb.total[key] += w
	}
}

// addEdges queues, for every ordered label pair (j, k) that occurs, with Σ over the edges (s,t) of
// that pair,
//
//	tail-tail  Σ x_s x_sᵀ = Σ_s n(s) x_s x_sᵀ
//	tail-head  Σ x_s x_tᵀ = Σ_s x_s u(s)ᵀ     u(s) = Σ_t x_t over the heads t of s
//	head-head  Σ x_t x_tᵀ = Σ_t n(t) x_t x_tᵀ
//
// where n(s) counts the edges of the pair at s and sums run over nodes with n > 0. The second one
// may as well run over t with u(t) the sum over its tails; the side with fewer nodes is taken.
func (s *Stats) addEdges(edges [][2]int32, y []uint8, weight []float32) {
	g := &s.stage
	out, in := &g.out, &g.in
	out.build(edges, y, weight, s.labels, g.pos, 0)
	in.build(edges, y, weight, s.labels, g.pos, 1)
	n := len(s.rows)
	for j := range s.labels {
		for k := range s.labels {
			pair := j*s.labels + k
			tails := s.having(out, y, j, k, &g.list)
			if len(tails) == 0 {
				continue
			}
			heads := s.having(in, y, k, j, &g.inList)
			for _, v := range tails {
				s.rows[pair] += int64(out.start[int(v)*s.labels+k+1] - out.start[int(v)*s.labels+k])
			}
			tailRows := s.gather(tails)
			s.push(pair, tailRows, tailRows, s.weigh(out, tails, k), len(tails))
			headRows := s.gather(heads)
			s.push(2*n+pair, headRows, headRows, s.weigh(in, heads, j), len(heads))
			if len(tails) <= len(heads) {
				u := s.sums(out, tails, k)
				s.push(n+pair, tailRows, u, s.units(len(tails)), len(tails))
			} else {
				u := s.sums(in, heads, j)
				s.push(n+pair, u, headRows, s.units(len(heads)), len(heads))
			}
		}
	}
}

// having returns the nodes of label j, in stage order, that have neighbors of label k.
func (s *Stats) having(nb *neighbors, y []uint8, j, k int, list *[]int32) []int32 {
	l := (*list)[:0]
	for _, v := range s.stage.order {
		if int(y[v]) == j && nb.start[int(v)*s.labels+k+1] > nb.start[int(v)*s.labels+k] {
			l = append(l, v)
		}
	}
	*list = l
	return l
}

// gather returns the first of consecutive stage rows that hold the nodes' features.
func (s *Stats) gather(nodes []int32) int {
	g, width := &s.stage, s.sym.width
	first, last := int(g.pos[nodes[0]]), int(g.pos[nodes[len(nodes)-1]])
	if last-first == len(nodes)-1 { // stage order, so they lie together already
		return first
	}
	at := g.alloc(len(nodes), width)
	for i, v := range nodes {
		p := int(g.pos[v])
		copy(g.rows[(at+i)*width:(at+i+1)*width], g.rows[p*width:(p+1)*width])
	}
	return at
}

// weigh appends the nodes' sums of edge weights to label k, in units, and returns where.
func (s *Stats) weigh(nb *neighbors, nodes []int32, k int) int {
	g := &s.stage
	at := len(g.weights)
	for _, v := range nodes {
		g.weights = append(g.weights, nb.total[int(v)*s.labels+k]*unit)
	}
	return at
}

// units appends weights of 1, in units.
func (s *Stats) units(n int) int {
	g := &s.stage
	at := len(g.weights)
	for range n {
		g.weights = append(g.weights, unit)
	}
	return at
}

// sums puts the weighted sums of the features of the nodes' neighbors of label k on the stage.
func (s *Stats) sums(nb *neighbors, nodes []int32, k int) int {
	g, width := &s.stage, s.sym.width
	at := g.alloc(len(nodes), width)
	for i, v := range nodes {
		from, to := nb.start[int(v)*s.labels+k], nb.start[int(v)*s.labels+k+1]
		kernels.sumRows(g.rows[(at+i)*width:(at+i+1)*width], g.rows, nb.row[from:to], nb.weight[from:to])
	}
	return at
}
