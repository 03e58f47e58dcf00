package superpixel

// connect makes a Map of any labeling: every 4-connected component becomes a superpixel
// of its own, except that one of fewer than least pixels joins the component met just
// before it in scan order (Achanta's rule). labels are overwritten and owned by the result.
func connect(labels []int32, w, h, least int) *Map {
	out := make([]int32, len(labels))
	for i := range out {
		out[i] = -1
	}
	var queue []int32
	next := int32(0)
	for start := range labels {
		if out[start] >= 0 {
			continue
		}
		join := next
		queue = append(queue[:0], int32(start))
		out[start] = next
		neighbor := int32(-1)
		for q := 0; q < len(queue); q++ {
			i := int(queue[q])
			x := i % w
			visit := func(j int) {
				switch {
				case out[j] < 0 && labels[j] == labels[start]:
					out[j] = next
					queue = append(queue, int32(j))
				case out[j] >= 0 && out[j] != next && neighbor < 0:
					neighbor = out[j]
				}
			}
			if x > 0 {
				visit(i - 1)
			}
			if i >= w {
				visit(i - w)
			}
			if x+1 < w {
				visit(i + 1)
			}
			if i+w < len(labels) {
				visit(i + w)
			}
		}
		if len(queue) < least && neighbor >= 0 {
			join = neighbor
			for _, i := range queue {
				out[i] = join
			}
			continue
		}
		next++
	}
	return &Map{Labels: out, Width: w, Height: h, N: int(next)}
}
