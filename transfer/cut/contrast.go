package cut

import (
	"math"

	"hdseg/manifests/arith"
)

// neighbors are the four of a pixel that come after it in scan order, with their distances; with
// the other four they make its 8-neighbourhood.
var neighbors = [4]struct {
	dx, dy int
	dist   float32
}{{1, 0, 1}, {0, 1, 1}, {1, 1, math.Sqrt2}, {-1, 1, math.Sqrt2}}

// contrast holds the pairwise weights γ/dist · exp(-β‖zᵢ-zⱼ‖²) of a plane for gamma = 1: pixel i's
// weights to its neighbours in the order of neighbors are weight[4*i:4*i+4]; 0 where the neighbour
// lies outside.
type contrast struct {
	weight []float32
	beta   float64
}

// newContrast computes the weights. β = 1/(2·mean(‖Δz‖²/dist)) over all pairs of neighbours, with
// the distance inside the mean as in the transfer code of 2012 (method facts 3.1). A picture of one
// colour has β = 0 and all its weights are 1/dist.
func newContrast(p *plane) *contrast {
	c := &contrast{weight: make([]float32, 4*p.w*p.h)}
	var sum float64
	var pairs int
	for y := range p.h {
		for x := range p.w {
			i := y*p.w + x
			for k := range neighbors {
				n := &neighbors[k]
				if x+n.dx < 0 || x+n.dx >= p.w || y+n.dy >= p.h {
					c.weight[4*i+k] = -1
					continue
				}
				j := i + n.dy*p.w + n.dx
				r, g, b := p.rgb[3*i]-p.rgb[3*j], p.rgb[3*i+1]-p.rgb[3*j+1], p.rgb[3*i+2]-p.rgb[3*j+2]
				d2 := float32(r*r) + float32(g*g) + float32(b*b)
				c.weight[4*i+k] = d2
				sum += float64(d2 / n.dist)
				pairs++
			}
		}
	}
	if sum > 0 {
		c.beta = float64(pairs) / (2 * sum)
	}
	for i := range p.w * p.h {
		for k := range neighbors {
			if d2 := c.weight[4*i+k]; d2 < 0 {
				c.weight[4*i+k] = 0
			} else {
				c.weight[4*i+k] = expNeg(float32(float32(c.beta)*d2)) / neighbors[k].dist
			}
		}
	}
	return c
}

// expNeg returns exp(-x) for x ≥ 0 with a relative error below 1e-5, 0 from x = 16 on, from a table
// of steps of 1/64 and the first terms of the series.
func expNeg(x float32) float32 {
	if x >= 16 {
		return 0
	}
	k := int(x * 64)
	f := x - float32(float32(k)/64)
	return expTable[k] * (1 - float32(f*(1-float32(f*(0.5-float32(f*(1.0/6)))))))
}

var expTable = func() (t [1025]float32) {
	for k := range t {
		t[k] = float32(arith.Exp(-float64(k) / 64))
	}
	return t
}()
