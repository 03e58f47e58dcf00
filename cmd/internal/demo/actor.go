package demo

import (
	"math"
	"math/rand/v2"

	"hdseg/manifests/arith"
)

// A body is a figure of a VOC class in its pose and turn, not yet placed.
type body struct {
	name        string
	cones       []cone
	coat        coat
	view        camera  // of scale 1, with the middle of its feet at the origin
	middle      float64 // of the outline, right of the origin
	width, tall float64 // of the outline, from the feet up
}

// newBody poses a figure at random, seen mostly from a side, to stand on a soil.
func newBody(r *rand.Rand, name string, soil rgb) body {
	b := body{name: name}
	leg, size := 1.1, 0.85
	if s, animal := species[name]; animal {
		b.cones, b.coat, leg, size = s.pose(r), coatFor(r, s, soil), s.leg, 1
	} else {
		b.cones, b.coat = personPose(r), outfit(r)
	}
	b.view = camera{yaw: uniform(r, -0.75, 0.75), pitch: uniform(r, -0.05, 0.2), roll: uniform(r, -0.05, 0.05), scale: size}
	if chance(r, 0.12) {
		b.view.yaw = pick(r, -1.0, 1.0) * uniform(r, 0.9, 1.3) // from the front or behind
	}
	if chance(r, 0.5) {
		b.view.yaw += math.Pi
	}
	b.view.y = -size * leg * arith.Cos(b.view.pitch)
	x0, y0, x1, _ := bounds(b.view.project(b.cones))
	b.middle, b.width, b.tall = (x0+x1)/2, x1-x0, -y0
	return b
}

// An actor is a figure at its place, with what it carries.
type actor struct {
	bodies      []figure
	view        camera
	x, foot     float64 // the middle of its outline, and the row of its feet
	width, tall float64 // in pixels
}

// at places a body: scale pixels for one unit, the middle of its outline at column x,
// its feet on row foot.
func (b body) at(scale, x, foot float64) actor {
	v := b.view
	v.scale *= scale
	v.x, v.y = x-float64(scale*b.middle), foot+float64(scale*v.y)
	f := figure{name: b.name, limbs: v.project(b.cones), scale: v.scale, coat: b.coat}
	return actor{[]figure{f}, v, x, foot, scale * b.width, scale * b.tall}
}

// ride seats a person on an animal.
func (a *actor) ride(r *rand.Rand) {
	cs := riderPose(r, species[a.bodies[0].name].barrel)
	a.bodies = append(a.bodies, figure{name: "person", limbs: a.view.project(cs), scale: a.view.scale, coat: outfit(r)})
}
