package demo

import (
	"math"
	"math/rand/v2"

	"hdseg/manifests/arith"
)

// A body is an animal in its pose and turn, not yet placed.
type body struct {
	name                string // VOC class name
	cones               []cone
	coat                coat
	view                camera  // of scale 1, with the middle of its feet at the origin
	middle, width, tall float64 // of the outline: middle right of the origin, size from the feet up
}

// newBody poses an animal at random, seen mostly from a side.
func newBody(r *rand.Rand, name string) body {
	s := species[name]
	b := body{name: name, cones: s.pose(r), coat: newCoat(r, s)}
	b.view = camera{yaw: uniform(r, -0.75, 0.75), pitch: uniform(r, -0.05, 0.2), scale: 1}
	if chance(r, 0.12) {
		b.view.yaw = pick(r, -1.0, 1.0) * uniform(r, 0.9, 1.3) // from the front or behind
	}
	if chance(r, 0.5) {
		b.view.yaw += math.Pi
	}
	b.view.y = -s.leg * arith.Cos(b.view.pitch)
	x0, y0, x1, _ := bounds(b.view.project(b.cones))
	b.middle, b.width, b.tall = (x0+x1)/2, x1-x0, -y0
	return b
}

// A figure is an animal at its place, ready to be painted.
type figure struct {
	name        string // VOC class name
	limbs       []limb
	scale       float64 // pixels for one body unit
	coat        coat
	x, foot     float64 // the middle of its outline, and the row of its feet
	width, tall float64 // in pixels
}

// at places a body: scale pixels for one unit, the middle of its outline at column x,
// its feet on row foot.
func (b body) at(scale, x, foot float64) figure {
	v := b.view
	v.scale, v.x, v.y = scale, x-float64(scale*b.middle), foot+float64(scale*v.y)
	return figure{b.name, v.project(b.cones), scale, b.coat, x, foot, scale * b.width, scale * b.tall}
}

// outline returns the signed distance of (x, y) from the figure's outline in pixels,
// after its fur has roughened it: hair is ragged, skin a little uneven.
func (f *figure) outline(x, y float64, n *noise) float64 {
	d := math.Inf(1)
	for i := range f.limbs {
		c := &f.limbs[i]
		if !c.matters(x, y) {
			continue
		}
		fur := 0.022 * f.scale * (n.at(9*x/f.scale+f.coat.dx, 9*y/f.scale+f.coat.dy) - 0.5)
		if c.part == hair {
			fur = 0.09 * f.scale * (n.fractal(18*x/f.scale+f.coat.dx, 9*y/f.scale, 2) - 0.5)
		}
		q, r, _, _, _ := c.reach(x, y)
		d = join(d, q-r+float64(fur), c.blend)
	}
	return d
}

// paintFigure paints a figure, lit from the direction light (a unit vector).
func (c *canvas) paintFigure(f *figure, light vec) {
	who := c.add(f.name)
	x0, y0, x1, y1 := bounds(f.limbs)
	m := float64(0.06 * f.scale)
	c.fill(x0-m, y0-m, x1+m, y1+m, who, func(x, y float64) float64 { return f.outline(x, y, c.n) },
		func(x, y float64) rgb { return f.color(x, y, light, c.n) })
}

// color returns the lit colour at (x, y), of the surface that stands out most towards the
// viewer.
func (f *figure) color(x, y float64, light vec, n *noise) rgb {
	top, lit, of := math.Inf(-1), 0.0, trunk
	for i := range f.limbs {
		c := &f.limbs[i]
		if !c.matters(x, y) {
			continue
		}
		q, r, dx, dy, z := c.reach(x, y)
		k := min(q/r, 0.98)
		up := math.Sqrt(1 - float64(k*k))
		// between limbs only the rounding of a joint covers the point: the nearest shows
		height := z + float64(r*up) - float64(9*max(q-r, 0))
		if height <= top {
			continue
		}
		if q > 1e-9 {
			dx, dy = dx/q*k, dy/q*k
		}
		top, lit, of = height, max(float64(dx*light.x)+float64(dy*light.y)+float64(up*light.z), 0), c.part
	}
	depth := smooth(-0.45, 0.1, top/f.scale) // far legs lie in the body's shade
	return f.coat.at(of, x/f.scale, y/f.scale, n).times((0.5 + float64(0.62*lit)) * (0.68 + float64(0.32*depth)))
}
