package peer

import (
	"math/rand/v2"

	"hdseg/manifests/raster"
)

// Scene draws a picture with flat parts, soft shading, edges and noise; equal seeds give equal
// pictures.
func Scene(w, h int, seed uint64) *raster.RGB {
	rng := rand.New(rand.NewPCG(seed, 1))
	img := raster.NewRGB(w, h)
	type disk struct{ x, y, r, c int }
	ds := make([]disk, 40)
	for i := range ds {
		ds[i] = disk{rng.IntN(w), rng.IntN(h), 2 + rng.IntN(max(3, h/5)), rng.IntN(1 << 24)}
	}
	for y := range h {
		for x := range w {
			c := 0x406080 + x*64/w
			for _, d := range ds {
				if (x-d.x)*(x-d.x)+(y-d.y)*(y-d.y) < d.r*d.r {
					c = d.c
				}
			}
			n := func(v int) uint8 { return uint8(min(255, max(0, v&255+rng.IntN(17)-8))) }
			img.Set(x, y, n(c>>16), n(c>>8), n(c))
		}
	}
	return img
}
