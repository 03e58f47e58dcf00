package boost

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
	parallel(workers, leaves, func(_, leaf int) {
		rows := v.rows[v.from[leaf]:v.to[leaf]]
		spare := v.spare[v.from[leaf]:v.to[leaf]]
		no, yes := 0, 0
		for _, r := range rows {
			node := r
			if v.design.pairs {
				node = uint32(v.design.edges[r][side])
			}
			rows[no], spare[yes] = r, r
			if col[node] > q.Border {
				yes++
			} else {
				no++
			}
		}
		copy(rows[no:], spare[:yes])
		mid, right := v.from[leaf]+no, leaf+leaves
		v.from[right], v.to[right], v.to[leaf] = mid, v.to[leaf], mid
	})
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
	parallel(workers, len(l.segments), func(_, i int) {
		s := &l.segments[i]
		rows, lines, sums := v.rows[s.from:s.from+s.n], l.lines[s.from:], l.cells[s.from*words:]
		if !v.design.pairs {
			copy(lines, rows)
			for j, r := range rows {
				copy(sums[j*words:], cells[int(r)*words:][:words])
			}
			return
		}
		n := 0
		for _, r := range rows {
			node := uint32(v.design.edges[r][v.side])
			cell := cells[int(r)*words:][:words]
			if n == 0 || lines[n-1] != node {
				lines[n] = node
				copy(sums[n*words:], cell)
				n++
				continue
			}
			for w, c := range cell {
				sums[(n-1)*words+w] += c
			}
		}
		s.n = n
	})
}
