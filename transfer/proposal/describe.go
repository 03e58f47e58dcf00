package proposal

import (
	"image"
	"math"
)

// dims is the number of features of a window.
const dims = 10 + mapChannels*12 + 3 + 5

// describe appends the features of a window: its shape and place, what the map says of it, contrast and edges, and what is the same
// for all windows of the scene.
func (s *Scene) describe(out []float32, r image.Rectangle) []float32 {
	g := float64(s.grid)
	all := image.Rect(0, 0, s.grid, s.grid)
	size := area(r)
	add := func(v float64) { out = append(out, float32(v)) }
	flag := func(b bool) {
		if b {
			add(1)
		} else {
			add(0)
		}
	}
	add(float64(r.Dx()) / g)
	add(float64(r.Dy()) / g)
	add(float64(r.Min.X+r.Max.X) / 2 / g)
	add(float64(r.Min.Y+r.Max.Y) / 2 / g)
	add(size / g / g)
	add(math.Log(float64(r.Dx()*s.width) / float64(r.Dy()*s.height)))
	flag(r.Min.X == 0)
	flag(r.Min.Y == 0)
	flag(r.Max.X == s.grid)
	flag(r.Max.Y == s.grid)

	mx, my := max(1, (r.Dx()+2)/4), max(1, (r.Dy()+2)/4)
	around := image.Rect(r.Min.X-mx, r.Min.Y-my, r.Max.X+mx, r.Max.Y+my).Intersect(all)
	ring := area(around) - size
	rims, rests := rims(r), neighbors(r, all)
	for _, c := range s.channels {
		in, total := c.in(r), c.in(all)
		add(in / size)
		add(in / (total + 1e-3))
		add(in / (size + total - in))
		add((c.in(around) - in) / (ring + 1e-3))
		for k := range rims {
			add(c.mean(rims[k], -1))
			add(c.mean(rests[k], -1))
		}
	}
	contrast := 0.0
	if ring > 0 {
		for _, c := range s.lab {
			d := c.in(r)/size - (c.in(around)-c.in(r))/ring
			contrast += d * d
		}
	}
	add(math.Sqrt(contrast))
	inner := r.Inset(1)
	rim := s.edges.in(r)
	if !inner.Empty() {
		rim -= s.edges.in(inner)
		size -= area(inner)
	}
	add(rim / size)
	add(s.edges.mean(r, 0))
	return append(out, s.globals...)
}

// rims returns the row or column of cells inside a window along its left, top, right and bottom side.
func rims(r image.Rectangle) [4]image.Rectangle {
	return [4]image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Min.X+1, r.Max.Y), image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1),
		image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y), image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y),
	}
}

// neighbors returns the same just outside; empty where the window lies on the picture's border.
func neighbors(r, all image.Rectangle) [4]image.Rectangle {
	return [4]image.Rectangle{
		image.Rect(r.Min.X-1, r.Min.Y, r.Min.X, r.Max.Y).Intersect(all), image.Rect(r.Min.X, r.Min.Y-1, r.Max.X, r.Min.Y).Intersect(all),
		image.Rect(r.Max.X, r.Min.Y, r.Max.X+1, r.Max.Y).Intersect(all), image.Rect(r.Min.X, r.Max.Y, r.Max.X, r.Max.Y+1).Intersect(all),
	}
}
