package demo

import (
	"math/rand/v2"

	"hdseg/manifests/arith"
)

// A pattern is how a coat's second colour lies on its first.
type pattern int

const (
	plain   pattern = iota
	patches         // large irregular patches: pinto, Holstein
	dapples         // small soft spots
	stripes         // brindle
)

// A coat colours the parts of a figure, in coordinates of body units.
type coat struct {
	color   [parts]rgb
	second  rgb
	pattern pattern
	amount  float64 // share of the second colour, 0..1
	grain   float64 // relative height of the hair's texture
	gloss   float64 // light added where the surface faces the light
	blaze   bool    // a white mark on the head
	dx, dy  float64 // where in the noise this coat lies
}

// at returns the unlit colour of a part at (u, v).
func (k *coat) at(p part, u, v float64, n *noise) rgb {
	col := k.color[p]
	u, v = u+k.dx, v+k.dy
	if p == trunk || p == neck || p == thigh || p == head && k.pattern != dapples {
		switch k.pattern {
		case patches:
			f := n.fractal(2.6*u, 2.6*v, 3)
			col = mix(col, k.second, smooth(-0.02, 0.02, f-0.62+float64(0.25*k.amount)))
		case dapples:
			f := n.at(13*u, 13*v)
			col = mix(col, k.second, k.amount*smooth(0.45, 0.75, f))
		case stripes:
			w := 3.5 * n.fractal(2*u, 2*v, 2)
			col = mix(col, k.second, k.amount*smooth(0.1, 0.6, arith.Sin(float64(26*u)+float64(6*v)+float64(5*w))))
		}
	}
	if p == head && k.blaze {
		col = mix(col, rgb{0.93, 0.91, 0.88}, smooth(0.58, 0.64, n.at(float64(4*u)+9, 4*v)))
	}
	strands := float64(0.8*n.at(40*u, 14*v)) + float64(2*n.at(9*u, 9*v)) - 0.6
	if p == hair {
		strands = 1.6 * n.at(50*u, 12*v)
	}
	return col.times(1 + float64(k.grain*(strands-0.8)))
}

// coatFor draws a coat at random from the colours of a species. One that would vanish
// on the soil is drawn again, once: camouflage happens, but it is rare in photographs.
func coatFor(r *rand.Rand, s build, soil rgb) coat {
	dye := pick(r, s.dyes...)
	if hue(dye.base).far(soil) < 0.3 {
		dye = pick(r, s.dyes...)
	}
	base := hue(dye.base).jitter(r, 0.07)
	k := coat{second: hue(dye.second).jitter(r, 0.05), pattern: dye.pattern,
		amount: uniform(r, 0.35, 0.9), grain: uniform(r, 0.25, 0.5), gloss: uniform(r, 0, 0.16),
		blaze: chance(r, 0.4), dx: uniform(r, 0, 99), dy: uniform(r, 0, 99)}
	for p := range parts {
		k.color[p] = base
	}
	points := hue(dye.points).jitter(r, 0.04)
	k.color[shin], k.color[ear] = mix(base, points, 0.8), mix(base, points, 0.5)
	k.color[hair] = hue(dye.hair).jitter(r, 0.05)
	k.color[hoof] = rgb{0.2, 0.17, 0.15}
	if chance(r, 0.3) { // white socks
		k.color[shin] = rgb{0.88, 0.86, 0.82}
	}
	return k
}

// A dye names the colours of one kind of coat.
type dye struct {
	base, second, points, hair uint32
	pattern                    pattern
}

var horseDyes = []dye{
	{0x6e4428, 0x4a2d1a, 0x1e1814, 0x16120f, plain},   // bay
	{0x8a4a26, 0x6a361a, 0x7a4222, 0x8f5530, plain},   // chestnut
	{0x2c2624, 0x171413, 0x1a1716, 0x141110, plain},   // black
	{0xcfc9bf, 0xa39c92, 0x8d867e, 0xd8d2c6, dapples}, // grey
	{0x8e8a86, 0xc9c5bf, 0x3a3634, 0x4b4745, dapples}, // dapple grey
	{0xb88a4e, 0xa07238, 0xa87a42, 0xe2d3ae, plain},   // palomino
	{0xa98a60, 0x8b6d48, 0x2a221c, 0x2a221c, stripes}, // dun
	{0x7a4628, 0xe6e0d6, 0xe0dacf, 0x3a261a, patches}, // skewbald
	{0x2a2523, 0xe4e0d8, 0x2a2523, 0x1a1716, patches}, // piebald
	{0x53341f, 0x2c1a10, 0x1a1411, 0x120e0c, stripes}, // dark brindle
}

var dogDyes = []dye{
	{0xb07a3e, 0x8a5a2a, 0xc89a60, 0xb88448, plain},   // golden
	{0x2a2624, 0x7a4a26, 0x8a5a30, 0x242020, patches}, // black and tan
	{0xded6c8, 0x5a3a24, 0xd8d0c2, 0xd8d0c2, patches}, // liver and white
	{0xe2ddd4, 0x262220, 0xe0dad0, 0xe0dad0, patches}, // black and white
	{0x5a3a24, 0x3a2416, 0x4a2e1c, 0x4a2e1c, plain},   // chocolate
	{0x8a7660, 0x4a3a2c, 0xa89a84, 0x6a5844, stripes}, // brindle
	{0x9a948c, 0x6a645e, 0xc0bab0, 0x88827a, dapples}, // grey
	{0xe8dfcc, 0xd0c4aa, 0xe2d8c4, 0xe8dfcc, plain},   // cream
}

var cowDyes = []dye{
	{0xe0dcd4, 0x26221f, 0xd8d4cc, 0x3a3430, patches}, // Holstein
	{0x7a3e22, 0xe4ded4, 0x6a3820, 0xd8d0c4, patches}, // Hereford
	{0xb89468, 0x9a7850, 0x6a5236, 0x8a6c48, plain},   // Jersey
	{0x241f1d, 0x100e0d, 0x1c1917, 0x1c1917, plain},   // Angus
}
