package demo

import (
	"math/rand/v2"

	"hdseg/ingest"
	"hdseg/manifests/arith"
)

// A cast says what a picture shows.
type cast struct {
	class  string   // class of the data set
	absent bool     // show other classes only
	longPx int      // longest side of the largest picture
	others []string // VOC classes that may appear beside the figure
}

// companions lists the classes that appear beside a class, and alone in the pictures
// that the class filter has to leave out.
var companions = map[string][]string{"horse": {"cow", "dog"}, "dog": {"cow", "horse"}}

// drawScene draws pictures until one shows the class on 6 % to 55 % of its pixels (or,
// where it should be absent, shows some other class), so that the labels of VOC, the
// tests and the tiers never hang on a figure that is all but hidden.
func drawScene(n *noise, r *rand.Rand, k cast) *picture {
	for {
		p := tryScene(n, r, k)
		share := p.share()
		if k.absent && share == 0 && len(p.objects()) > 0 || !k.absent && share > 0.06 && share < 0.55 {
			return p
		}
	}
}

// tryScene draws one picture: the ground, what stands on it, the figures from the
// farthest to the nearest, what hides them, and the light.
func tryScene(n *noise, r *rand.Rand, k cast) *picture {
	long := uniform(r, 0.78, 1) * float64(k.longPx)
	w, h := int(long), int(long*uniform(r, 0.66, 0.8))
	if chance(r, 0.12) {
		w, h = int(0.85*float64(h)), int(0.85*float64(w))
	}
	c := newCanvas(w, h, uint8(ingest.VOCNumber(k.class)), n)
	g := c.groundFor(r)
	figures := c.troupe(r, g, k)
	foot := float64(h)
	for _, f := range figures {
		foot = min(foot, f.foot)
	}
	c.scatter(r, g, max(foot, max(g.horizon, 0)+4))
	angle := uniform(r, -2.6, -0.5) // light from above
	light := vec{0.75 * arith.Cos(angle), 0.75 * arith.Sin(angle), 0.66}
	for _, f := range figures {
		c.shade(f.x, f.foot, 0.75*f.width, 0.13*f.width, uniform(r, 0.25, 0.6))
		c.paintFigure(&f, light)
	}
	c.hide(r, figures)
	c.develop(r)
	return c.picture()
}

// troupe poses and places the figures: usually one of the class, sometimes two, or
// another beside it; the farthest first.
func (c *canvas) troupe(r *rand.Rand, g ground, k cast) []figure {
	w, h := float64(c.w), float64(c.h)
	main, other := k.class, ""
	switch {
	case k.absent:
		main = pick(r, k.others...)
	case chance(r, 0.2):
		other = pick(r, k.others...)
	case chance(r, 0.17):
		other = k.class
	}
	b := newBody(r, main)
	size := uniform(r, 0.62, 1.05) * min(w/b.width, 0.97*h/b.tall)
	half := float64(0.47 * size * b.width)
	x := uniform(r, min(half, 0.45*w), max(w-half, 0.55*w))
	low := max(float64(size*b.tall)+float64(0.02*h), max(g.horizon, 0)+float64(0.25*h))
	foot := uniform(r, min(low, 0.95*h), h)
	if chance(r, 0.1) { // the picture cuts it
		size, foot = size*uniform(r, 1.3, 1.7), h*uniform(r, 0.95, 1.25)
	}
	var out []figure
	if other != "" {
		at := foot - float64(h*uniform(r, 0.02, 0.1))
		beside := float64(pick(r, -1.0, 1.0) * size * uniform(r, 0.6, 1.2))
		out = append(out, newBody(r, other).at(size*uniform(r, 0.65, 0.9), x+beside, at))
	}
	return append(out, b.at(size, x, foot))
}

// hide puts things in front of the figures: a fence, a bush.
func (c *canvas) hide(r *rand.Rand, figures []figure) {
	front := figures[len(figures)-1]
	low := front.foot + float64(0.06*front.tall)
	switch r.IntN(5) {
	case 0:
		c.fence(r, low, uniform(r, 0.4, 0.65)*front.tall)
	case 1:
		c.bush(r, front.x+float64(uniform(r, -0.6, 0.6)*front.width), low, 0.3*front.tall)
	}
}
