package demo

import (
	"math"

	"hdseg/manifests/arith"
)

// A vec is a point: before projection in body units with x forward, y up, z to the
// left; after it in pixels with x right, y down, z towards the viewer.
type vec struct{ x, y, z float64 }

// plus converts because coordinates may be products, which compilers could fuse with the sum.
func (a vec) plus(b vec) vec {
	return vec{float64(a.x) + float64(b.x), float64(a.y) + float64(b.y), float64(a.z) + float64(b.z)}
}

func (a vec) to(b vec, t float64) vec {
	return vec{a.x + float64(t*(b.x-a.x)), a.y + float64(t*(b.y-a.y)), a.z + float64(t*(b.z-a.z))}
}

// turn returns a step of the given length in the x-y plane; angle 0 is forward, and
// positive angles rise.
func (a vec) turn(length, angle float64) vec {
	return vec{a.x + float64(length*arith.Cos(angle)), a.y + float64(length*arith.Sin(angle)), a.z}
}

// A part names what a cone of a figure is made of.
type part int

const (
	trunk part = iota
	neck
	head
	ear
	thigh
	shin
	hoof
	hair
	parts // the number of parts
)

// A cone is the hull of two spheres: the building block of all figures. Seen from
// anywhere its outline is again the hull of two discs.
type cone struct {
	a, b   vec
	ra, rb float64
	part   part
	blend  float64 // width of the smooth join with the cones before it, in body units
}

// A limb is a projected cone, in pixels, with what the painting of every pixel needs:
// its axis over its squared length, and the rectangle in which it can matter to an
// outline.
type limb struct {
	cone
	ux, uy, x0, y0, x1, y1 float64
}

// A camera turns body units into pixels: yaw about the vertical (0 shows the figure
// from its left with its head to the right), then pitch (positive looks down).
type camera struct {
	yaw, pitch float64 // radians
	scale      float64 // pixels for one body unit
	x, y       float64 // where the body's origin lands
}

func (m camera) point(p vec) vec {
	s, c := arith.Sin(m.yaw), arith.Cos(m.yaw)
	x, z := float64(p.x*c)+float64(p.z*s), float64(p.z*c)-float64(p.x*s)
	s, c = arith.Sin(m.pitch), arith.Cos(m.pitch)
	y, z := float64(p.y*c)-float64(z*s), float64(p.y*s)+float64(z*c)
	return vec{m.x + float64(m.scale*x), m.y - float64(m.scale*y), float64(m.scale * z)}
}

// project returns the cones as they are seen, in pixels.
func (m camera) project(cs []cone) []limb {
	out := make([]limb, len(cs))
	for i, c := range cs {
		a, b := m.point(c.a), m.point(c.b)
		p := limb{cone: cone{a, b, c.ra * m.scale, c.rb * m.scale, c.part, c.blend * m.scale}}
		dx, dy := b.x-a.x, b.y-a.y
		if l2 := float64(dx*dx) + float64(dy*dy); l2 > 1e-9 {
			p.ux, p.uy = dx/l2, dy/l2
		}
		far := float64(0.15 * m.scale) // beyond every blend and fur
		p.x0, p.x1 = min(a.x-p.ra, b.x-p.rb)-far, max(a.x+p.ra, b.x+p.rb)+far
		p.y0, p.y1 = min(a.y-p.ra, b.y-p.rb)-far, max(a.y+p.ra, b.y+p.rb)+far
		out[i] = p
	}
	return out
}

// bounds returns the smallest rectangle that holds the outlines of limbs.
func bounds(cs []limb) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, c := range cs {
		x0, x1 = min(x0, c.a.x-c.ra, c.b.x-c.rb), max(x1, c.a.x+c.ra, c.b.x+c.rb)
		y0, y1 = min(y0, c.a.y-c.ra, c.b.y-c.rb), max(y1, c.a.y+c.ra, c.b.y+c.rb)
	}
	return x0, y0, x1, y1
}

// reach returns the distance q of (x, y) from the limb's axis, and the axis point's
// radius, offset and depth there. q - r approximates the signed distance from the
// outline.
func (c *limb) reach(x, y float64) (q, r, dx, dy, z float64) {
	dx, dy = x-c.a.x, y-c.a.y
	t := min(max(float64(dx*c.ux)+float64(dy*c.uy), 0), 1)
	dx, dy = dx-float64(t*(c.b.x-c.a.x)), dy-float64(t*(c.b.y-c.a.y))
	return math.Sqrt(float64(dx*dx) + float64(dy*dy)), c.ra + float64(t*(c.rb-c.ra)), dx, dy, c.a.z + float64(t*(c.b.z-c.a.z))
}

// matters tells whether the limb can touch the outline at (x, y).
func (c *limb) matters(x, y float64) bool {
	return x >= c.x0 && x <= c.x1 && y >= c.y0 && y <= c.y1
}

// join is the smaller of two signed distances, rounded over the width k where they are
// close (Quilez's polynomial smooth minimum).
func join(a, b, k float64) float64 {
	if h := k - math.Abs(a-b); h > 0 {
		return min(a, b) - h*h/(4*k)
	}
	return min(a, b)
}
