package cut

import (
	"math"

	"hdseg/lscrf/tools/mrf"
	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/raster"
)

// Regions are a plane's superpixels as sites, and the energy on them. As in the superpixel form of Guillaumin,
// Kuettel and Ferrari (IJCV 110(3), 2014), a site's unary is the sum over its pixels, with its mean colour in place of theirs, and two sites
// are tied by the sum of the weights of the pixel pairs between them.
type regions struct {
	sites
	o      Options
	of     []int32 // site of every pixel of the plane
	prior  []float32
	unary  []int64 // what fixed neighbours add, as the price of figure
	links  []link
	solver mrf.Flow
}

type link struct {
	i, j   int32
	weight int64
}

// newRegions cuts a plane into superpixels. One that has free and fixed pixels is a site for each kind.
func newRegions(p *plane, o Options) *regions {
	so := superpixel.Defaults()
	so.Count = min(max(1, int(float64(p.w*p.h)/o.SuperpixelPx)), 5000)
	im := raster.NewRGB(p.w, p.h)
	for i, v := range p.rgb {
		im.Pix[i] = uint8(255*v + 0.5)
	}
	sp := superpixel.Segment(im, so)
	r := &regions{o: o, of: make([]int32, p.w*p.h)}
	type kind struct {
		superpixel int32
		fixed      uint8
	}
	ids := map[kind]int32{}
	for i, l := range sp.Labels {
		k := kind{l, p.fixed[i]}
		id, ok := ids[k]
		if !ok {
			id = int32(len(r.fixed))
			ids[k] = id
			r.fixed = append(r.fixed, k.fixed)
			r.area, r.soft, r.prior = append(r.area, 0), append(r.soft, 0), append(r.prior, 0)
			r.rgb = append(r.rgb, 0, 0, 0)
		}
		r.of[i] = id
		r.area[id]++
		r.soft[id] += p.soft[i]
		r.prior[id] += o.priorOdds(p.soft[i])
		for c := range 3 {
			r.rgb[3*int(id)+c] += p.rgb[3*i+c]
		}
	}
	for i, n := range r.area {
		r.soft[i] /= n
		for c := range 3 {
			r.rgb[3*i+c] /= n
		}
	}
	return r
}

// link sums the pairwise weights between sites.
func (r *regions) link(p *plane) *regions {
	r.unary = make([]int64, len(r.fixed))
	c := newContrast(p)
	sum := map[[2]int32]int{} // index in links
	for y := range p.h {
		for x := range p.w {
			i := y*p.w + x
			for k := range neighbors {
				n := &neighbors[k]
				if x+n.dx < 0 || x+n.dx >= p.w || y+n.dy >= p.h {
					continue
				}
				a, b := r.of[i], r.of[i+n.dy*p.w+n.dx]
				if a == b {
					continue
				}
				w := int64(math.Round(costUnit * r.o.Gamma * float64(c.weight[4*i+k])))
				switch fa, fb := r.fixed[a], r.fixed[b]; {
				case fa == raster.Void && fb == raster.Void:
					key := [2]int32{min(a, b), max(a, b)}
					at, ok := sum[key]
					if !ok {
						at = len(r.links)
						sum[key] = at
						r.links = append(r.links, link{i: key[0], j: key[1]})
					}
					r.links[at].weight += w
				case fa == raster.Void:
					r.unary[a] += int64(pull(fb, int32(w)))
				case fb == raster.Void:
					r.unary[b] += int64(pull(fa, int32(w)))
				}
			}
		}
	}
	return r
}

func (r *regions) cut(figure, ground *Mixture, labels []uint8) (changed int) {
	r.solver.Reset(len(r.fixed))
	for i, f := range r.fixed {
		if f != raster.Void {
			continue
		}
		odds := r.area[i]*r.o.colorOdds(figure, ground, r.rgb[3*i:3*i+3]) + r.prior[i]
		price := r.unary[i] - int64(math.Round(costUnit*float64(odds)))
		r.solver.AddTerminal(i, max(-price, 0), max(price, 0)) // the source's side is figure
	}
	for _, l := range r.links {
		r.solver.AddEdge(int(l.i), int(l.j), l.weight, l.weight)
	}
	r.solver.Solve()
	for i, f := range r.fixed {
		if f != raster.Void {
			continue
		}
		y := raster.Ground
		if r.solver.InSource(i) {
			y = raster.Figure
		}
		if y != labels[i] {
			labels[i] = y
			changed++
		}
	}
	return changed
}

// paint gives every pixel its site's label.
func (r *regions) paint(labels []uint8) []uint8 {
	out := make([]uint8, len(r.of))
	for i, id := range r.of {
		out[i] = labels[id]
	}
	return out
}
