package appearance

import (
	"math"
	"slices"

	"hdseg/manifests/arith"
)

// How many features a click adds to the two stages.
const (
	clickColumns = 10
	clickContext = 4
)

// pointed adds what a click says of superpixels: how far they lie from it, across the picture and
// over paths of their colour, and how like it they look. prior is that of the superpixels.
func (v *view) pointed(t *table, prior []float32) {
	c := &v.regions[v.clicked]
	at := func(r *region) (x, y float64) { // in units of the longer side
		long := max(v.width, v.height)
		return (r.x - c.x) * v.width / long, (r.y - c.y) * v.height / long
	}
	t.each(v, func(r *region) float64 { x, y := at(r); return arith.Hypot(x, y) })
	t.each(v, func(r *region) float64 { x, _ := at(r); return math.Abs(x) })
	t.each(v, func(r *region) float64 { _, y := at(r); return y })
	t.each(v, func(r *region) float64 {
		a, b, d := r.lab[0]-c.lab[0], r.lab[1]-c.lab[1], r.lab[2]-c.lab[2]
		return math.Sqrt(float64(a*a) + float64(b*b) + float64(d*d))
	})
	t.each(v, func(*region) float64 { return min(c.x, c.y, 1-c.x, 1-c.y) })
	t.each(v, func(*region) float64 { return float64(prior[v.clicked]) })
	paths := v.geodesicOf(func(i int) bool { return i == v.clicked })
	t.add(paths)
	near := make([]float32, t.n) // 1 on the click and beside it
	near[v.clicked] = 1
	for _, e := range v.edges {
		if int(e[0]) == v.clicked || int(e[1]) == v.clicked {
			near[e[0]], near[e[1]] = 1, 1
		}
	}
	for s := range colorScales {
		t.add(v.odds(v.affinity(s), near))
	}
	rest := v.geodesicOf(func(i int) bool { return v.regions[i].inside < 0.5 || prior[i] <= seedGround })
	t.add(between(paths, rest))
}

// reached adds to the second stage how superpixels hang together with the clicked one by what the
// first said: p of the clicked one, the largest p that all superpixels of some path to it have, how
// near p is to the clicked one's, and the odds of their colour under those that hang together.
func (d *described) reached(t *table, p []float32) {
	wide := make([]float32, t.n)
	wide[d.clicked] = 1
	for changed := true; changed; {
		changed = false
		relax := func(i, j int32) {
			if w := min(wide[i], p[j]); w > wide[j] {
				wide[j], changed = w, true
			}
		}
		for _, e := range d.edges {
			relax(e[0], e[1])
			relax(e[1], e[0])
		}
		for _, e := range slices.Backward(d.edges) {
			relax(e[0], e[1])
			relax(e[1], e[0])
		}
	}
	t.each(d.view, func(*region) float64 { return float64(p[d.clicked]) })
	t.add(wide)
	diff := make([]float32, t.n)
	for i := range diff {
		diff[i] = p[i] - p[d.clicked]
	}
	t.add(diff, d.odds(d.affinity(0), wide))
}
