package feature

import (
	"cmp"
	"math"
	"slices"

	"hdseg/lscrf/tools/superpixel"
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
)

// cues is the number of values that the set Saliency has beside the draft set.
const cues = 42

const (
	colorScale = 8   // of kernels over distances of colors: a step that is seen at once
	spaceScale = 0.1 // of kernels over distances in the picture, whose sides are 1
	roadScale  = 10  // of the kernel over geodesic distances (Zhu et al. 2014, section 3.1)
)

// saliency returns what tells a superpixel from its picture, sp.N x cues row-major. With kernels
// k(d) = exp(-d^2/2s^2) and areas as weights, a row is
//
//	0..5    mean and standard deviation of L, a, b
//	6       mean length of the gradient of L
//	7..11   |x-1/2|, |y-1/2|, distance to the picture's border, to its middle, pixels on the
//	        border over root of area
//	12..15  area times N over the picture's, perimeter over root of area, width over height, area
//	        over that of the bounding box
//	16..21  quantiles within the picture of L, a, b, chroma, gradient, standard deviation of L
//	22..24  mean contrast to all superpixels, to near ones, to far ones (Cheng et al., CVPR 2011)
//	25      spread in the picture of its color (Perazzi et al., CVPR 2012, "distribution")
//	26..33  mean contrast to the picture's border; frequency of its color there; least contrast to
//	        a superpixel there; frequency on the left, upper, right and lower border, and the
//	        largest of these (Wei et al., ECCV 2012, "boundary prior")
//	34      geodesic distance to the border (there, "geodesic saliency"), in CIELAB units
//	35, 36  boundary connectivity, and the area that is connected in color (Zhu et al., CVPR 2014)
//	37..41  geodesic distance to the left, upper, right and lower border, and the largest
//
// Cost: about N^2 kernels.
func saliency(img *raster.RGB, sp *superpixel.Map) []float32 {
	r := regionsOf(img, sp)
	out := make([]float32, sp.N*cues)
	area := float64(img.Width * img.Height)
	for i := range r {
		own(out[i*cues:], &r[i], float64(sp.N)/area)
	}
	quantiles(out, r, area)
	for i := range r {
		globalContrast(out[i*cues+22:], r, i)
		borderContrast(out[i*cues+26:], r, i)
	}
	geodesics(out, r, sp.Edges(), area)
	return out
}

// own writes values 0..15.
func own(to []float32, r *region, perArea float64) {
	root := math.Sqrt(r.size)
	write(to,
		r.lab[0], r.lab[1], r.lab[2], r.spread[0], r.spread[1], r.spread[2], r.gradient,
		math.Abs(r.x-0.5), math.Abs(r.y-0.5), min(r.x, r.y, 1-r.x, 1-r.y), away(r.x-0.5, r.y-0.5), r.bordering()/root,
		r.size*perArea, r.perimeter/root, r.width/r.height, r.size/(r.width*r.height))
}

// quantiles writes values 16..21: the fraction of the picture with less, half of the superpixel's
// own area included.
func quantiles(out []float32, r []region, area float64) {
	order := make([]int, len(r))
	for k, value := range []func(r *region) float64{
		func(r *region) float64 { return r.lab[0] },
		func(r *region) float64 { return r.lab[1] },
		func(r *region) float64 { return r.lab[2] },
		func(r *region) float64 { return away(r.lab[1], r.lab[2]) },
		func(r *region) float64 { return r.gradient },
		func(r *region) float64 { return r.spread[0] },
	} {
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(value(&r[i]), value(&r[j])), cmp.Compare(i, j))
		})
		less := 0.0
		for _, i := range order {
			out[i*cues+16+k] = float32((less + float64(r[i].size/2)) / area)
			less += r[i].size
		}
	}
}

// globalContrast writes values 22..25.
func globalContrast(to []float32, r []region, i int) {
	var all, near, far average
	var where scatter
	for j := range r {
		s, d := &r[j], contrast(&r[i], &r[j])
		close := kernel(away(r[i].x-s.x, r[i].y-s.y), spaceScale)
		all.add(d, s.size)
		near.add(d, s.size*close)
		far.add(d, s.size*(1-close))
		where.add(s.x, s.y, s.size*kernel(d, colorScale))
	}
	_, _, xx, yy := where.moments()
	write(to, all.mean(), near.mean(), far.mean(), math.Sqrt(xx+yy))
}

// borderContrast writes values 26..33; what is not there to compare with is as far as black is from
// white.
func borderContrast(to []float32, r []region, i int) {
	var mean average
	var alike [5]average // on each side, and all
	least := 100.0
	for j := range r {
		s := &r[j]
		n := s.bordering()
		if n == 0 || j == i {
			continue
		}
		d := contrast(&r[i], s)
		least = min(least, d)
		mean.add(d, n)
		k := kernel(d, colorScale)
		alike[4].add(k, n)
		for side, n := range s.border {
			alike[side].add(k, n)
		}
	}
	a := [4]float64{alike[0].mean(), alike[1].mean(), alike[2].mean(), alike[3].mean()}
	write(to, mean.mean(), alike[4].mean(), least, a[0], a[1], a[2], a[3], max(a[0], a[1], a[2], a[3]))
}

// geodesics writes values 34..41.
func geodesics(out []float32, r []region, edges [][2]int32, area float64) {
	g := newRoads(r, edges)
	d := make([]float64, len(r))
	least, most := make([]float64, len(r)), make([]float64, len(r))
	for i := range least {
		least[i] = math.Inf(1)
	}
	for side := range 4 {
		var from []int32
		for i := range r {
			if r[i].border[side] > 0 {
				from = append(from, int32(i))
			}
		}
		g.distances(d, math.Inf(1), from...)
		for i, v := range d {
			out[i*cues+37+side] = float32(v)
			least[i], most[i] = min(least[i], v), max(most[i], v)
		}
	}
	for i := range r {
		g.distances(d, 4*roadScale, int32(i)) // beyond, the kernel is below 0.0004
		size, border := 0.0, 0.0
		for j, v := range d {
			if math.IsInf(v, 1) {
				continue
			}
			k := kernel(v, roadScale)
			size += float64(k * r[j].size)
			border += float64(k * r[j].bordering())
		}
		row := out[i*cues:]
		row[34], row[35], row[36], row[41] = float32(least[i]), float32(border/math.Sqrt(size)), float32(size/area), float32(most[i])
	}
}

// An average is a weighted mean; of nothing it is 0.
type average struct{ sum, weight float64 }

func (a *average) add(v, weight float64) {
	a.sum += float64(v * weight)
	a.weight += float64(weight) // which may be a product
}

func (a *average) mean() float64 {
	if a.weight == 0 {
		return 0
	}
	return a.sum / a.weight
}

// A scatter is points with weights.
type scatter struct{ x, y, xx, yy average }

func (s *scatter) add(x, y, weight float64) {
	s.x.add(x, weight)
	s.y.add(y, weight)
	s.xx.add(x*x, weight)
	s.yy.add(y*y, weight)
}

// moments returns the means and the variances.
func (s *scatter) moments() (x, y, xx, yy float64) {
	x, y = s.x.mean(), s.y.mean()
	return x, y, max(0, s.xx.mean()-float64(x*x)), max(0, s.yy.mean()-float64(y*y))
}

func kernel(d, scale float64) float64 { return arith.Exp(-d * d / (2 * scale * scale)) }

func away(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

func write(to []float32, values ...float64) {
	for i, v := range values {
		to[i] = float32(v)
	}
}

// median returns the upper median.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
