package demo

import (
	"math"

	"hdseg/manifests/arith"
)

// A figure is a posed body ready to be painted.
type figure struct {
	name  string // VOC class name
	limbs []limb
	scale float64
	coat  coat
}

// outline returns the signed distance of (x, y) from the figure's outline in pixels,
// after its fur has roughened it.
func (f *figure) outline(x, y float64, n *noise) float64 {
	d := math.Inf(1)
	for i := range f.limbs {
		c := &f.limbs[i]
		if c.matters(x, y) {
			q, r, _, _, _ := c.reach(x, y)
			d = join(d, q-r+f.fur(c, x, y, n), c.blend)
		}
	}
	return d
}

// fur moves the outline of a limb: hair is ragged, skin a little uneven.
func (f *figure) fur(c *limb, x, y float64, n *noise) float64 {
	if c.part == hair {
		return 0.09 * f.scale * (n.fractal(18*x/f.scale+f.coat.dx, 9*y/f.scale, 2) - 0.5)
	}
	return 0.022 * f.scale * (n.at(9*x/f.scale+f.coat.dx, 9*y/f.scale+f.coat.dy) - 0.5)
}

// paintFigure paints a figure, lit from the direction light (a unit vector).
func (c *canvas) paintFigure(f *figure, light vec) {
	who := c.add(f.name)
	x0, y0, x1, y1 := bounds(f.limbs)
	m := float64(0.06 * f.scale)
	for y := max(int(y0-m), 0); y < min(int(y1+m)+1, c.h); y++ {
		for x := max(int(x0-m), 0); x < min(int(x1+m)+1, c.w); x++ {
			fx, fy := float64(x), float64(y)
			if d := f.outline(fx, fy, c.n); d < 0.5 {
				c.paint(x, y, 0.5-d, f.color(fx, fy, light, c.n), who)
			}
		}
	}
}

// color returns the lit colour at (x, y): the surfaces there blend by how far each
// stands out towards the viewer, so that joints do not show.
func (f *figure) color(x, y float64, light vec, n *noise) rgb {
	type surface struct {
		height, lit float64
		part        part
	}
	var over [8]surface // those that cover the point
	var edge surface    // the nearest one, where only the rounding of a joint covers it
	count, top, miss := 0, math.Inf(-1), math.Inf(1)
	for i := range f.limbs {
		c := &f.limbs[i]
		if !c.matters(x, y) {
			continue
		}
		q, r, dx, dy, z := c.reach(x, y)
		if q-r > 0 && (count > 0 || q-r > miss) {
			continue
		}
		k := min(q/r, 0.98)
		up := math.Sqrt(1 - float64(k*k))
		if q > 1e-9 {
			dx, dy = dx/q*k, dy/q*k
		}
		s := surface{z + float64(r*up), max(float64(dx*light.x)+float64(dy*light.y)+float64(up*light.z), 0), c.part}
		if q-r > 0 {
			miss, edge = q-r, s
		} else if count < len(over) {
			over[count] = s
			count++
			top = max(top, s.height)
		}
	}
	if count == 0 {
		over[0], count, top = edge, 1, edge.height
	}
	var col rgb
	total, lit := 0.0, 0.0
	for _, s := range over[:count] {
		w := arith.Exp(14 * (s.height - top) / f.scale)
		if w < 0.02 {
			continue
		}
		base := f.coat.at(s.part, x/f.scale, y/f.scale, n)
		col = rgb{col[0] + float64(w*base[0]), col[1] + float64(w*base[1]), col[2] + float64(w*base[2])}
		total, lit = total+w, lit+float64(w*s.lit)
	}
	lit /= total
	depth := smooth(-0.45, 0.1, top/f.scale) // far legs lie in the body's shade
	bright := (0.5 + float64(0.62*lit)) * (0.68 + float64(0.32*depth))
	shine := float64(f.coat.gloss * arith.Pow(lit, 12))
	col = col.times(bright / total)
	return rgb{col[0] + shine, col[1] + shine, col[2] + shine}
}
