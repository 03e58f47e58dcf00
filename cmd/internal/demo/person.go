package demo

import (
	"math"
	"math/rand/v2"
)

// personPose builds a standing person, in units of about a horse's trunk, with the
// feet at y = -1.1 and facing forward.
func personPose(r *rand.Rand) []cone {
	stride := uniform(r, 0, 0.22)
	cs := []cone{
		{vec{0, -0.05, 0}, vec{0, 0.38, 0}, 0.13, 0.16, trunk, 0.05},
		{vec{0, 0.45, 0}, vec{0, 0.55, 0}, 0.06, 0.06, head, 0.02},
		{vec{0, 0.66, 0}, vec{0.02, 0.72, 0}, 0.1, 0.105, head, 0.02},
		{vec{-0.03, 0.75, 0}, vec{-0.01, 0.79, 0}, 0.1, 0.085, hair, 0.01},
	}
	for _, side := range []float64{-1, 1} {
		cs = append(cs, walk(vec{0, -0.1, side * 0.08}, -math.Pi/2+float64(side*stride), 0.5)...)
		shoulder := vec{0, 0.42, side * 0.17}
		elbow := shoulder.turn(0.3, -math.Pi/2-float64(side*stride))
		cs = append(cs,
			cone{shoulder, elbow, 0.065, 0.05, trunk, 0.03},
			cone{elbow, elbow.turn(0.28, -math.Pi/2+uniform(r, 0, 1.2)), 0.05, 0.04, head, 0.02})
	}
	return cs
}

// walk builds a person's leg.
func walk(hip vec, angle, half float64) []cone {
	knee := hip.turn(half, angle)
	ankle := knee.turn(half-0.03, angle-0.06)
	return []cone{
		{hip, knee, 0.095, 0.07, thigh, 0.04},
		{knee, ankle, 0.065, 0.05, thigh, 0.02},
		{ankle, ankle.plus(vec{0.12, -0.01, 0}), 0.045, 0.035, hoof, 0.01},
	}
}

// riderPose builds a rider in the coordinates of the animal that carries it; back is
// the height of its back.
func riderPose(r *rand.Rand, back float64) []cone {
	lean := uniform(r, -0.1, 0.25)
	seat := vec{0.05, back + 0.08, 0}
	shoulders := seat.turn(0.42, math.Pi/2-lean)
	chin := shoulders.turn(0.2, math.Pi/2-float64(lean/2))
	cs := []cone{
		{seat, shoulders, 0.125, 0.14, trunk, 0.05},
		{chin, chin.plus(vec{0.02, 0.06, 0}), 0.085, 0.09, head, 0.02},
		{chin.plus(vec{-0.01, 0.08, 0}), chin.plus(vec{0.0, 0.11, 0}), 0.1, 0.08, hair, 0.01},
	}
	hands := vec{0.36, back + 0.12, 0}
	for _, side := range []float64{-1, 1} {
		shoulder := shoulders.plus(vec{0, 0, side * 0.15})
		elbow := shoulder.turn(0.25, -1.3)
		knee := seat.plus(vec{0.27, -0.2, side * 0.24})
		ankle := knee.plus(vec{-0.1, -0.32, 0})
		cs = append(cs,
			cone{shoulder, elbow, 0.06, 0.05, trunk, 0.03},
			cone{elbow, hands.plus(vec{0, 0, side * 0.05}), 0.048, 0.035, trunk, 0.02},
			cone{seat.plus(vec{0, -0.02, side * 0.14}), knee, 0.095, 0.07, thigh, 0.03},
			cone{knee, ankle, 0.065, 0.05, hoof, 0.02},
			cone{ankle, ankle.plus(vec{0.12, -0.03, 0}), 0.045, 0.035, hoof, 0.01})
	}
	return cs
}

// outfit colours a person: shirt on trunk, trousers on thigh, skin on head.
func outfit(r *rand.Rand) coat {
	k := coat{grain: 0.15, dx: uniform(r, 0, 99), dy: uniform(r, 0, 99)}
	shirt := hue(pick[uint32](r, 0xb03028, 0x2c4a8a, 0xd8d4cc, 0x2a2a2e, 0x3a6a3a, 0xc8a040, 0x7a4a2a)).jitter(r, 0.06)
	trousers := hue(pick[uint32](r, 0x2a3450, 0xcfc4ac, 0x241f1d, 0x5a4632)).jitter(r, 0.05)
	skin := hue(pick[uint32](r, 0xd8a888, 0xb07a58, 0x7a4c34)).jitter(r, 0.04)
	hat := hue(pick[uint32](r, 0x1c1816, 0x6a4426, 0xb89458, 0xa02820)).jitter(r, 0.04)
	k.color = [parts]rgb{trunk: shirt, neck: skin, head: skin, ear: skin, thigh: trousers, shin: trousers,
		hoof: {0.14, 0.11, 0.1}, hair: hat}
	return k
}
