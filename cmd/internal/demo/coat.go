package demo

import "math/rand/v2"

// A coat colours the parts of a figure, in coordinates of body units.
type coat struct {
	color   [parts]rgb
	second  rgb
	patches float64 // share of the second colour, 0..1
	grain   float64 // relative height of the hair's texture
	dx, dy  float64 // where in the noise this coat lies
}

// at returns the unlit colour of a part at (u, v).
func (k *coat) at(p part, u, v float64, n *noise) rgb {
	col := k.color[p]
	u, v = u+k.dx, v+k.dy
	if k.patches > 0 && (p == trunk || p == neck || p == thigh || p == head) {
		col = mix(col, k.second, smooth(-0.02, 0.02, n.fractal(2.6*u, 2.6*v, 3)-0.62+float64(0.25*k.patches)))
	}
	strands := float64(0.8*n.at(40*u, 14*v)) + float64(2*n.at(9*u, 9*v)) - 1.4
	return col.times(1 + float64(k.grain*strands))
}

// newCoat draws a coat at random from the colours of a species.
func newCoat(r *rand.Rand, s build) coat {
	dye := pick(r, s.dyes...)
	base, points := hue(dye.base).jitter(r, 0.07), hue(dye.points).jitter(r, 0.04)
	k := coat{second: hue(dye.second).jitter(r, 0.05), grain: uniform(r, 0.25, 0.5), dx: uniform(r, 0, 99), dy: uniform(r, 0, 99)}
	if dye.second != 0 {
		k.patches = uniform(r, 0.35, 0.9)
	}
	for p := range parts {
		k.color[p] = base
	}
	k.color[shin], k.color[ear], k.color[hair] = mix(base, points, 0.8), mix(base, points, 0.5), points
	k.color[hoof] = rgb{0.2, 0.17, 0.15}
	return k
}

// A dye names the colours of one kind of coat.
type dye struct {
	base, second, points uint32 // second is of patches, 0 for none; points of hair and lower legs
}

var horseDyes = []dye{
	{0x6e4428, 0, 0x16120f},        // bay
	{0x8a4a26, 0, 0x7a4222},        // chestnut
	{0x2c2624, 0, 0x141110},        // black
	{0xcfc9bf, 0xa39c92, 0x8d867e}, // grey
	{0xb88a4e, 0, 0xe2d3ae},        // palomino
	{0x7a4628, 0xe6e0d6, 0x3a261a}, // skewbald
	{0x2a2523, 0xe4e0d8, 0x1a1716}, // piebald
}

var dogDyes = []dye{
	{0xb07a3e, 0, 0xc89a60},        // golden
	{0x2a2624, 0x7a4a26, 0x8a5a30}, // black and tan
	{0xded6c8, 0x5a3a24, 0xd8d0c2}, // liver and white
	{0xe2ddd4, 0x262220, 0xe0dad0}, // black and white
	{0x5a3a24, 0, 0x4a2e1c},        // chocolate
	{0xe8dfcc, 0, 0xe2d8c4},        // cream
}

var cowDyes = []dye{
	{0xe0dcd4, 0x26221f, 0xd8d4cc}, // Holstein
	{0x7a3e22, 0xe4ded4, 0xd8d0c4}, // Hereford
	{0xb89468, 0, 0x6a5236},        // Jersey
	{0x241f1d, 0, 0x1c1917},        // Angus
}
