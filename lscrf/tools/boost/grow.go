package boost

import (
	"math"

	"hdseg/lscrf/internal/parallel"
)

// A grower finds the questions of one tree after another.
type grower struct {
	design  Design
	workers int
	lanes   *lanes
	views   []*view
	lists   []list // one per view
	bins    int    // cells of a lane's histogram
	words   int    // of a cell
	hist    []int64
	slots   [1 << maxDepth]int // which part of hist a leaf has
	scores  [][]float64        // scratch, per worker
}

// newGrower prepares for trees of some depth over cells of some words.
func newGrower(d Design, opt Options, words, workers int) *grower {
	g := &grower{design: d, workers: workers, words: words}
	g.lanes = newLanes(d.nodes, opt.ColumnSample < 1, opt.Seed, workers)
	g.views = newViews(d)
	g.lists = make([]list, len(g.views))
	most := 0
	for _, b := range d.nodes.Binning.Borders {
		most = max(most, len(b))
	}
	g.bins = histSize(most + 1)
	g.hist = make([]int64, g.slotSize()<<(opt.Depth-1))
	for range max(1, workers) {
		g.scores = append(g.scores, make([]float64, g.bins))
	}
	return g
}

// slotSize returns the words of all histograms of one leaf.
func (g *grower) slotSize() int { return len(g.views) * g.lanes.stride * g.bins * g.words }

// histOf returns the histograms of one group of lanes in one leaf.
func (g *grower) histOf(leaf int, p part) []int64 {
	n := laneGroup * g.bins * g.words
	at := g.slots[leaf]*g.slotSize() + (p.side*g.lanes.groups()+p.group)*n
	return g.hist[at : at+n : at+n]
}

// A part is one group of lanes of one side; only the lanes in use may be asked about.
type part struct {
	side, group int
	use         [laneGroup]bool
}

// A task is the search in some parts of one side, next to each other where possible, so
// that a line of lanes is fetched from memory once for all of them.
type task []part

// taskParts bounds a task: four groups of lanes share a cache line.
const taskParts = 4

// tasks divides parts, which are ordered by side and group, among workers.
func tasks(parts []part, workers int) []task {
	size := min(max(len(parts)/(2*workers), 1), taskParts)
	var out []task
	for from := 0; from < len(parts); {
		to := from + 1
		for to < len(parts) && to < from+size && parts[to].side == parts[from].side {
			to++
		}
		out = append(out, task(parts[from:to]))
		from = to
	}
	return out
}

// A candidate is a question and its score.
type candidate struct {
	Question
	score float64
	found bool
}

// better prefers the higher score, then the lower feature, then the lower border.
func (c candidate) better(o candidate) bool {
	switch {
	case !c.found || !o.found:
		return c.found
	case c.score != o.score:
		return c.score > o.score
	case c.Feature != o.Feature:
		return c.Feature < o.Feature
	}
	return c.Border < o.Border
}

// grow returns the questions of a tree on cells (words per row; zero cells are not in the
// sample), asking about the features of parts. l2 is in units of the cells' weights.
// Fewer than depth questions are returned where no further one lowers the loss.
func (g *grower) grow(cells []int64, parts []part, depth int, l2 float64) []Question {
	todo := tasks(parts, g.workers)
	parallel.Each(g.workers, len(g.views), func(_, i int) { g.views[i].reset(cells, g.words) })
	var questions []Question
	for level := range depth {
		if level > 0 {
			for _, v := range g.views {
				v.split(questions[level-1], 1<<(level-1), g.workers)
			}
		}
		best := g.search(cells, todo, level, l2)
		if !best.found {
			break
		}
		questions = append(questions, best.Question)
	}
	return questions
}

// search returns the best question for the leaves of a level.
func (g *grower) search(cells []int64, todo []task, level int, l2 float64) candidate {
	small, large := g.children(level)
	for i, v := range g.views {
		g.lists[i].fill(v, small, cells, g.words, g.workers)
	}
	found := make([]candidate, len(todo))
	parallel.Each(g.workers, len(todo), func(worker, i int) {
		g.sum(todo[i], small)
		for _, p := range todo[i] {
			g.settle(p, small, large)
			if c := g.best(p, 1<<level, l2, g.scores[worker]); c.better(found[i]) {
				found[i] = c
			}
		}
	})
	var best candidate
	for _, c := range found {
		if c.better(best) {
			best = c
		}
	}
	return best
}

// children assigns histograms to the leaves of a level. Of the two leaves that came from
// one, the small one is summed from its rows in a new slot; the large one takes the slot
// of their parent, from which the small one is subtracted.
func (g *grower) children(level int) (small, large []int) {
	if level == 0 {
		g.slots[0] = 0
		return []int{0}, nil
	}
	half := 1 << (level - 1)
	for no := range half {
		s, l := no, no+half
		if v := g.views[0]; v.size(s) > v.size(l) {
			s, l = l, s
		}
		g.slots[l], g.slots[s] = g.slots[no], half+no
		small, large = append(small, s), append(large, l)
	}
	return small, large
}

// sum adds up the histograms of the small leaves.
func (g *grower) sum(t task, small []int) {
	for _, leaf := range small {
		for _, p := range t {
			clear(g.histOf(leaf, p))
		}
	}
	l := &g.lists[t[0].side]
	for _, s := range l.segments {
		lines, cells := l.lines[s.from:s.from+s.n], l.cells[s.from*g.words:]
		for _, p := range t {
			kernels.addLines(g.histOf(s.leaf, p), g.bins, g.words, g.lanes.bins[p.group*laneGroup:], g.lanes.stride, lines, cells)
		}
	}
}

// settle makes running sums over bins of the histograms of the small leaves and brings
// those of the large leaves up to date.
func (g *grower) settle(p part, small, large []int) {
	n := g.bins * g.words
	for i, leaf := range small {
		h, other := g.histOf(leaf, p), []int64(nil)
		if large != nil {
			other = g.histOf(large[i], p)
		}
		for lane := range laneGroup {
			from, to := lane*n, lane*n+(g.binsOf(p, lane))*g.words
			settle(h[from:to], other[min(from, len(other)):min(to, len(other))], g.words)
		}
	}
}

// binsOf returns the number of bins of a lane, rounded up to a multiple of 4.
func (g *grower) binsOf(p part, lane int) int {
	column := g.lanes.column[p.group*laneGroup+lane]
	if column < 0 {
		return 4
	}
	return (len(g.design.nodes.Binning.Borders[column]) + 4) &^ 3
}

// best returns the best question of a part that scores better than asking nothing.
func (g *grower) best(p part, leaves int, l2 float64, scratch []float64) candidate {
	var best candidate
	l2 = math.Max(l2, 1e-6) // an empty side counts 0, not 0/0
	n := g.bins * g.words
	for lane, use := range p.use {
		if !use {
			continue
		}
		column := g.lanes.column[p.group*laneGroup+lane]
		borders := len(g.design.nodes.Binning.Borders[column])
		scores := scratch[:g.binsOf(p, lane)]
		clear(scores)
		for leaf := range leaves {
			run := g.histOf(leaf, p)[lane*n : (lane+1)*n]
			kernels.addScores(scores, run, run[borders*g.words:][:g.words], l2)
		}
		nothing := scores[borders] // behind the last border all rows answer no
		for b, s := range scores[:borders] {
			c := candidate{Question{int32(p.side*g.design.nodes.Binning.Dim() + column), uint8(b)}, s, true}
			if s > nothing && c.better(best) {
				best = c
			}
		}
	}
	return best
}
