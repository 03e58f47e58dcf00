package export

import "hdseg/manifests/raster"

// Outlines returns the outer outlines of the 4-connected regions of one value: polygons x0, y0, x1,
// y1, ... along the edges of pixels, corner points only, in the order of each region's first pixel.
// Filled by COCO's rule they give the regions' pixels again, and those of their holes, for which
// COCO's polygons have no words. Cost: linear in the pixels.
func Outlines(m *raster.Mask, value uint8) [][]float64 {
	seen := make([]bool, len(m.Pix))
	out := [][]float64{}
	var stack []int
	for first, v := range m.Pix {
		if v != value || seen[first] {
			continue
		}
		region := map[int]bool{}
		stack = append(stack[:0], first)
		seen[first] = true
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			region[i] = true
			x, y := i%m.Width, i/m.Width
			for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				u, w := x+d[0], y+d[1]
				if u < 0 || w < 0 || u >= m.Width || w >= m.Height {
					continue
				}
				if j := w*m.Width + u; m.Pix[j] == value && !seen[j] {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
		out = append(out, outline(m.Width, m.Height, first, region))
	}
	return out
}

// outline walks around a region with its pixels on the right hand, from the upper left corner of
// its first pixel, whose upper neighbour is outside. Where two of its pixels touch at a corner it
// turns right, so that the walk stays on its own side.
func outline(width, height, first int, region map[int]bool) []float64 {
	in := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < width && y < height && region[y*width+x]
	}
	x0, y0 := first%width, first/width
	x, y, dx, dy := x0, y0, 1, 0
	p := []float64{float64(x), float64(y)}
	for {
		x, y = x+dx, y+dy
		// The pixels ahead: to the right and to the left of the walk.
		rx, ry := x+(dx-dy-1)/2, y+(dy+dx-1)/2
		lx, ly := x+(dx+dy-1)/2, y+(dy-dx-1)/2
		ndx, ndy := dx, dy
		switch {
		case !in(rx, ry):
			ndx, ndy = -dy, dx // right
		case in(lx, ly):
			ndx, ndy = dy, -dx // left
		}
		if x == x0 && y == y0 && ndx == 1 && ndy == 0 {
			return p
		}
		if ndx != dx || ndy != dy {
			p = append(p, float64(x), float64(y))
		}
		dx, dy = ndx, ndy
	}
}
