package superpixel

import (
	"fmt"
	"slices"
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

// Check returns an error if m does not keep the promises of its type, or is not width x
// height.
func (m *Map) Check(width, height int) error {
	if m.Width != width || m.Height != height || len(m.Labels) != width*height {
		return fmt.Errorf("superpixel: map of %d labels for %d x %d: want %d x %d", len(m.Labels), m.Height, m.Width, height, width)
	}
	next := int32(0)
	for i, l := range m.Labels {
		if l < 0 || l > next {
			return fmt.Errorf("superpixel: label %d at pixel %d: want 0..%d", l, i, next)
		}
		if l == next {
			next++
		}
	}
	if int(next) != m.N {
		return fmt.Errorf("superpixel: got %d labels, want %d", next, m.N)
	}
	if n := components(slices.Clone(m.Labels), width, height); n != m.N {
		return fmt.Errorf("superpixel: %d superpixels in %d pieces: want every one connected", m.N, n)
	}
	return nil
}
