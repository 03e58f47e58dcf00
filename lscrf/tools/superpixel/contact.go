package superpixel

import "slices"

// neighbors returns for every label 0..n-1 the larger labels that it touches, ascending: those of label i
// are ids[start[i]:start[i+1]]. Labels touch where pixels are 4-neighbours.
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

// contacts returns the pairs (smaller, larger) of labels of 4-neighbours, with repeats, though not of one
// pair all along a border.
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
