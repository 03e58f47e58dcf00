package demo

import "math/rand/v2"

// grainy returns a colour function with the texture of wood or leaves: streaks of sizes px
// across and py along.
func (c *canvas) grainy(r *rand.Rand, col rgb, px, py, height float64) func(x, y float64) rgb {
	dx, dy := uniform(r, 0, 99), uniform(r, 0, 99)
	return func(x, y float64) rgb {
		return col.times(1 + float64(height*(c.n.fractal(x/px+dx, y/py+dy, 2)-0.5)))
	}
}

// fence paints posts and rails that stand on row foot, height pixels tall.
func (c *canvas) fence(r *rand.Rand, foot, height float64) {
	col := hue(pick[uint32](r, 0x6a4a30, 0x8a7458, 0xd8d4cc, 0x4a3626)).jitter(r, 0.05)
	w, gap, thick := float64(c.w), float64(uniform(r, 0.7, 1.6)*height), max(0.05*height, 0.9)
	for x := -uniform(r, 0, gap); x < w+gap; x += gap {
		c.bar(x, foot, x+uniform(r, -1, 1), foot-height, 1.25*thick, c.grainy(r, col, 2, 7, 0.7))
	}
	for _, up := range []float64{0.4, 0.85} {
		rail := foot - float64(up*height)
		c.bar(-5, rail, w+5, rail+uniform(r, -2, 2), 0.8*thick, c.grainy(r, col, 9, 2, 0.6))
	}
}

// bush paints a heap of leaves, or of stones in the colours that coats have, on row foot.
func (c *canvas) bush(r *rand.Rand, x, foot, size float64) {
	leaf := hue(pick[uint32](r, 0x34502a, 0x4e6a30, 0x7a7a3a, 0x6a4a2c, 0x8a7446, 0x8a8680, 0x3a322c)).jitter(r, 0.06)
	c.shade(x, foot, 1.2*size, 0.3*size, 0.4)
	for range 3 {
		c.blob(x+float64(uniform(r, -0.5, 0.5)*size), foot-float64(uniform(r, 0.2, 0.5)*size), uniform(r, 0.4, 0.7)*size,
			uniform(r, 0.3, 0.5)*size, 0.6, 0.22*size, c.grainy(r, leaf, float64(0.1*size)+1, float64(0.1*size)+1, 1.4))
	}
}

// scatter strews things over the land behind row before.
func (c *canvas) scatter(r *rand.Rand, g ground, before float64) {
	near := max(g.horizon, 0)
	size := func(y float64) float64 { return 0.5 * (y - g.horizon + 8) } // of a horse there
	for range r.IntN(4) {
		y := uniform(r, near, before)
		c.bush(r, uniform(r, 0, float64(c.w)), y, size(y)*uniform(r, 0.3, 0.8))
	}
	if chance(r, 0.4) {
		y := uniform(r, near+float64(0.3*(before-near)), before)
		c.fence(r, y, size(y)*uniform(r, 0.7, 1.1))
	}
}
