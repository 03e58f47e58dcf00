package demo

import (
	"math"
	"math/rand/v2"
)

// grainy returns a colour function with the texture of wood, stone or straw: streaks
// of sizes px across and py along.
func (c *canvas) grainy(r *rand.Rand, col rgb, px, py, height float64) func(x, y float64) rgb {
	dx, dy := uniform(r, 0, 99), uniform(r, 0, 99)
	return func(x, y float64) rgb {
		return col.times(1 + float64(height*(c.n.fractal(x/px+dx, y/py+dy, 2)-0.5)))
	}
}

// fence paints posts and rails that stand on row foot, height pixels tall.
func (c *canvas) fence(r *rand.Rand, foot, height float64) {
	col := hue(pick[uint32](r, 0x6a4a30, 0x8a7458, 0xd8d4cc, 0x4a3626, 0x7a5a3c)).jitter(r, 0.05)
	w := float64(c.w)
	gap, tilt := float64(uniform(r, 0.7, 1.6)*height), uniform(r, -0.08, 0.08)
	thick := max(0.05*height, 0.9)
	for x := -uniform(r, 0, gap); x < w+gap; x += gap {
		y := foot + float64(tilt*(x-float64(w/2)))
		c.bar(x, y, x+uniform(r, -1, 1), y-height, 1.25*thick, c.grainy(r, col, 2, 7, 0.7))
	}
	rails := 2 + r.IntN(2)
	for i := range rails {
		up := float64(height * (0.35 + 0.55*float64(i)/float64(rails-1)))
		c.bar(-5, foot-up-float64(tilt*w/2), w+5, foot-up+float64(tilt*w/2), 0.8*thick, c.grainy(r, col, 9, 2, 0.6))
	}
}

// tree paints a trunk on row foot and, where it reaches into the picture, its crown.
func (c *canvas) tree(r *rand.Rand, x, foot, height float64) {
	bark := hue(pick[uint32](r, 0x4a3624, 0x6a543c, 0x2e241c, 0x7a4e30, 0xb8b0a4)).jitter(r, 0.05)
	thick := uniform(r, 0.035, 0.075) * height
	top := foot - height
	lean := float64(uniform(r, -0.1, 0.1) * height)
	c.bar(x, foot, x+lean, top, thick, c.grainy(r, bark, float64(0.5*thick)+1, float64(3*thick)+2, 1.0))
	c.bar(x+float64(0.5*lean), foot-float64(0.5*height), x+float64(0.5*lean)+float64(pick(r, -0.3, 0.3)*height),
		top+float64(0.15*height), 0.4*thick,
		c.grainy(r, bark, 2, 5, 0.8))
	leaf := hue(pick[uint32](r, 0x3a5424, 0x55702e, 0x6a6428, 0x8a5a26)).jitter(r, 0.05)
	for range 3 {
		c.blob(x+lean+float64(uniform(r, -0.25, 0.25)*height), top+float64(uniform(r, -0.1, 0.25)*height),
			uniform(r, 0.2, 0.35)*height, uniform(r, 0.14, 0.24)*height, 0.5, 0.09*height,
			c.grainy(r, leaf, float64(0.04*height)+1, float64(0.04*height)+1, 1.5))
	}
}

// bush paints a heap of leaves on row foot.
func (c *canvas) bush(r *rand.Rand, x, foot, size float64) {
	leaf := hue(pick[uint32](r, 0x34502a, 0x4e6a30, 0x7a7a3a, 0x6a4a2c, 0x8a7446)).jitter(r, 0.06)
	for range 3 {
		c.blob(x+float64(uniform(r, -0.5, 0.5)*size), foot-float64(uniform(r, 0.2, 0.5)*size), uniform(r, 0.4, 0.7)*size,
			uniform(r, 0.3, 0.5)*size, 0.6, 0.22*size, c.grainy(r, leaf, float64(0.1*size)+1, float64(0.1*size)+1, 1.4))
	}
}

// rock paints a boulder or a bale in the colours that coats have.
func (c *canvas) rock(r *rand.Rand, x, foot, size float64) {
	col := hue(pick[uint32](r, 0x8a8680, 0x5e5852, 0x7a5638, 0xc8b078, 0x3a322c, 0xd0ccc4)).jitter(r, 0.05)
	tex := c.grainy(r, col, float64(0.2*size)+1, float64(0.12*size)+1, 0.7)
	c.shade(x, foot, 1.5*size, 0.35*size, 0.45)
	cy := foot - float64(0.5*size)
	c.blob(x, cy, uniform(r, 0.7, 1.3)*size, 0.62*size, 0.25, 0.5*size, func(px, py float64) rgb {
		return tex(px, py).times(1.05 - 0.5*(py-cy)/size + 0.15*(px-x)/size)
	})
}

// house paints a barn behind the horizon line.
func (c *canvas) house(r *rand.Rand, g ground) {
	w, h := float64(uniform(r, 0.25, 0.6)*float64(c.w)), float64(uniform(r, 0.4, 0.9)*g.horizon)
	x0, foot := float64(uniform(r, -0.1, 0.8)*float64(c.w)), g.horizon+float64(uniform(r, 0, 0.08)*float64(c.h))
	wall := hue(pick[uint32](r, 0x8a3c2c, 0xcfc6b4, 0x7a6248, 0xe4e0d6, 0x5a5650)).jitter(r, 0.05)
	roof := hue(pick[uint32](r, 0x5a3a2c, 0x4a4644, 0x8a6a50)).jitter(r, 0.05)
	box := func(ax, ay, bx, by float64, col func(x, y float64) rgb) {
		c.fill(ax, ay, bx, by, func(x, y float64) float64 { return max(ax-x, x-bx, ay-y, y-by) }, col)
	}
	box(x0, foot-h, x0+w, foot, c.grainy(r, wall, 2, 30, 0.4))
	for x := x0 + float64(0.1*w); x < x0+float64(0.9*w); x += float64(0.22 * w) {
		box(x, foot-float64(0.6*h), x+float64(0.09*w), foot-float64(0.35*h), c.grainy(r, rgb{0.16, 0.17, 0.2}, 4, 4, 0.5))
	}
	c.fill(x0-float64(0.1*w), foot-float64(1.4*h), x0+float64(1.1*w), foot-h+2, func(x, y float64) float64 {
		side := math.Abs(x-x0-float64(w/2)) - 0.6*w*(y-foot+float64(1.45*h))/(0.45*h)
		return max(0.5*side, y-(foot-h+1.5))
	}, c.grainy(r, roof, 12, 2, 0.5))
}

// tufts paints grass that hides feet: blades along a strip around row foot.
func (c *canvas) tufts(r *rand.Rand, g ground, x, foot, width, height float64) {
	count := int(width / 2.2)
	for range count {
		bx := x + float64(uniform(r, -0.5, 0.5)*width)
		by := foot + float64(uniform(r, -0.1, 0.25)*height)
		col := mix(g.soil.low, g.soil.high, uniform(r, -0.2, 1.2))
		tip := float64(uniform(r, 0.4, 1) * height)
		c.bar(bx, by, bx+float64(uniform(r, -0.35, 0.35)*tip), by-tip, uniform(r, 0.5, 1.1), func(_, y float64) rgb {
			return col.times(1.1 - 0.4*(y-by+tip)/tip)
		})
	}
}

// scatter strews things over the land behind row before.
func (c *canvas) scatter(r *rand.Rand, g ground, before float64) {
	w := float64(c.w)
	near := max(g.horizon, 0)
	// a thing of a horse's height there
	size := func(y float64) float64 { return 0.5 * (y - g.horizon + 8) }
	for range r.IntN(4) {
		y := uniform(r, near, before)
		x := uniform(r, 0, w)
		switch r.IntN(4) {
		case 0:
			c.tree(r, x, y, size(y)*uniform(r, 1.4, 2.6))
		case 1:
			c.rock(r, x, y, size(y)*uniform(r, 0.2, 0.5))
		default:
			c.bush(r, x, y, size(y)*uniform(r, 0.3, 0.8))
		}
	}
	if chance(r, 0.4) {
		y := uniform(r, near+float64(0.3*(before-near)), before)
		c.fence(r, y, size(y)*uniform(r, 0.7, 1.1))
	}
}
