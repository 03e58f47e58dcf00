package demo

import (
	"math/rand/v2"

	"hdseg/ingest"
	"hdseg/manifests/arith"
)

// A canvas is a picture while it is painted, from the farthest thing to the nearest.
// Pixel (x, y) has index y*w+x.
type canvas struct {
	w, h   int
	pix    []rgb
	owner  []uint8   // the thing that covers more than half of the pixel: index into things
	cover  []float64 // the share of the pixel that shows figures of the target class
	things []thing   // things[0] is the ground
	target uint8     // VOC class of the data set
	n      *noise
}

// A thing is a figure with a class of its own.
type thing struct {
	name  string // of its VOC class
	class uint8  // VOC class index; 0 is background
}

func newCanvas(w, h int, target uint8, n *noise) *canvas {
	return &canvas{w: w, h: h, pix: make([]rgb, w*h), owner: make([]uint8, w*h),
		cover: make([]float64, w*h), things: []thing{{"background", 0}}, target: target, n: n}
}

// add registers a figure and returns its number.
func (c *canvas) add(name string) uint8 {
	c.things = append(c.things, thing{name, uint8(ingest.VOCNumber(name))})
	return uint8(len(c.things) - 1)
}

// paint lays a thing's colour over a pixel; alpha is the share that it covers.
func (c *canvas) paint(x, y int, alpha float64, col rgb, who uint8) {
	if alpha <= 0 {
		return
	}
	alpha = min(alpha, 1)
	i := y*c.w + x
	c.pix[i] = mix(c.pix[i], col, alpha)
	c.cover[i] *= 1 - alpha
	if c.things[who].class == c.target {
		c.cover[i] += alpha
	}
	if alpha > 0.5 {
		c.owner[i] = who
	}
}

// fill paints a thing wherever dist, a signed distance in pixels (negative inside), is
// at most half a pixel, within the rectangle x0..x1, y0..y1 of pixel centres.
func (c *canvas) fill(x0, y0, x1, y1 float64, who uint8, dist func(x, y float64) float64, col func(x, y float64) rgb) {
	for y := max(int(y0), 0); y < min(int(y1)+2, c.h); y++ {
		for x := max(int(x0), 0); x < min(int(x1)+2, c.w); x++ {
			fx, fy := float64(x), float64(y)
			if d := dist(fx, fy); d < 0.5 {
				c.paint(x, y, 0.5-d, col(fx, fy), who)
			}
		}
	}
}

// bar paints a plank from (ax, ay) to (bx, by) of half width r as ground.
func (c *canvas) bar(ax, ay, bx, by, r float64, col func(x, y float64) rgb) {
	dx, dy := bx-ax, by-ay
	l2 := float64(dx*dx) + float64(dy*dy)
	dist := func(x, y float64) float64 {
		t := min(max((float64((x-ax)*dx)+float64((y-ay)*dy))/l2, 0), 1)
		return arith.Hypot(x-ax-float64(t*dx), y-ay-float64(t*dy)) - r
	}
	c.fill(min(ax, bx)-r-1, min(ay, by)-r-1, max(ax, bx)+r+1, max(ay, by)+r+1, 0, dist, col)
}

// blob paints a ground ellipse with radii rx, ry whose edge the noise moves in and out
// by up to the share rough of its radius, in bumps of size px.
func (c *canvas) blob(cx, cy, rx, ry, rough, px float64, col func(x, y float64) rgb) {
	r := min(rx, ry)
	dist := func(x, y float64) float64 {
		d := float64((arith.Hypot((x-cx)/rx, (y-cy)/ry) - 1) * r)
		return d + float64(2*rough*r*(c.n.fractal(x/px+cx, y/px+cy, 2)-0.5))
	}
	k := 1 + float64(2*rough)
	c.fill(cx-float64(k*rx), cy-float64(k*ry), cx+float64(k*rx), cy+float64(k*ry), 0, dist, col)
}

// shade multiplies the pixels of an ellipse, softly towards its edge, by 1-dark.
func (c *canvas) shade(cx, cy, rx, ry, dark float64) {
	for y := max(int(cy-ry), 0); y < min(int(cy+ry)+1, c.h); y++ {
		for x := max(int(cx-rx), 0); x < min(int(cx+rx)+1, c.w); x++ {
			d := arith.Hypot((float64(x)-cx)/rx, (float64(y)-cy)/ry)
			i := y*c.w + x
			c.pix[i] = c.pix[i].times(1 - float64(dark*(1-smooth(0.3, 1, d))))
		}
	}
}

// develop applies the photograph's own properties: a gradient of light, its tint, pale
// colours and sensor noise.
func (c *canvas) develop(r *rand.Rand) {
	gx, gy, gain := uniform(r, -0.3, 0.3), uniform(r, -0.3, 0.3), uniform(r, 0.85, 1.12)
	tint := mix(rgb{1, 1, 1}, pick(r, rgb{1.1, 1, 0.85}, rgb{0.92, 1, 1.1}), r.Float64())
	vivid, grain := uniform(r, 0.65, 1), uniform(r, 0.007, 0.035)
	for i, p := range c.pix {
		x, y := float64(i%c.w)/float64(c.w)-0.5, float64(i/c.w)/float64(c.h)-0.5
		light := gain * (1 + float64(gx*x) + float64(gy*y))
		gray, g := (p[0]+p[1]+p[2])/3, uniform(r, -grain, grain)
		for k := range p {
			p[k] = float64((gray+float64(vivid*(p[k]-gray)))*light*tint[k]) + g
		}
		c.pix[i] = p
	}
}
