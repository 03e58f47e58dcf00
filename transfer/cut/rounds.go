package cut

import (
	"image"
	"math"
	"slices"

	"hdseg/lscrf/tools/mrf"
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
)

// costUnit is the integer that one nat of energy becomes in the max-flow grid.
const costUnit = 64

// rounds alternates colour models and cuts on a plane, and returns the labels of its pixels beside
// a result without a mask.
func rounds(p *plane, o Options) ([]uint8, Result) {
	labels := make([]uint8, len(p.fixed))
	for i, f := range p.fixed {
		labels[i] = f
		if f == raster.Void {
			labels[i] = raster.Ground
			if float64(p.soft[i]) >= initThreshold {
				labels[i] = raster.Figure
			}
		}
	}
	var res Result
	if !slices.Contains(labels, raster.Figure) || !slices.Contains(labels, raster.Ground) {
		res.Status = StatusNoPrior
		return labels, res
	}
	weights := make([]float32, len(labels))
	res.Figure = FitMixture(p.rgb, weigh(weights, labels, raster.Figure), components)
	res.Ground = FitMixture(p.rgb, weigh(weights, labels, raster.Ground), components)

	e := newEnergy(p, o)
	for res.Rounds < maxRounds {
		if res.Rounds > 0 {
			res.Figure.Refit(p.rgb, weigh(weights, labels, raster.Figure))
			res.Ground.Refit(p.rgb, weigh(weights, labels, raster.Ground))
		}
		res.Rounds++
		changed := e.cut(res.Figure, res.Ground, labels)
		if changed == 0 {
			break
		}
		if !slices.Contains(labels, raster.Figure) {
			break // nothing to fit a figure to
		}
	}
	return labels, res
}

// weigh sets weights to 1 for the pixels of one label, to 0 elsewhere, and returns them.
func weigh(weights []float32, labels []uint8, label uint8) []float32 {
	for i, y := range labels {
		weights[i] = 0
		if y == label {
			weights[i] = 1
		}
	}
	return weights
}

// An energy is the grid of a plane's free pixels with the unaries it holds at present.
type energy struct {
	p     *plane
	o     Options
	rect  image.Rectangle // of the free pixels in the plane
	grid  *mrf.Grid
	prior []float32 // log odds of the location prior, times PriorWeight, per pixel of rect
	held  []int32   // unary in the grid per pixel of rect, without what fixed neighbours add
}

func newEnergy(p *plane, o Options) *energy {
	e := &energy{p: p, o: o, rect: freeRect(&raster.Mask{Pix: p.fixed, Width: p.w, Height: p.h})}
	w, h := e.rect.Dx(), e.rect.Dy()
	e.grid = mrf.NewGrid(w, h)
	e.prior, e.held = make([]float32, w*h), make([]int32, w*h)
	c := newContrast(p)
	for y := e.rect.Min.Y; y < e.rect.Max.Y; y++ {
		for x := e.rect.Min.X; x < e.rect.Max.X; x++ {
			e.prior[(y-e.rect.Min.Y)*w+x-e.rect.Min.X] = o.priorOdds(p.soft[y*p.w+x])
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

// priorOdds returns the log odds of a location prior, times PriorWeight.
func (o *Options) priorOdds(soft float32) float32 {
	m := float64(min(max(soft, float32(epsilon)), float32(1-epsilon)))
	return float32(o.PriorWeight * arith.Log(m/(1-m)))
}

// maxOdds bounds a colour model's log odds of one pixel, in nats, so that the grid's integers
// cannot overflow.
const maxOdds = 1000

// colorOdds returns the log odds of a colour under two models, times ColorWeight.
func (o *Options) colorOdds(figure, ground *Mixture, rgb []float32) float32 {
	f, _ := figure.Score(rgb[0], rgb[1], rgb[2])
	g, _ := ground.Score(rgb[0], rgb[1], rgb[2])
	return float32(o.ColorWeight) * min(max(f-g, -maxOdds), maxOdds) // an empty mixture scores -Inf
}

// cut relabels the free pixels to the least energy under two colour models and returns how many
// changed.
func (e *energy) cut(figure, ground *Mixture, labels []uint8) (changed int) {
	e.each(func(i, k int) {
		u := -int32(math.Round(costUnit * float64(e.o.colorOdds(figure, ground, e.p.rgb[3*i:3*i+3])+e.prior[k])))
		e.grid.AddUnary(k, u-e.held[k])
		e.held[k] = u
	})
	e.grid.Solve()
	e.each(func(i, k int) {
		if y := e.grid.Label(k); y != labels[i] {
			labels[i] = y
			changed++
		}
	})
	return changed
}

// each calls f with the plane's and the grid's index of every free pixel.
func (e *energy) each(f func(i, k int)) {
	p, k := e.p, 0
	for y := e.rect.Min.Y; y < e.rect.Max.Y; y++ {
		for x := e.rect.Min.X; x < e.rect.Max.X; x++ {
			if i := y*p.w + x; p.fixed[i] == raster.Void {
				f(i, k)
			}
			k++
		}
	}
}
