package raster

// Deepest returns the first pixel of a label that is farthest from all that has not the label, by
// rows and columns, and that distance: 1 for one beside another label or the picture's border. It
// is 0 if no pixel has the label.
func (m *Mask) Deepest(label uint8) (x, y, distance int) {
	w, h := m.Width, m.Height
	d := make([]int, w*h)
	at := func(x, y int) int {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 0
		}
		return d[y*w+x]
	}
	for i, v := range m.Pix {
		if x, y := i%w, i/w; v == label {
			d[i] = 1 + min(at(x-1, y), at(x, y-1), at(x-1, y-1), at(x+1, y-1))
		}
	}
	for i := w*h - 1; i >= 0; i-- {
		u, v := i%w, i/w
		if m.Pix[i] == label {
			d[i] = min(d[i], 1+min(at(u+1, v), at(u, v+1), at(u+1, v+1), at(u-1, v+1)))
		}
		if d[i] >= distance && d[i] > 0 {
			x, y, distance = u, v, d[i]
		}
	}
	return x, y, distance
}
