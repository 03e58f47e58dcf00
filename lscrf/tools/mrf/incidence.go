package mrf

// A half is an edge seen from one of its ends.
type half struct{ edge, other int32 }

// An incidence lists the edges of every node, in the order of Problem.Edges but those to
// earlier nodes first: node i's early ones are half[first[i]:mid[i]], its later ones
// half[mid[i]:first[i+1]].
type incidence struct {
	first []int32 // n+1
	mid   []int32 // n
	half  []half  // 2E
}

// of builds the incidence of a graph of n nodes in time O(n + len(edges)).
func (c *incidence) of(n int, edges [][2]int32) {
	c.first, c.mid = grow(c.first, n+1), grow(c.mid, n)
	c.half = grow(c.half, 2*len(edges))
	clear(c.first)
	clear(c.mid)
	for _, ij := range edges {
		c.first[ij[1]]++
		c.mid[ij[0]]++
		c.mid[ij[1]]++
	}
	sum := int32(0)
	for i, d := range c.mid { // now first and mid are the ends of the two ranges ...
		c.first[i] += sum
		sum += d
		c.mid[i] = sum
	}
	c.first[n] = sum
	for e := len(edges) - 1; e >= 0; e-- { // ... and filling those from behind makes them the starts
		i, j := edges[e][0], edges[e][1]
		c.mid[i]--
		c.half[c.mid[i]] = half{int32(e), j}
		c.first[j]--
		c.half[c.first[j]] = half{int32(e), i}
	}
}

// edges returns the edges of node i.
func (c *incidence) edges(i int) []half { return c.half[c.first[i]:c.first[i+1]] }

// early returns the edges from node i to earlier nodes.
func (c *incidence) early(i int) []half { return c.half[c.first[i]:c.mid[i]] }

// later returns the edges from node i to later nodes.
func (c *incidence) later(i int) []half { return c.half[c.mid[i]:c.first[i+1]] }
