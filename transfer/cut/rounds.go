package cut

import (
	"image"
	"math"
	"slices"

	"hdseg/ingest/raster"
	"hdseg/lscrf/mrf"
)

// costUnit is the integer that one nat of energy becomes in the max-flow grid.
const costUnit = 64

// rounds alternates colour models and cuts on one plane. The result's Mask has the plane's size.
func rounds(p *plane, o Options) Result {
	n := p.w * p.h
	labels := make([]uint8, n)
	for i, f := range p.fixed {
		labels[i] = f
		if f == raster.Void {
			labels[i] = raster.Ground
			if float64(p.soft[i]) >= o.InitThreshold {
				labels[i] = raster.Figure
			}
		}
	}
	res := Result{Mask: &raster.Mask{Pix: labels, Width: p.w, Height: p.h}}
	if !slices.Contains(labels, raster.Figure) || !slices.Contains(labels, raster.Ground) {
		res.Status = StatusNoPrior
		return res
	}
	weights := make([]float32, n)
	for i, y := range labels {
		weights[i] = float32(y)
	}
	res.Figure = FitMixture(p.rgb, weights, o.Components)
	for i, y := range labels {
		weights[i] = 1 - float32(y)
	}
	res.Ground = FitMixture(p.rgb, weights, o.Components)

	e := newEnergy(p, o)
	for res.Iterations < o.Iterations {
		if res.Iterations > 0 {
			for i, y := range labels {
				weights[i] = float32(y)
			}
			res.Figure.Refit(p.rgb, weights)
			for i, y := range labels {
				weights[i] = 1 - float32(y)
			}
			res.Ground.Refit(p.rgb, weights)
		}
		res.Iterations++
		changed := e.cut(p, res.Figure, res.Ground, labels)
		if changed == 0 {
			res.Converged = true
			break
		}
		if !slices.Contains(labels, raster.Figure) {
			break // nothing to fit a figure to
		}
	}
	return res
}

// An energy is the grid of a plane's free pixels with the unaries it holds at present.
type energy struct {
	o     Options
	rect  image.Rectangle // of the free pixels in the plane
	grid  *mrf.Grid
	prior []float32 // log odds of the location prior, times PriorWeight, per pixel of rect
	held  []int32   // unary in the grid per pixel of rect, without what fixed neighbours add
}

func newEnergy(p *plane, o Options) *energy {
	e := &energy{o: o, rect: freeRect(&raster.Mask{Pix: p.fixed, Width: p.w, Height: p.h})}
	w, h := e.rect.Dx(), e.rect.Dy()
	e.grid = mrf.NewGrid(w, h)
	e.prior, e.held = make([]float32, w*h), make([]int32, w*h)
	c := newContrast(p)
	lo, hi := float32(o.Epsilon), float32(1-o.Epsilon)
	for y := e.rect.Min.Y; y < e.rect.Max.Y; y++ {
		for x := e.rect.Min.X; x < e.rect.Max.X; x++ {
			m := float64(min(max(p.soft[y*p.w+x], lo), hi))
			e.prior[(y-e.rect.Min.Y)*w+x-e.rect.Min.X] = float32(o.PriorWeight * math.Log(m/(1-m)))
		}
	}
	// Pairs of free pixels go into the grid; a fixed neighbour's pull is a constant unary.
	for y := range p.h {
		for x := range p.w {
			i := y*p.w + x
			for k := range neighbors {
				n := &neighbors[k]
				wt := int32(math.Round(costUnit * o.Gamma * float64(c.weight[4*i+k])))
				if wt == 0 {
					continue
				}
				j := i + n.dy*p.w + n.dx
				a, b := p.fixed[i] == raster.Void, p.fixed[j] == raster.Void
				switch {
				case a && b:
					e.grid.SetPair(e.at(x, y), n.d, wt)
				case a:
					e.grid.AddUnary(e.at(x, y), pull(p.fixed[j], wt))
				case b:
					e.grid.AddUnary(e.at(x+n.dx, y+n.dy), pull(p.fixed[i], wt))
				}
			}
		}
	}
	return e
}

func (e *energy) at(x, y int) int { return (y-e.rect.Min.Y)*e.rect.Dx() + x - e.rect.Min.X }

// pull is the unary that a neighbour of a fixed label adds.
func pull(label uint8, w int32) int32 {
	if label == raster.Figure {
		return -w
	}
	return w
}

// maxOdds bounds a colour model's log odds of one pixel, in nats, so that the grid's integers cannot overflow.
const maxOdds = 1000

// cut sets the unaries to those of the colour models, solves, writes the labels of free pixels and
// returns how many changed.
func (e *energy) cut(p *plane, figure, ground *Mixture, labels []uint8) (changed int) {
	e.each(p, func(i, k int) {
		f, _ := figure.Score(p.rgb[3*i], p.rgb[3*i+1], p.rgb[3*i+2])
		g, _ := ground.Score(p.rgb[3*i], p.rgb[3*i+1], p.rgb[3*i+2])
		odds := min(max(f-g, -maxOdds), maxOdds) // an empty mixture scores -Inf
		u := -int32(math.Round(costUnit * float64(float32(e.o.ColorWeight)*odds+e.prior[k])))
		e.grid.AddUnary(k, u-e.held[k])
		e.held[k] = u
	})
	e.grid.Solve()
	e.each(p, func(i, k int) {
		if y := e.grid.Label(k); y != labels[i] {
			labels[i] = y
			changed++
		}
	})
	return changed
}

// each calls f with the plane's and the grid's index of every free pixel.
func (e *energy) each(p *plane, f func(i, k int)) {
	k := 0
	for y := e.rect.Min.Y; y < e.rect.Max.Y; y++ {
		for x := e.rect.Min.X; x < e.rect.Max.X; x++ {
			if i := y*p.w + x; p.fixed[i] == raster.Void {
				f(i, k)
			}
			k++
		}
	}
}
