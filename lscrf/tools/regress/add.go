package regress

import (
	"fmt"
	"math"
)

// AddImage adds one image's nodes or edges. x holds dim features per node, row by row; y a label
// per node, or Skip, which leaves the node and its edges out; edges name two different nodes each
// (ignored by Nodes).
//
// A feature that is not finite, or so large that its squares do not fit (several thousand, for an
// image of some hundred superpixels), is an error and adds nothing; wrong lengths, labels and node
// numbers panic. The arguments are not kept. The cost is about 2 dim² multiplications per node for
// edges and half of dim² for nodes, whatever the number of edges.
func (s *Stats) AddImage(x []float32, edges [][2]int32, y []uint8) error {
	n := len(y)
	if len(x) != n*s.dim {
		panic(fmt.Sprintf("regress: len(x) = %d, want %d nodes x %d features", len(x), n, s.dim))
	}
	for i, l := range y {
		if int(l) >= s.labels && l != Skip {
			panic(fmt.Sprintf("regress: y[%d] = %d, want below %d or %d", i, l, s.labels, Skip))
		}
	}
	rows := n
	if s.kind != Nodes {
		rows = len(edges)
		for i, e := range edges {
			if e[0] == e[1] || uint32(e[0]) >= uint32(n) || uint32(e[1]) >= uint32(n) {
				panic(fmt.Sprintf("regress: edges[%d] = %v, want two different nodes below %d", i, e, n))
			}
		}
	}
	top := 1.0
	for i, v := range x {
		if v-v != 0 {
			return fmt.Errorf("feature %d of node %d is %v, want a finite number", i%s.dim, i/s.dim, v)
		}
		top = max(top, math.Abs(float64(v)))
	}
	if !s.reserve(float64(rows) * top * top * 1.01) {
		return fmt.Errorf("features up to %g over %d %v: too large to sum exactly, scale them to about 1..100", top, rows, s.kind)
	}
	s.images++
	s.group(x, y)
	if s.kind == Nodes {
		s.addNodes(y)
	} else {
		s.addEdges(edges, y)
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
	g.order, g.pos = resize(g.order, labeled), resize(g.pos, len(y))
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
func (s *Stats) addNodes(y []uint8) {
	g := &s.stage
	for at := 0; at < len(g.order); {
		label, from := y[g.order[at]], at
		for at < len(g.order) && y[g.order[at]] == label {
			at++
		}
		first := int(g.pos[g.order[from]])
		s.push(int(label), first, first, g.units(at-from), at-from)
		s.rows[label] += int64(at - from)
	}
}

// neighbors lists the stage rows of every node's neighbors by their labels: those of node s and
// label k are row[start[s*L+k]:start[s*L+k+1]].
type neighbors struct {
	labels int
	start  []int32
	row    []int32
}

// build fills the lists from the edges between labeled nodes: from end side of each to the other.
func (nb *neighbors) build(edges [][2]int32, y []uint8, labels, side int, pos []int32) {
	keys := len(y) * labels
	nb.labels = labels
	nb.start = resize(nb.start, keys+2)
	clear(nb.start)
	key := func(e [2]int32) int { return int(e[side])*labels + int(y[e[1-side]]) }
	labeled := func(e [2]int32) bool { return y[e[0]] != Skip && y[e[1]] != Skip }
	for _, e := range edges {
		if labeled(e) {
			nb.start[key(e)+2]++
		}
	}
	for i := 2; i < len(nb.start); i++ {
		nb.start[i] += nb.start[i-1]
	}
	nb.row = resize(nb.row, int(nb.start[keys+1]))
	for _, e := range edges {
		if labeled(e) {
			at := &nb.start[key(e)+1]
			nb.row[*at] = pos[e[1-side]]
			*at++
		}
	}
}

// of returns the stage rows of a node's neighbors of label k.
func (nb *neighbors) of(node int32, k int) []int32 {
	at := int(node)*nb.labels + k
	return nb.row[nb.start[at]:nb.start[at+1]]
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
func (s *Stats) addEdges(edges [][2]int32, y []uint8) {
	g := &s.stage
	out, in := &g.out, &g.in
	out.build(edges, y, s.labels, 0, g.pos)
	in.build(edges, y, s.labels, 1, g.pos)
	n := len(s.rows)
	for j := range s.labels {
		for k := range s.labels {
			pair := j*s.labels + k
			tails := g.having(out, y, j, k, &g.list)
			if len(tails) == 0 {
				continue
			}
			heads := g.having(in, y, k, j, &g.inList)
			for _, v := range tails {
				s.rows[pair] += int64(len(out.of(v, k)))
			}
			tailRows := s.gather(tails)
			s.push(pair, tailRows, tailRows, g.weigh(out, tails, k), len(tails))
			headRows := s.gather(heads)
			s.push(2*n+pair, headRows, headRows, g.weigh(in, heads, j), len(heads))
			if len(tails) <= len(heads) {
				u := s.sums(out, tails, k)
				s.push(n+pair, tailRows, u, g.units(len(tails)), len(tails))
			} else {
				u := s.sums(in, heads, j)
				s.push(n+pair, u, headRows, g.units(len(heads)), len(heads))
			}
		}
	}
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

// sums puts the sums of the features of the nodes' neighbors of label k on the stage, added in
// order in float32.
func (s *Stats) sums(nb *neighbors, nodes []int32, k int) int {
	g, width := &s.stage, s.sym.width
	at := g.alloc(len(nodes), width)
	for i, v := range nodes {
		sum := g.rows[(at+i)*width : (at+i+1)*width]
		clear(sum)
		for _, r := range nb.of(v, k) {
			for c, u := range g.rows[int(r)*width:][:len(sum)] {
				sum[c] += u
			}
		}
	}
	return at
}

// maxTerms is the number of rows that are summed in float32 before the sum goes to the integers: a
// fixed cut within each image, so that it does not depend on the other images.
const maxTerms = 256

// stageRows is the number of rows after which the waiting products are computed. Together they
// should fit the second level cache.
const stageRows = 1024

// A stage collects rows of features, padded, and the products that are to be computed from them.
// Several images wait together so that a tile's accumulators are fetched once for all of them.
type stage struct {
	rows    []float32 // width per row
	n       int       // rows in use
	weights []float32
	jobs    [][]product // per matrix slot
	pending bool

	// scratch of AddImage
	order, pos   []int32
	out, in      neighbors
	list, inList []int32
}

// A product is the sum over i < k of weights[w+i] * a_i b_iᵀ, where a_i and b_i are rows of the
// stage.
type product struct{ a, b, w, k int32 }

// alloc reserves k rows, whose content is undefined, and returns the number of the first.
func (g *stage) alloc(k, width int) int {
	at := g.n
	g.n += k
	if need := g.n * width; need > len(g.rows) {
		grown := make([]float32, max(need, 2*len(g.rows), stageRows*width*5/4))
		copy(grown, g.rows[:at*width])
		g.rows = grown
	}
	return at
}

// having returns the nodes of label j, in stage order, that have neighbors of label k.
func (g *stage) having(nb *neighbors, y []uint8, j, k int, list *[]int32) []int32 {
	l := (*list)[:0]
	for _, v := range g.order {
		if int(y[v]) == j && len(nb.of(v, k)) > 0 {
			l = append(l, v)
		}
	}
	*list = l
	return l
}

// weigh appends the numbers of the nodes' neighbors of label k, in units, and returns where.
func (g *stage) weigh(nb *neighbors, nodes []int32, k int) int {
	at := len(g.weights)
	for _, v := range nodes {
		g.weights = append(g.weights, float32(len(nb.of(v, k)))*unit)
	}
	return at
}

// units appends weights of 1, in units.
func (g *stage) units(n int) int {
	at := len(g.weights)
	for range n {
		g.weights = append(g.weights, unit)
	}
	return at
}

// push queues a product for a matrix slot, cut into pieces of maxTerms rows.
func (s *Stats) push(slot, a, b, w, k int) {
	g := &s.stage
	if g.jobs == nil {
		g.jobs = make([][]product, len(s.mats))
	}
	for at := 0; at < k; at += maxTerms {
		g.jobs[slot] = append(g.jobs[slot], product{int32(a + at), int32(b + at), int32(w + at), int32(min(maxTerms, k-at))})
		g.pending = true
	}
}

// work computes the waiting products.
func (s *Stats) work() {
	g := &s.stage
	if g.pending {
		width := s.sym.width
		for slot, jobs := range g.jobs {
			if len(jobs) == 0 {
				continue
			}
			m := s.matrix(slot)
			for t, p := range m.tiles {
				c := m.acc[t*tileLen : (t+1)*tileLen]
				for _, j := range jobs {
					kernels.addTile(int(j.k), g.rows[int(j.a)*width+int(p.i):], g.rows[int(j.b)*width+int(p.j):], g.weights[j.w:], width, c)
				}
			}
			g.jobs[slot] = jobs[:0]
		}
		g.pending = false
	}
	g.n, g.weights = 0, g.weights[:0]
}

// reserve makes room in the accumulators for contributions of at most the given absolute value.
// It reports false if not even empty ones have it.
func (s *Stats) reserve(value float64) bool {
	b := float64(value * unit)
	if !(b < math.MaxInt64/4) {
		return false
	}
	if s.bound+b > math.MaxInt64/2 {
		s.settle()
	}
	s.bound += b
	return true
}
