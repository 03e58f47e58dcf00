package demo

import "math/rand/v2"

// A ground is the place that a picture shows.
type ground struct {
	horizon float64 // row in pixels; may lie above the picture
	soil
	dx, dy float64 // where in the noise this place lies
}

// A soil is a texture of the ground.
type soil struct {
	low, high rgb
	stretch   float64 // blades of grass stand upright: > 1
	contrast  float64
}

var soils = []soil{
	{hue(0x3c5a22), hue(0x7f9a44), 3, 0.9}, // meadow
	{hue(0x4a5a2c), hue(0xa0a060), 3, 1.0}, // pasture
	{hue(0x8a7444), hue(0xcdb47c), 3, 1.0}, // dry grass
	{hue(0x5c4028), hue(0x9a7248), 1, 0.9}, // earth
	{hue(0x9a8464), hue(0xcbb896), 1, 0.6}, // sand
	{hue(0x5e5c58), hue(0x96928a), 1, 0.6}, // gravel
	{hue(0x2e3a1c), hue(0x5e5030), 1, 1.2}, // forest floor
}

// groundFor draws a place at random and paints it: the sky, and the soil, whose texture is
// finer towards the distance.
func (c *canvas) groundFor(r *rand.Rand) ground {
	h := float64(c.h)
	g := ground{horizon: h * uniform(r, 0.12, 0.5), soil: pick(r, soils...), dx: uniform(r, 0, 99), dy: uniform(r, 0, 99)}
	if chance(r, 0.2) {
		g.horizon = -h * uniform(r, 0.1, 0.6) // seen from above: no sky
	}
	g.low, g.high = g.low.jitter(r, 0.05), g.high.jitter(r, 0.05)
	zenith, far, cover := hue(0x4a7ec0).jitter(r, 0.1), hue(0xb8d0e8).jitter(r, 0.06), uniform(r, 0.3, 0.75)
	cloud, haze := rgb{0.93, 0.93, 0.95}, hue(0xa8b0b0)
	for i := range c.pix {
		x, y := float64(i%c.w), float64(i/c.w)
		down := y - g.horizon + 3
		if down < 3 {
			size := 0.3 * float64(c.w)
			f := c.n.fractal(x/size+g.dx, 2.2*y/size+g.dy, 4)
			c.pix[i] = mix(mix(zenith, far, y/g.horizon), cloud, 0.9*smooth(cover, cover+0.2, f))
			continue
		}
		k := 0.5 * h / down // how much smaller things look here
		broad := c.n.fractal((x-float64(0.5*float64(c.w)))*k/26+g.dx, 14*k/g.stretch+g.dy, 2)
		fine := c.n.fractal(x/2.1+g.dy, y/(2.1*g.stretch)+g.dx, 2)
		patch := c.n.at(x/13+g.dx, y/9+g.dy)
		t := 0.5 + float64(g.contrast*(float64(0.9*(broad-0.5))+float64(0.8*(fine-0.5))+float64(1.2*(patch-0.5))))
		c.pix[i] = mix(mix(g.low, g.high, min(max(t, -0.3), 1.3)), haze, 0.45*smooth(0.5, 1, k/20))
	}
	return g
}
