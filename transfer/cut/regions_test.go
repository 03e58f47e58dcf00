package cut

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hdseg/manifests/raster"
)

// The cut of superpixels has the least energy of all their labelings, the energy being summed pixel by pixel here.
func TestRegionsLeastEnergy(t *testing.T) {
	const w, h = 14, 9
	rng := rand.New(rand.NewPCG(3, 4))
	p := &plane{w: w, h: h, sites: sites{rgb: make([]float32, 3*w*h), soft: make([]float32, w*h), fixed: make([]uint8, w*h)}}
	for i := range p.fixed {
		x, y := i%w, i/w
		for c := range 3 {
			p.rgb[3*i+c] = float32(x/5+y/5)*0.1*float32(c+1) + 0.1*rng.Float32()
		}
		p.soft[i] = 0.3 + 0.4*rng.Float32()
		p.fixed[i] = raster.Void
		switch {
		case y == 0 || x == w-1:
			p.fixed[i] = raster.Ground
		case y == h-1 && x < 4:
			p.fixed[i] = raster.Figure
		}
	}
	o := Defaults()
	o.Domain, o.SuperpixelPx, o.Gamma, o.ColorWeight = Superpixels, 12, 0.3, 0.001
	for i := range p.soft { // the left is figure
		p.soft[i] += 0.25 - 0.05*float32(i%w)
	}
	r := newRegions(p, o)
	figure := FitMixture(p.rgb, p.weigh(make([]float32, w*h), p.fixed, raster.Figure), 1)
	ground := FitMixture(p.rgb, p.weigh(make([]float32, w*h), p.fixed, raster.Ground), 1)

	labels := append([]uint8(nil), r.fixed...)
	var free []int
	for i, f := range r.fixed {
		if f == raster.Void {
			free = append(free, i)
		}
	}
	if len(free) < 5 || len(free) > 16 {
		t.Fatalf("%d free superpixels, want 5 to 16", len(free))
	}
	c := newContrast(p)
	energy := func(labels []uint8) (e float64) {
		pixel := r.paint(labels)
		for i, y := range pixel {
			if p.fixed[i] == raster.Void && y == raster.Figure {
				mean := r.rgb[3*r.of[i]:][:3]
				e -= float64(o.colorOdds(figure, ground, mean) + o.priorOdds(p.soft[i]))
			}
			for k, n := range neighbors {
				if x, yy := i%w+n.dx, i/w+n.dy; x >= 0 && x < w && yy < h && pixel[yy*w+x] != y {
					e += o.Gamma * float64(c.weight[4*i+k])
				}
			}
		}
		return e
	}
	r.link(p).cut(figure, ground, labels)
	got, least := energy(labels), math.Inf(1)
	if y := labels[free[0]]; !slices.ContainsFunc(free, func(i int) bool { return labels[i] != y }) {
		t.Fatalf("all free superpixels are %d, want both labels", y)
	}
	for bits := range 1 << len(free) {
		for k, i := range free {
			labels[i] = uint8(bits >> k & 1)
		}
		least = min(least, energy(labels))
	}
	if got > least+0.2 { // costs are rounded to 1/64
		t.Errorf("energy of the cut: got %g, want the least, %g", got, least)
	}
}
