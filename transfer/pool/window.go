package pool

import (
	"image"
	"slices"

	"hdseg/manifests/raster"
)

// Windows returns the boxes around the objects of a mask, largest figure first: one per 8-connected
// component of figure, after small components were joined to a large one nearby (a leg behind a
// rail belongs to the horse). Two components of similar size stay two objects. Components that are
// left with fewer than minArea pixels are dropped.
//
// A mask of one class does not say which pixels belong to one object, so this is a guess:
// components are joined if the smaller has at most a quarter of the larger's area and their boxes
// are at most 15% of the larger box's longer side apart.
func Windows(m *raster.Mask, minArea int) []image.Rectangle {
	parts := components(m)
	slices.SortStableFunc(parts, func(a, b part) int { return b.area - a.area })
	var out []part
	for _, p := range parts {
		joined := false
		for i := range out {
			o := &out[i]
			if 4*p.area <= o.area && gap(p.box, o.box) <= max(o.box.Dx(), o.box.Dy())*15/100 {
				o.box = o.box.Union(p.box)
				o.area += p.area
				joined = true
				break
			}
		}
		if !joined {
			out = append(out, p)
		}
	}
	var boxes []image.Rectangle
	for _, o := range out {
		if o.area >= minArea {
			boxes = append(boxes, o.box)
		}
	}
	return boxes
}

// gap returns the larger of the horizontal and vertical number of pixels between two boxes, 0 if
// they touch.
func gap(a, b image.Rectangle) int {
	return max(0, a.Min.X-b.Max.X, b.Min.X-a.Max.X, a.Min.Y-b.Max.Y, b.Min.Y-a.Max.Y)
}

type part struct {
	box  image.Rectangle
	area int
}

// components returns the 8-connected components of figure in the order of their first pixel.
func components(m *raster.Mask) []part {
	seen := make([]bool, len(m.Pix))
	var out []part
	var stack []int
	for i, v := range m.Pix {
		if v != raster.Figure || seen[i] {
			continue
		}
		p := part{box: image.Rect(i%m.Width, i/m.Width, i%m.Width+1, i/m.Width+1)}
		seen[i] = true
		stack = append(stack[:0], i)
		for len(stack) > 0 {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			x, y := j%m.Width, j/m.Width
			p.area++
			p.box = p.box.Union(image.Rect(x, y, x+1, y+1))
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if x+dx < 0 || x+dx >= m.Width || y+dy < 0 || y+dy >= m.Height {
						continue
					}
					if k := j + dy*m.Width + dx; m.Pix[k] == raster.Figure && !seen[k] {
						seen[k] = true
						stack = append(stack, k)
					}
				}
			}
		}
		out = append(out, p)
	}
	return out
}

// dot returns Σ aᵢbᵢ, summed in eight interleaved parts, which are then added in a fixed order.
func dot(a, b []float32) float32 {
	var s [8]float32
	n := len(a) &^ 7
	for i := 0; i < n; i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s[0] += float32(x[0] * y[0])
		s[1] += float32(x[1] * y[1])
		s[2] += float32(x[2] * y[2])
		s[3] += float32(x[3] * y[3])
		s[4] += float32(x[4] * y[4])
		s[5] += float32(x[5] * y[5])
		s[6] += float32(x[6] * y[6])
		s[7] += float32(x[7] * y[7])
	}
	t := (s[0] + s[4]) + (s[1] + s[5]) + ((s[2] + s[6]) + (s[3] + s[7]))
	for i := n; i < len(a); i++ {
		t += float32(a[i] * b[i])
	}
	return t
}
