package demo

import (
	"math"
	"math/rand/v2"

	"hdseg/manifests/arith"
)

// A build is the shape of a species, in units of about its trunk's length.
type build struct {
	synset               string  // WordNet id
	word                 string  // what an annotator may have written instead of the id
	croup, barrel, chest float64 // radii of the trunk
	leg, legR            float64 // from hip to ground; thigh's radius
	neck, neckR          float64
	raised, lowered      float64 // radians: the neck's highest and lowest carriage
	head, skull, muzzle  float64 // length and radii
	ears                 float64 // length; negative where they hang
	tail                 float64 // length
	mane                 bool
	dyes                 []dye
}

// species holds the builds by VOC class name.
var species = map[string]build{
	"horse": {synset: "n02374451", word: "horse", croup: 0.21, barrel: 0.23, chest: 0.215,
		leg: 0.74, legR: 0.12, neck: 0.46, neckR: 0.15, raised: 1.2, lowered: -0.75,
		head: 0.35, skull: 0.105, muzzle: 0.07, ears: 0.12, tail: 0.62, mane: true, dyes: horseDyes},
	"dog": {synset: "n02084071", word: "Scottish_deerhound", croup: 0.15, barrel: 0.17, chest: 0.2,
		leg: 0.53, legR: 0.095, neck: 0.26, neckR: 0.12, raised: 1.1, lowered: -0.3,
		head: 0.27, skull: 0.14, muzzle: 0.065, ears: -0.17, tail: 0.5, dyes: dogDyes},
	"cow": {synset: "n01887787", word: "cow", croup: 0.24, barrel: 0.275, chest: 0.24,
		leg: 0.62, legR: 0.1, neck: 0.3, neckR: 0.15, raised: 0.35, lowered: -0.7,
		head: 0.34, skull: 0.115, muzzle: 0.085, ears: -0.1, tail: 0.6, dyes: cowDyes},
}

// pose builds the body in a random stance; its origin is the trunk's middle, its feet
// stand near y = -leg.
func (s build) pose(r *rand.Rand) []cone {
	long := uniform(r, 0.9, 1.08)
	croup := vec{-0.4 * long, 0.0, 0}
	belly := vec{0, -0.02, 0}
	chest := vec{0.37 * long, -0.02, 0}
	withers := vec{0.27 * long, 0.3 * s.chest, 0}
	cs := []cone{
		{croup, belly, s.croup, s.barrel, trunk, 0.1},
		{belly, chest, s.barrel, s.chest, trunk, 0.1},
		{withers, croup.plus(vec{0.05, 0.3 * s.croup, 0}), 0.7 * s.chest, 0.7 * s.croup, trunk, 0.1},
	}
	gait := pick(r, 0.0, 0.12, 0.3, 0.5)
	beat := uniform(r, 0, 2*math.Pi)
	for i, f := range []float64{beat, beat + math.Pi, beat + math.Pi*0.9, beat - 0.1*math.Pi} {
		side := 0.55 * (1 - float64(2*float64(i%2)))
		hip, front := vec{0.36 * long, -0.35 * s.chest, side * s.chest}, i < 2
		if !front {
			hip = vec{-0.42 * long, -0.3 * s.croup, side * s.croup}
		}
		cs = append(cs, s.legFrom(hip, float64(gait*arith.Sin(f))+uniform(r, -0.05, 0.05), max(0, gait*arith.Cos(f)), front)...)
	}
	return append(append(cs, s.foreparts(r, long)...), s.tailFrom(r, croup)...)
}

// legFrom builds a leg that swings forward by the angle swing and folds by fold.
func (s build) legFrom(hip vec, swing, fold float64, front bool) []cone {
	l := s.leg + hip.y
	down := -math.Pi / 2
	upper, lower := swing+0.04, swing-0.05-float64(1.5*fold)
	r := s.legR
	if !front {
		upper, lower, r = swing+0.16, swing-0.2-float64(0.8*fold), 1.25*s.legR
	}
	knee := hip.turn(0.5*l, down+upper)
	ankle := knee.turn(0.39*l, down+lower)
	foot := ankle.turn(0.12*l, down+lower+0.3)
	return []cone{
		{hip, knee, r, 0.5 * s.legR, thigh, 0.06},
		{knee, ankle, 0.47 * s.legR, 0.36 * s.legR, shin, 0.02},
		{ankle, foot, 0.38 * s.legR, 0.46 * s.legR, hoof, 0.02},
	}
}

// foreparts builds neck, mane, head and ears.
func (s build) foreparts(r *rand.Rand, long float64) []cone {
	lift := uniform(r, 0.45*s.raised, s.raised)
	if chance(r, 0.22) { // grazing, sniffing
		lift = uniform(r, s.lowered, 0.3*s.lowered)
	}
	nod := uniform(r, 1.15, 1.75) // between neck and head
	if lift < 0.2 {
		nod = uniform(r, 0.2, 0.7)
	}
	aside := uniform(r, -0.12, 0.12)
	root := vec{float64(0.42 * long), float64(0.35 * s.chest), 0}
	nape := root.turn(s.neck, lift).plus(vec{0, 0, aside})
	chin := nape.turn(s.head, lift-nod).plus(vec{0, 0, aside})
	cs := []cone{
		{root, nape, s.neckR * 1.25, s.neckR * 0.68, neck, 0.12},
		{nape, chin, s.skull, s.muzzle, head, 0.03},
		{chin.to(nape, 0.25), chin, s.muzzle * 1.05, s.muzzle, head, 0.03},
	}
	for _, side := range []float64{-1, 1} {
		at := nape.plus(vec{0, 0, 0.6 * side * s.skull}).turn(0.7*s.skull, lift+0.6)
		tip := at.turn(s.ears, lift+0.5)
		if s.ears < 0 { // hanging
			at = at.plus(vec{0, 0, 0.3 * side * s.skull})
			tip = at.plus(vec{-0.04, s.ears, side * 0.03})
		}
		cs = append(cs, cone{at, tip, 0.035, 0.014, ear, 0.01})
	}
	if s.mane {
		for i := range 4 {
			t := 0.15 + float64(0.24*float64(i))
			at := root.to(nape, t).turn((1.15-float64(0.5*t))*s.neckR, lift+math.Pi/2)
			end := at.plus(vec{-0.08, -uniform(r, 0.1, 0.18), 0.09})
			cs = append(cs, cone{at, end, 0.06, 0.03, hair, 0.03})
		}
	}
	return cs
}

// tailFrom builds the tail: a fall of hair.
func (s build) tailFrom(r *rand.Rand, croup vec) []cone {
	dock := croup.plus(vec{-0.85 * s.croup, 0.45 * s.croup, 0})
	swish := uniform(r, -0.15, 0.15)
	a := uniform(r, 3.5, 4.4)
	mid := dock.turn(0.4*s.tail, a).plus(vec{0, 0, swish})
	tip := mid.turn(0.6*s.tail, a+uniform(r, 0.1, 0.5)).plus(vec{0, 0, swish})
	return []cone{{dock, mid, 0.045, 0.07, hair, 0.04}, {mid, tip, 0.075, 0.035, hair, 0.03}}
}
