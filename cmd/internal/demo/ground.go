package demo

import (
	"math"
	"math/rand/v2"
)

// A ground is the place that a picture shows: a horizon, what lies on this side of it
// and what stands beyond.
type ground struct {
	horizon float64 // row in pixels; may lie above the picture
	soil    soil
	eye     float64 // pixels below the horizon where the texture has its nominal size
	dx, dy  float64 // where in the noise this place lies
}

// A soil is a texture of the ground.
type soil struct {
	low, high rgb
	stretch   float64 // blades of grass stand upright: > 1
	contrast  float64
	spots     float64 // share of stones or tufts
	spot      rgb
}

// groundFor draws a place at random and paints its sky, its far side and its soil.
func (c *canvas) groundFor(r *rand.Rand) ground {
	h := float64(c.h)
	g := ground{horizon: h * uniform(r, 0.12, 0.5), dx: uniform(r, 0, 99), dy: uniform(r, 0, 99), eye: 0.5 * h}
	if chance(r, 0.2) {
		g.horizon = -h * uniform(r, 0.1, 0.6) // seen from above: no sky
	}
	s := pick(r, soils...)
	g.soil = s
	g.soil.low, g.soil.high = s.low.jitter(r, 0.05), s.high.jitter(r, 0.05)
	c.sky(r, g)
	c.beyond(r, g)
	c.land(r, g)
	return g
}

var soils = []soil{
	{hue(0x3c5a22), hue(0x7f9a44), 3, 0.9, 0.15, hue(0x9aa05a)}, // meadow
	{hue(0x4a5a2c), hue(0xa0a060), 3, 1.0, 0.25, hue(0xb8a468)}, // pasture
	{hue(0x8a7444), hue(0xcdb47c), 3, 1.0, 0.2, hue(0x6e7a3c)},  // dry grass
	{hue(0x5c4028), hue(0x9a7248), 1, 0.9, 0.3, hue(0x3e2a1a)},  // earth
	{hue(0x9a8464), hue(0xcbb896), 1, 0.6, 0.2, hue(0x7a6448)},  // sand
	{hue(0x5e5c58), hue(0x96928a), 1, 0.6, 0.3, hue(0xb0aca4)},  // gravel
	{hue(0x2e3a1c), hue(0x5e5030), 1, 1.2, 0.4, hue(0x7a4a26)},  // forest floor
}

// sky paints everything above the horizon.
func (c *canvas) sky(r *rand.Rand, g ground) {
	zenith, low := hue(0x4a7ec0).jitter(r, 0.06), hue(0xb8d0e8).jitter(r, 0.04)
	cloud, cover := rgb{0.93, 0.93, 0.95}, uniform(r, 0.35, 0.75)
	switch {
	case chance(r, 0.3): // overcast
		zenith, low, cover = hue(0xa8aeb6).jitter(r, 0.05), hue(0xd8dade).jitter(r, 0.03), 0.3
	case chance(r, 0.12): // evening
		zenith, low, cloud = hue(0x5a6088), hue(0xe8a870).jitter(r, 0.05), hue(0xc08a78)
	}
	size := 0.3 * float64(c.w)
	for y := 0; float64(y) < min(g.horizon+2, float64(c.h)); y++ {
		t := float64(y) / max(g.horizon, 1)
		for x := range c.w {
			f := c.n.fractal(float64(x)/size+g.dx, 2.2*float64(y)/size+g.dy, 4)
			col := mix(zenith, low, t)
			c.pix[y*c.w+x] = mix(col, cloud, 0.9*smooth(cover, cover+0.2, f))
		}
	}
}

// beyond paints what stands on the horizon: hills, a line of trees, a wood, houses.
func (c *canvas) beyond(r *rand.Rand, g ground) {
	if g.horizon < 0 {
		return
	}
	if chance(r, 0.5) {
		c.ridge(g, uniform(r, 0.15, 0.5)*g.horizon, 0.5*float64(c.w), hue(0x6a7c8c).jitter(r, 0.08), 0.15)
	}
	if chance(r, 0.65) {
		leaf := hue(pick[uint32](r, 0x2e4420, 0x3f5a2a, 0x54502a, 0x5a3e22)).jitter(r, 0.05)
		c.ridge(g, uniform(r, 0.15, 0.9)*g.horizon, uniform(r, 0.06, 0.16)*float64(c.w), leaf, 1)
	}
	if chance(r, 0.3) {
		c.house(r, g)
	}
}

// ridge paints a skyline about height pixels tall with bumps of the given size;
// foliage 0 is smooth rock, 1 is leaves.
func (c *canvas) ridge(g ground, height, size float64, col rgb, foliage float64) {
	for x := range c.w {
		fx := float64(x)
		top := g.horizon - float64(height*(0.35+float64(1.1*c.n.fractal(fx/size+g.dy, g.dx+height, 3))))
		for y := max(int(top), 0); float64(y) < min(g.horizon+1, float64(c.h)); y++ {
			fy := float64(y)
			f := c.n.fractal(fx/(0.3*size)+g.dx, fy/(0.3*size)+g.dy, 3)
			light := 1 + float64(foliage*1.3*(f-0.55)) + float64(0.15*(1-foliage)*(f-0.5))
			c.paint(x, y, min(fy-top, 1), col.times(light), 0)
		}
	}
}

// land paints the soil below the horizon, its texture finer towards the distance.
func (c *canvas) land(r *rand.Rand, g ground) {
	s := g.soil
	haze := hue(0xa8b0b0)
	path := chance(r, 0.25)
	px, slope := float64(uniform(r, 0.2, 0.8)*float64(c.w)), uniform(r, -1.2, 1.2)
	track := mix(s.low, hue(0x9a8060), 0.7)
	for y := max(int(g.horizon), 0); y < c.h; y++ {
		down := float64(y) - g.horizon + 3
		k := g.eye / down // how much smaller things look here
		for x := range c.w {
			fx := (float64(x) - float64(0.5*float64(c.w))) * k
			u, v := fx/26+g.dx, 14*k/s.stretch+g.dy
			broad := c.n.fractal(u, v, 2)
			fine := c.n.fractal(float64(x)/2.1+g.dy, float64(y)/(2.1*s.stretch)+g.dx, 2)
			patch := c.n.at(float64(x)/13+g.dx, float64(y)/9+g.dy)
			t := 0.5 + float64(s.contrast*(float64(0.9*(broad-0.5))+float64(0.8*(fine-0.5))+float64(1.2*(patch-0.5))))
			col := mix(s.low, s.high, min(max(t, -0.3), 1.3))
			if s.spots > 0 {
				f := c.n.at(float64(3.1*u)+5, 3.1*v)
				col = mix(col, s.spot, 0.7*smooth(1-s.spots, 1.1-s.spots, f))
			}
			if path {
				d := math.Abs(float64(x)-px-float64(slope*down)) / (4 + float64(0.28*down))
				col = mix(col, track.times(0.8+float64(0.4*fine)), 0.85*(1-smooth(0.7, 1.1, d+float64(0.6*(broad-0.5)))))
			}
			c.pix[y*c.w+x] = mix(col, haze, 0.45*smooth(0.5, 1, k/20))
		}
	}
}
