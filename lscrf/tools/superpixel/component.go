package superpixel

// components renames labels so that every 4-connected component of equal labels has an
// id of its own, 0..n-1 in the order of the components' first pixels, and returns n.
//
// Rows are cut into runs of equal labels, and a run is united with those above that it touches.
func components(labels []int32, w, h int) int {
	var parent []int32 // of runs: the first run of a component is its root
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	type run struct{ end, label, id int32 }
	var above, row []run
	for y := range h {
		line := labels[y*w : (y+1)*w]
		row = row[:0]
		k := 0
		for x := 0; x < w; {
			x0, l := x, line[x]
			for x < w && line[x] == l {
				x++
			}
			id := int32(-1)
			for ; k < len(above); k++ {
				if a := above[k]; a.label == l && int(a.end) > x0 {
					root := find(a.id)
					switch {
					case id < 0:
						id = root
					case root < id:
						parent[id], id = root, root
					case id < root:
						parent[root] = id
					}
				}
				if int(above[k].end) >= x {
					break
				}
			}
			if id < 0 {
				id = int32(len(parent))
				parent = append(parent, id)
			}
			row = append(row, run{int32(x), l, id})
			for i := x0; i < x; i++ {
				line[i] = id
			}
		}
		above, row = row, above
	}
	n := int32(0)
	final := make([]int32, len(parent))
	for i := range parent { // a root comes before its children
		if parent[i] == int32(i) {
			final[i] = n
			n++
		} else {
			final[i] = final[find(int32(i))]
		}
	}
	for i, id := range labels {
		labels[i] = final[id]
	}
	return int(n)
}
