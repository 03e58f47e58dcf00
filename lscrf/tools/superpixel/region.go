package superpixel

// regions is the graph of a labeling's regions while they are merged. A region that was merged
// into another leads to it by parent; find gives the region that stands now.
type regions struct {
	sums   []sum
	near   [][]int32 // neighbours, perhaps under names that no longer stand, perhaps repeated
	parent []int32
	// counts a region's merges, so that costs computed before them are known to be stale
	version []int32
	seen    []int32 // scratch of around: the last stamp that met a region
	stamp   int32
	alive   int
	spatial float64 // weight of a squared pixel distance
}

// newRegions takes labels 0..n-1, every one in use.
func newRegions(p *planes, labels []int32, n int, spatial float64) *regions {
	r := &regions{
		sums:    make([]sum, n),
		near:    make([][]int32, n),
		parent:  make([]int32, n),
		version: make([]int32, n),
		seen:    make([]int32, n),
		alive:   n,
		spatial: spatial,
	}
	sumLabels(p, labels, r.sums)
	start, ids := neighbors(labels, p.w, n)
	degree := make([]int, n)
	for i := range n {
		degree[i] += int(start[i+1] - start[i])
		for _, j := range ids[start[i]:start[i+1]] {
			degree[j]++
		}
	}
	all := make([]int32, 2*len(ids))
	for i, d := range degree {
		r.parent[i] = int32(i)
		r.near[i], all = all[:0:d], all[d:]
	}
	for i := range n {
		for _, j := range ids[start[i]:start[i+1]] {
			r.near[i] = append(r.near[i], j)
			r.near[j] = append(r.near[j], int32(i))
		}
	}
	return r
}

// find returns the region that i is part of now.
func (r *regions) find(i int32) int32 {
	for r.parent[i] != i {
		r.parent[i] = r.parent[r.parent[i]]
		i = r.parent[i]
	}
	return i
}

// around cleans the neighbours of a standing region up, each once, and returns them.
func (r *regions) around(i int32) []int32 {
	r.stamp++
	r.seen[i] = r.stamp
	kept := r.near[i][:0]
	for _, j := range r.near[i] {
		if j = r.find(j); r.seen[j] != r.stamp {
			r.seen[j] = r.stamp
			kept = append(kept, j)
		}
	}
	r.near[i] = kept
	return kept
}

// cost returns by how much uniting two regions raises the sum of squared distances of pixels
// to their region's mean (Ward 1963): |mean i - mean j|^2 ni nj / (ni + nj).
func (r *regions) cost(i, j int32) float64 {
	p, q := &r.sums[i], &r.sums[j]
	fp, fq := 1/p.n, 1/q.n
	l, a, b := float64(p.l*fp)-float64(q.l*fq), float64(p.a*fp)-float64(q.a*fq), float64(p.b*fp)-float64(q.b*fq)
	d := float64(l*l) + float64(a*a) + float64(b*b)
	if r.spatial != 0 {
		x, y := float64(p.x*fp)-float64(q.x*fq), float64(p.y*fp)-float64(q.y*fq)
		d += float64(r.spatial * (float64(x*x) + float64(y*y)))
	}
	return d * (p.n * q.n / (p.n + q.n))
}

// merge makes region j part of region i.
func (r *regions) merge(i, j int32) {
	p, q := &r.sums[i], &r.sums[j]
	p.l += q.l
	p.a += q.a
	p.b += q.b
	p.x += q.x
	p.y += q.y
	p.n += q.n
	r.near[i] = append(r.near[i], r.near[j]...)
	r.near[j] = nil
	r.parent[j] = i
	r.version[i]++
	r.version[j]++
	r.alive--
}

// absorb merges every region of fewer than least pixels into the neighbour that costs least, among
// those that are not small themselves if there is one; the neighbour met first wins a tie.
func (r *regions) absorb(least int) {
	small := func(i int32) bool { return r.sums[i].n < float64(least) }
	for k := range r.sums {
		i := r.find(int32(k))
		for small(i) {
			at := int32(-1)
			for _, j := range r.around(i) {
				if at < 0 || small(at) && !small(j) || small(at) == small(j) && r.cost(i, j) < r.cost(i, at) {
					at = j
				}
			}
			if at < 0 {
				return // it is the whole picture
			}
			i, at = min(i, at), max(i, at)
			r.merge(i, at)
		}
	}
}

// relabel writes the standing regions' ids 0..n-1 into labels and returns their sums.
func (r *regions) relabel(labels []int32) []sum {
	id := make([]int32, len(r.sums))
	var sums []sum
	for i := range id {
		if r.parent[i] == int32(i) {
			id[i] = int32(len(sums))
			sums = append(sums, r.sums[i])
		}
	}
	for i := range id {
		id[i] = id[r.find(int32(i))]
	}
	for i, l := range labels {
		labels[i] = id[l]
	}
	return sums
}

// Components renames labels so that every 4-connected component of equal labels has an
// id of its own, 0..n-1 in the order of the components' first pixels, and returns n.
//
// Rows are cut into runs of equal labels, and a run is united with those above that it touches.
func Components(labels []int32, w, h int) int {
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
