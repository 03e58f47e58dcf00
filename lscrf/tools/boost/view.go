package boost

import "hdseg/lscrf/internal/parallel"

// A view keeps the sampled rows of a tree in the order of their leaves, and inside a leaf
// in the order that it started with. Rows has one; pairs have one in the order of heads
// and one in the order of tails, so that edges of one node stay together.
type view struct {
	design Design
	side   int      // whose lanes the view's histograms are summed from
	order  []uint32 // all rows, in the starting order
	rows   []uint32 // the sampled rows
	spare  []uint32
	from   [1 << maxDepth]int // leaf i holds rows[from[i]:to[i]]
	to     [1 << maxDepth]int
}

// newViews returns the views of a design.
func newViews(d Design) []*view {
	n := d.Len()
	views := make([]*view, d.sides())
	for side := range views {
		v := &view{design: d, side: side, order: make([]uint32, n), rows: make([]uint32, n), spare: make([]uint32, n)}
		views[side] = v
		if !d.pairs {
			for i := range v.order {
				v.order[i] = uint32(i)
			}
			continue
		}
		// A counting sort by node keeps edges of one node in the order of the list.
		start := make([]int, d.nodes.N+1)
		for _, e := range d.edges {
			start[e[side]+1]++
		}
		for i := range d.nodes.N {
			start[i+1] += start[i]
		}
		for i, e := range d.edges {
			v.order[start[e[side]]] = uint32(i)
			start[e[side]]++
		}
	}
	return views
}

// reset puts all rows with a nonzero cell into leaf 0.
func (v *view) reset(cells []int64, words int) {
	n := 0
	rows := v.rows[:len(v.order)]
	for _, r := range v.order {
		rows[n] = r
		if cells[int(r)*words] != 0 {
			n++
		}
	}
	v.rows = rows[:n]
	v.from, v.to = [1 << maxDepth]int{}, [1 << maxDepth]int{}
	v.to[0] = n
}

// split divides each of the first leaves by a question: rows that answer yes go to leaf
// i+leaves.
func (v *view) split(q Question, leaves, workers int) {
	side, column := v.design.split(int(q.Feature))
	col := v.design.nodes.Column(column)
	parallel.Each(workers, leaves, func(_, leaf int) {
		from, to := v.from[leaf], v.to[leaf]
		rows, spare := v.rows[from:to], v.spare[from:to]
		no := 0
		if v.design.pairs {
			no = divideEdges(rows, spare, v.design.edges, side, col, q.Border)
		} else {
			no = divideRows(rows, spare, col, q.Border)
		}
		right := leaf + leaves
		v.from[right], v.to[right], v.to[leaf] = from+no, to, from+no
	})
}

// divideRows moves the rows whose bin is above border behind the others, keeping the order
// of both, and returns the number of the others. It writes every row to both ends and
// advances one of them, which needs no branch.
func divideRows(rows, spare []uint32, col []uint8, border uint8) int {
	no, yes := 0, 0
	for _, r := range rows {
		rows[no], spare[yes] = r, r
		above := int(uint(int(border)-int(col[r])) >> 63)
		yes += above
		no += 1 - above
	}
	copy(rows[no:], spare[:yes])
	return no
}

// divideEdges is divideRows by the bin of the head (side 0) or the tail (side 1) of edges.
func divideEdges(rows, spare []uint32, edges [][2]int32, side int, col []uint8, border uint8) int {
	no, yes := 0, 0
	side &= 1
	for _, r := range rows {
		rows[no], spare[yes] = r, r
		above := int(uint(int(border)-int(col[edges[r][side]])) >> 63)
		yes += above
		no += 1 - above
	}
	copy(rows[no:], spare[:yes])
	return no
}

// size returns the number of sampled rows in a leaf.
func (v *view) size(leaf int) int { return v.to[leaf] - v.from[leaf] }

// A segment is a part of a list that lies in one leaf.
type segment struct{ leaf, from, n int }

// segmentRows bounds a segment, so that its lanes stay in the cache while several groups
// of lanes are summed.
const segmentRows = 1024

// A list holds what a level's histograms are summed from: lines of lanes with the cells
// to add.
type list struct {
	segments []segment
	lines    []uint32
	cells    []int64 // words per line
}

// fill lists the rows of some leaves. Rows of pairs that share a node are added up first:
// their sum is one line.
func (l *list) fill(v *view, leaves []int, cells []int64, words, workers int) {
	l.segments = l.segments[:0]
	for _, leaf := range leaves {
		for at := v.from[leaf]; at < v.to[leaf]; at += segmentRows {
			l.segments = append(l.segments, segment{leaf, at, min(segmentRows, v.to[leaf]-at)})
		}
	}
	if n := len(v.order); len(l.lines) != n {
		l.lines, l.cells = make([]uint32, n), make([]int64, n*words)
	}
	parallel.Each(workers, len(l.segments), func(_, i int) {
		s := &l.segments[i]
		rows, lines, sums := v.rows[s.from:s.from+s.n], l.lines[s.from:], l.cells[s.from*words:]
		switch {
		case !v.design.pairs:
			copy(lines, rows)
			gatherCells(sums, cells, rows, words)
		case words == 1:
			s.n = addNodes1(lines, sums, v.design.edges, v.side, rows, cells)
		default:
			s.n = addNodes(lines, sums, v.design.edges, v.side, rows, cells)
		}
	})
}

// gatherCells copies the cells of rows.
func gatherCells(dst, cells []int64, rows []uint32, words int) {
	if words == 1 {
		for j, r := range rows {
			dst[j] = cells[r]
		}
		return
	}
	for j, r := range rows {
		copy(dst[j*words:(j+1)*words], cells[int(r)*words:])
	}
}

// addNodes lists the nodes of edges, which come in runs, with the sums of their cells of four
// words, and returns the number of runs.
func addNodes(nodes []uint32, sums []int64, edges [][2]int32, side int, rows []uint32, cells []int64) int {
	n := -1
	side &= 1
	for _, r := range rows {
		node := uint32(edges[r][side])
		if n < 0 || nodes[n] != node {
			n++
			nodes[n] = node
			clear(sums[4*n : 4*n+4])
		}
		sum, c := (*[4]int64)(sums[4*n:]), (*[4]int64)(cells[4*int(r):])
		sum[0] += c[0]
		sum[1] += c[1]
		sum[2] += c[2]
		sum[3] += c[3]
	}
	return n + 1
}

// addNodes1 is addNodes for one word, without branches: the sum of the current run is
// written for every row, and starts over where the node changes.
func addNodes1(nodes []uint32, sums []int64, edges [][2]int32, side int, rows []uint32, cells []int64) int {
	if len(rows) == 0 {
		return 0
	}
	side &= 1
	n := 0
	last := uint32(edges[rows[0]][side])
	sum := int64(0)
	for _, r := range rows {
		node := uint32(edges[r][side])
		d := int64(node ^ last) // 0 for the same node, else 1..2^32-1
		same := (d - 1) >> 63
		n += int(1 + same)
		sum = sum&same + cells[r]
		nodes[n], sums[n] = node, sum
		last = node
	}
	return n + 1
}

// laneGroup is the number of features whose bins lie side by side and are summed by one
// call of the kernel: sixteen histograms of 136 cells fit the first-level cache.
const laneGroup = 16

// Lanes hold the bins of a Binned row by row: the bin of lane j in row i is
// bins[i*stride+j]. Lane j holds column[j], or padding where column[j] < 0.
type lanes struct {
	bins   []uint8
	stride int // a multiple of laneGroup
	column []int
}

// newLanes copies b; it takes N * Dim bytes more. Columns are dealt to lanes in the order
// of their random numbers when shuffle is set, so that a group of lanes is a random
// sample of the columns.
func newLanes(b *Binned, shuffle bool, seed uint64, workers int) *lanes {
	dim := b.Binning.Dim()
	groups := (dim + laneGroup - 1) / laneGroup
	l := &lanes{stride: groups * laneGroup, column: make([]int, groups*laneGroup)}
	l.bins = make([]uint8, b.N*l.stride)
	for j := range l.column {
		l.column[j] = -1
		if j < dim {
			l.column[j] = j
		}
	}
	if shuffle {
		for j := dim - 1; j > 0; j-- {
			k := int(uniform(seed, streamColumns, uint64(j)) * float64(j+1))
			l.column[j], l.column[k] = l.column[k], l.column[j]
		}
	}
	parallel.Each(workers, (b.N+binTile-1)/binTile, func(_, tile int) {
		from, to := tile*binTile, min((tile+1)*binTile, b.N)
		for j, f := range l.column {
			if f < 0 {
				continue
			}
			at := from*l.stride + j
			for _, v := range b.Column(f)[from:to] {
				l.bins[at] = v
				at += l.stride
			}
		}
	})
	return l
}

// groups returns the number of lane groups.
func (l *lanes) groups() int { return l.stride / laneGroup }
