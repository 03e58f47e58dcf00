package cut

import (
	"math"
	"slices"

	"hdseg/lscrf/tools/mrf"
	"hdseg/manifests/arith"
	"hdseg/manifests/raster"
)

// costUnit is the integer that one nat of energy becomes in the flow's graph.
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

// An energy is the graph of a plane's free pixels with the unaries it holds at present.
type energy struct {
	p     *plane
	o     Options
	free  []int32 // the plane's index of every node
	flow  mrf.Flow
	prior []float32 // log odds of the location prior, times PriorWeight, per node
	held  []int32   // unary in the graph per node, without what fixed neighbours add
}

func newEnergy(p *plane, o Options) *energy {
	e := &energy{p: p, o: o}
	node := make([]int32, len(p.fixed)) // of the free pixels
	for i, f := range p.fixed {
		if f == raster.Void {
			node[i] = int32(len(e.free))
			e.free = append(e.free, int32(i))
		}
	}
	e.prior, e.held = make([]float32, len(e.free)), make([]int32, len(e.free))
	for k, i := range e.free {
		e.prior[k] = o.priorOdds(p.soft[i])
	}
	e.flow.Reset(len(e.free))
	c := newContrast(p)
	// Pairs of free pixels become links; a fixed neighbour's pull is a constant unary.
	for i := range p.fixed {
		for k, n := range neighbors {
			wt := int64(math.Round(costUnit * o.Gamma * float64(c.weight[4*i+k])))
			if wt == 0 {
				continue
			}
			j := i + n.dy*p.w + n.dx
			a, b := p.fixed[i] == raster.Void, p.fixed[j] == raster.Void
			switch {
			case a && b:
				e.flow.Link(node[i], node[j], wt, wt)
			case a:
				e.flow.Supply(node[i], -pull(p.fixed[j], wt))
			case b:
				e.flow.Supply(node[j], -pull(p.fixed[i], wt))
			}
		}
	}
	return e
}

// pull is the unary that a neighbour of a fixed label adds.
func pull(label uint8, w int64) int64 {
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

// maxOdds bounds a colour model's log odds of one pixel, in nats, so that the graph's integers
// cannot overflow; sureOdds where the prior is that of a model that sees arrays, so that colours
// settle what it doubts and nothing else (ours, see Surer).
const (
	maxOdds  = 1000
	sureOdds = 5
)

// colorOdds returns the log odds of a colour under two models, times ColorWeight.
func (o *Options) colorOdds(figure, ground *Mixture, rgb []float32) float32 {
	f, _ := figure.Score(rgb[0], rgb[1], rgb[2])
	g, _ := ground.Score(rgb[0], rgb[1], rgb[2])
	most := float32(maxOdds) // an empty mixture scores -Inf
	if o.sure {
		most = sureOdds
	}
	return float32(o.ColorWeight) * min(max(f-g, -most), most)
}

// cut relabels the free pixels to the least energy under two colour models and returns how many
// changed.
func (e *energy) cut(figure, ground *Mixture, labels []uint8) (changed int) {
	for k, i := range e.free {
		u := -int32(math.Round(costUnit * float64(e.o.colorOdds(figure, ground, e.p.rgb[3*i:3*i+3])+e.prior[k])))
		e.flow.Supply(int32(k), int64(e.held[k]-u))
		e.held[k] = u
	}
	e.flow.Solve()
	for k, i := range e.free {
		y := raster.Ground
		if e.flow.InSource(k) {
			y = raster.Figure
		}
		if y != labels[i] {
			labels[i] = y
			changed++
		}
	}
	return changed
}
