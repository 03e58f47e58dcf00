package superpixel

// Rings calls visit for every node of a graph of n nodes and every distance 1..depth, in ascending order, with the nodes at
// that distance: none where the graph ends before. Edges are taken both ways; the order of a ring follows that of edges.
// A ring is valid until visit returns. Cost: the edges within depth-1 of every node.
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
