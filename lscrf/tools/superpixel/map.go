package superpixel

import (
	"fmt"
	"slices"

	"hdseg/manifests/raster"
)

// A Map assigns every pixel of a picture to one superpixel: pixel (x, y) belongs to
// Labels[y*Width+x], an id in 0..N-1. Every id occurs, every superpixel is 4-connected,
// and ids ascend in the order of each superpixel's first pixel.
type Map struct {
	Labels        []int32
	Width, Height int
	N             int
}

// Sizes returns the number of pixels of every superpixel.
func (m *Map) Sizes() []int32 {
	n := make([]int32, m.N)
	for _, l := range m.Labels {
		n[l]++
	}
	return n
}

// Edges returns the pairs of superpixels of which some pixels are 4-neighbours: i < j,
// each pair once, in lexicographic order.
func (m *Map) Edges() [][2]int32 {
	start, ids := neighbors(m.Labels, m.Width, m.N)
	edges := make([][2]int32, len(ids))
	for i := range m.N {
		for e := start[i]; e < start[i+1]; e++ {
			edges[e] = [2]int32{int32(i), ids[e]}
		}
	}
	return edges
}

// Centers returns the mean pixel position of every superpixel in pixels, N x 2
// row-major: x of superpixel i is c[2*i], y is c[2*i+1]; the first pixel of the picture
// is at (0, 0).
func (m *Map) Centers() []float64 {
	c := make([]float64, 2*m.N)
	n := make([]float64, m.N)
	for y := range m.Height {
		for x := range m.Width {
			l := m.Labels[y*m.Width+x]
			c[2*l] += float64(x)
			c[2*l+1] += float64(y)
			n[l]++
		}
	}
	for i, k := range n {
		c[2*i] /= k
		c[2*i+1] /= k
	}
	return c
}

// Majority returns the label of every superpixel: raster.Figure where more than half of
// its pixels that are not void are figure, raster.Ground where not (so a tie is ground),
// and raster.Void where all its pixels are void (method of the HDSeg consumers: such
// nodes are neither trained on nor scored).
func Majority(sp *Map, m *raster.Mask) []uint8 {
	checkMask(sp, m.Width, m.Height, len(m.Pix))
	return MajorityLabel(sp, m.Pix, 2)
}

// MajorityLabel is Majority for any number of labels: label[y*Width+x] is below labels, or
// raster.Void. A tie goes to the lowest label.
func MajorityLabel(sp *Map, label []uint8, labels int) []uint8 {
	n := Counts(sp, label, labels)
	out := make([]uint8, sp.N)
	for i := range out {
		out[i] = raster.Void
		most := int64(0)
		for l, k := range n[i*labels : (i+1)*labels] {
			if k > most {
				out[i], most = uint8(l), k
			}
		}
	}
	return out
}

// Counts returns how many pixels of every superpixel have each label, N x labels row-major; void
// counts nowhere. Labels are those of MajorityLabel.
func Counts(sp *Map, label []uint8, labels int) []int64 {
	checkMask(sp, sp.Width, sp.Height, len(label))
	n := make([]int64, sp.N*labels)
	for i, id := range sp.Labels {
		if l := int(label[i]); l < labels {
			n[int(id)*labels+l]++
		} else if label[i] != raster.Void {
			panic(fmt.Sprintf("superpixel: label %d at pixel %d, want below %d", l, i, labels))
		}
	}
	return n
}

// Paint returns the mask in which every pixel has its superpixel's label, one of the
// three values of a raster.Mask. len(labels) = sp.N.
func Paint(sp *Map, labels []uint8) *raster.Mask {
	if len(labels) != sp.N {
		panic(fmt.Sprintf("superpixel: len(labels) = %d, want %d", len(labels), sp.N))
	}
	m := raster.NewMask(sp.Width, sp.Height)
	for i, l := range sp.Labels {
		m.Pix[i] = labels[l]
	}
	return m
}

func checkMask(sp *Map, width, height, n int) {
	if width != sp.Width || height != sp.Height || n != len(sp.Labels) {
		panic(fmt.Sprintf("superpixel: mask of %d pixels for %d x %d, want %d x %d", n, height, width, sp.Height, sp.Width))
	}
}

// neighbors returns for every label 0..n-1 the larger labels that it touches, ascending: those of
// label i are ids[start[i]:start[i+1]]. Labels touch where pixels are 4-neighbours.
func neighbors(labels []int32, w, n int) (start, ids []int32) {
	pairs := contacts(labels, w)
	at := make([]int32, n+1) // counting sort by the smaller label
	for _, p := range pairs {
		at[p[0]+1]++
	}
	for i := range n {
		at[i+1] += at[i]
	}
	all := make([]int32, len(pairs))
	fill := slices.Clone(at)
	for _, p := range pairs {
		all[fill[p[0]]] = p[1]
		fill[p[0]]++
	}
	start = make([]int32, n+1)
	ids = all[:0] // what is kept never overtakes what is read
	seen := make([]int32, n)
	for i := range n {
		from := len(ids)
		for _, j := range all[at[i]:at[i+1]] {
			if seen[j] != int32(i)+1 {
				seen[j] = int32(i) + 1
				ids = append(ids, j)
			}
		}
		slices.Sort(ids[from:])
		start[i+1] = int32(len(ids))
	}
	return start, ids
}

// contacts returns the pairs (smaller, larger) of labels of 4-neighbours, with repeats, though not
// of one pair all along a border.
func contacts(labels []int32, w int) [][2]int32 {
	pairs := make([][2]int32, 0, len(labels)/4)
	touch := func(a, b int32) { pairs = append(pairs, [2]int32{min(a, b), max(a, b)}) }
	for y := 0; y < len(labels); y += w {
		row := labels[y : y+w]
		for x := 1; x < w; x++ {
			if row[x-1] != row[x] {
				touch(row[x-1], row[x])
			}
		}
		if y == 0 {
			continue
		}
		up := labels[y-w : y]
		up = up[:len(row)]
		a, b := int32(-1), int32(-1) // the last contact
		for x, l := range row {
			if u := up[x]; u != l && (u != a || l != b) {
				touch(u, l)
				a, b = u, l
			}
		}
	}
	return pairs
}

// Rings calls visit for every node of a graph of n nodes and every distance 1..depth, in ascending
// order, with the nodes at that distance: none where the graph ends before. Edges are taken both
// ways; the order of a ring follows that of edges. A ring is valid until visit returns. Cost: the
// edges within depth-1 of every node.
func Rings(n int, edges [][2]int32, depth int, visit func(node, distance int, ring []int32)) {
	next := make([][]int32, n)
	for _, e := range edges {
		next[e[0]] = append(next[e[0]], e[1])
		next[e[1]] = append(next[e[1]], e[0])
	}
	seen := make([]int, n) // the node from which it was reached last, plus one
	var reached []int32    // by node, nearest first
	for s := range n {
		seen[s] = s + 1
		reached = append(reached[:0], int32(s))
		from := 0 // of the last ring
		for d := 1; d <= depth; d++ {
			to := len(reached)
			for _, v := range reached[from:to] {
				for _, u := range next[v] {
					if seen[u] != s+1 {
						seen[u] = s + 1
						reached = append(reached, u)
					}
				}
			}
			from = to
			visit(s, d, reached[from:])
		}
	}
}
