package appearance

import (
	"math"

	"hdseg/lscrf/tools/feature"
	"hdseg/manifests/arith"
)

// firstTexture is where texture begins in what feature.Extract returns; colour and position come
// before.
const firstTexture = 5

// A table is the features of a view's superpixels, one row each, grown column by column.
type table struct {
	n    int
	cols [][]float32
}

func (t *table) add(col ...[]float32) { t.cols = append(t.cols, col...) }

// addRows adds the columns from first on of rows of dim values.
func (t *table) addRows(x []float32, dim, first int) {
	for c := first; c < dim; c++ {
		col := make([]float32, t.n)
		for i := range col {
			col[i] = x[i*dim+c]
		}
		t.add(col)
	}
}

// each adds a column of values computed from one superpixel at a time.
func (t *table) each(v *view, f func(r *region) float64) {
	col := make([]float32, t.n)
	for i := range col {
		col[i] = float32(f(&v.regions[i]))
	}
	t.add(col)
}

// rows returns the rows of some superpixels one after another.
func (t *table) rows(of []int32) []float32 {
	d := len(t.cols)
	out := make([]float32, len(of)*d)
	for c, col := range t.cols {
		for i, k := range of {
			out[i*d+c] = col[k]
		}
	}
	return out
}

// A described view is one with the rows of the first stage, for the superpixels that have pixels in
// the box.
type described struct {
	*view
	inside []int32 // these superpixels
	rows   []float32
}

// describe computes the features of the first stage.
func describe(w Window, o Options) *described {
	v := newView(w, o)
	d := &described{view: v}
	t := &table{n: v.sp.N}
	prior := make([]float32, v.sp.N)
	for i := range prior {
		r := &v.regions[i]
		prior[i] = float32(r.prior)
		if r.inside > 0 {
			d.inside = append(d.inside, int32(i))
		}
	}
	for c := range 3 {
		t.each(v, func(r *region) float64 { return r.lab[c] })
		t.each(v, func(r *region) float64 { return r.spread[c] })
	}
	t.each(v, func(r *region) float64 { return r.x })
	t.each(v, func(r *region) float64 { return r.y })
	t.each(v, func(r *region) float64 { return math.Abs(r.x - 0.5) })
	t.each(v, func(r *region) float64 { return min(r.x, r.y, 1-r.x, 1-r.y) })
	t.each(v, func(r *region) float64 { return r.inside })
	for _, c := range w.Cut {
		x := 0.0
		if c {
			x = 1
		}
		t.each(v, func(*region) float64 { return x })
	}
	aspect := arith.Log(float64(w.Box.Dx()) / float64(w.Box.Dy()))
	t.each(v, func(*region) float64 { return aspect })
	var mean, area float64
	for i := range v.regions {
		mean += float64(v.regions[i].prior * v.regions[i].area)
		area += float64(v.regions[i].inside * v.regions[i].area)
	}
	t.each(v, func(*region) float64 { return mean / area })
	t.add(prior, v.neighbors(prior))
	t.add(v.neighbors(v.neighbors(prior)))

	ring := make([]float32, t.n)
	all := make([]float32, t.n)
	for i := range ring {
		r := &v.regions[i]
		ring[i], all[i] = float32(r.area*(1-r.inside)), float32(r.area)
	}
	for s := range colorScales {
		k := v.affinity(s)
		a, b := smooth(k, ring), smooth(k, all)
		for i := range a {
			a[i] /= b[i] + 1
		}
		one := v.odds(k, prior)
		post := posterior(prior, one)
		t.add(a, b, one, post)
		two := v.odds(k, post)
		for range 2 {
			post = posterior(prior, two)
			two = v.odds(k, post)
		}
		t.add(two, post, v.neighbors(two))
	}
	outside := v.geodesic(func(r *region) bool { return r.inside < 0.5 })
	ground := v.geodesic(func(r *region) bool { return r.inside < 0.5 || r.prior <= seedGround })
	figure := v.geodesic(func(r *region) bool { return r.prior >= seedFigure })
	t.add(outside, ground, figure, between(ground, figure))
	for c := range 3 {
		col := make([]float32, t.n)
		for i := range col {
			col[i] = float32(v.regions[i].lab[c])
		}
		near := v.neighbors(col)
		for i := range near {
			near[i] -= col[i]
		}
		t.add(near)
	}
	v.texture(t)
	if o.Channels > 0 {
		v.pooled(t, w)
	}
	if o.Click {
		v.pointed(t, prior)
	}
	d.rows = t.rows(d.inside)
	return d
}

// texture adds the two gradient descriptors.
func (v *view) texture(t *table) {
	fo := feature.Defaults()
	fo.Set = feature.Draft
	for _, bin := range siftBins {
		fo.SIFTBin = bin
		t.addRows(feature.Extract(v.im, v.sp, fo), feature.DraftDim, firstTexture)
	}
}

// pooled adds the means of a network's array.
func (v *view) pooled(t *table, w Window) {
	width, height := float64(w.Image.Width), float64(w.Image.Height)
	t.addRows(w.Dense.Pool(v.sp, feature.Frame{X0: float64(v.outer.Min.X) / width, Y0: float64(v.outer.Min.Y) / height,
		X1: float64(v.outer.Max.X) / width, Y1: float64(v.outer.Max.Y) / height}), w.Dense.Channels, 0)
}

// context returns what the second stage adds to the rows of the first: what that said (p) of the
// superpixel, its neighbours, and those of its colour.
func (d *described) context(p []float32) []float32 {
	t := table{n: len(d.regions)}
	inside := make([]float32, t.n) // p, 0 outside the box
	var mean, area float64
	for i, k := range d.inside {
		inside[k] = p[i] * float32(d.regions[k].inside)
	}
	for i := range inside {
		r := &d.regions[i]
		mean += float64(float64(inside[i]) * r.area)
		area += float64(r.inside * r.area)
	}
	near := d.neighbors(inside)
	t.add(inside, near, d.neighbors(near))
	for s := range colorScales {
		k := d.affinity(s)
		one := d.odds(k, inside)
		post := posterior(inside, one)
		two := d.odds(k, post)
		t.add(one, post, two, posterior(inside, two))
	}
	t.each(d.view, func(*region) float64 { return mean / area })
	ground := d.geodesicOf(func(i int) bool { return inside[i] <= float32(seedGround) })
	figure := d.geodesicOf(func(i int) bool { return inside[i] >= float32(seedFigure) })
	t.add(ground, figure, between(ground, figure))
	if d.clicked >= 0 {
		d.reached(&t, inside)
	}
	return t.rows(d.inside)
}

// expand gives every superpixel its value, 0 to those outside the box.
func (d *described) expand(p []float32) []float32 {
	out := make([]float32, len(d.regions))
	for i, k := range d.inside {
		out[k] = p[i]
	}
	return out
}
