package boost

import (
	"math"
	"slices"
)

// quantize draws the rows of the next tree, fills the cells and returns the L2 of the
// options in their units. A row that is drawn with probability p counts 1/p times.
func (s *sequenceFit) quantize() float64 {
	width, words, n := s.seq.Width, s.grower.words, len(s.weights)
	sketch := s.newSketch()
	draw := s.newDraw()
	weightScale := scaleFor(draw.mostWeight(s.total[0]), n)
	gradScale := scaleFor(draw.mostGradient(sketch.most(s.abs), math.Sqrt(float64(sketch.crowd))), n)
	parallel(s.workers, blocks(n), func(_, b int) {
		from, to := block(b, n)
		var sums [maxFields]float64
		for i := from; i < to; i++ {
			cell := s.cells[i*words : (i+1)*words]
			clear(cell)
			w, grad := s.weights[i], s.grad[i*width:(i+1)*width]
			if w == 0 {
				continue
			}
			times := draw.times(i, w, grad)
			if times == 0 {
				continue
			}
			// Field 0 is the weight, field 1+k gradient k; odd fields are high halves.
			cell[0] = roundEven(float64(w) * times * weightScale)
			if width == 1 {
				cell[0] += roundEven(float64(grad[0])*times*gradScale) << 32
				continue
			}
			sketch.add(&sums, grad)
			for k := range sketch.fields {
				cell[(1+k)/2] += roundEven(sums[k]*times*gradScale) << (32 * ((1 + k) % 2))
			}
		}
	})
	return s.opt.L2 * weightScale
}

// A draw decides which rows a tree sees. With uniform sampling every row has the same
// chance. With variance sampling the chance of a row is
//
//	p = min(1, size/mu),  size = sqrt(|gradient|^2 + (floor * weight)^2),
//
// which, of all ways to draw that many rows, gives the sums of gradients the least variance
// (Ibragimov and Gusev, "Minimal variance sampling in stochastic gradient boosting",
// NeurIPS 2019).
type draw struct {
	start    uint64 // of the random stream
	fraction float64
	variance bool
	mu       float64
	floor    float64
	rows     float64
}

// newDraw prepares the draw of the next tree. mu is found on at most 8192 evenly spaced
// rows.
func (s *sequenceFit) newDraw() draw {
	n, width := len(s.weights), s.seq.Width
	d := draw{start: mix(s.opt.Seed*31 + s.stream(streamRows)), fraction: s.opt.RowSample, rows: float64(n)}
	if s.opt.Sampling != Variance || d.fraction >= 1 || s.total[0] == 0 {
		return d
	}
	sum := 0.0
	for _, a := range s.abs {
		sum += a
	}
	d.floor = sampleFloor * sum / s.total[0]
	if d.floor == 0 {
		return d
	}
	m := min(n, blockRows)
	sizes := make([]float64, 0, m)
	for i := range m {
		row := i * n / m
		if s.weights[row] > 0 {
			sizes = append(sizes, d.size(s.weights[row], s.grad[row*width:(row+1)*width]))
		}
	}
	slices.Sort(sizes)
	d.mu = threshold(sizes, d.fraction)
	d.variance = d.mu > 0
	return d
}

// sampleFloor is the size of a row without gradient as a part of the mean absolute gradient.
// Of 0.3, 1 and 3, the first had the least error on pairs of superpixels.
const sampleFloor = 0.3

// threshold returns mu such that min(1, size/mu) has the mean fraction over the sorted
// sizes.
func threshold(sizes []float64, fraction float64) float64 {
	want, sum := fraction*float64(len(sizes)), 0.0
	for _, v := range sizes {
		sum += v
	}
	// With the k largest rows drawn for certain, mu = (sum of the others) / (want - k); the
	// right k is the first whose next row is not above mu.
	for k := 0; k < len(sizes); k++ {
		left := want - float64(k)
		if left <= 0 {
			break
		}
		next := sizes[len(sizes)-1-k]
		if mu := sum / left; next <= mu {
			return mu
		}
		sum -= next
	}
	return 0
}

func (d *draw) size(w float32, grad []float32) float64 {
	f := d.floor * float64(w)
	sum := float64(f * f)
	for _, g := range grad {
		sum += float64(float64(g) * float64(g))
	}
	return math.Sqrt(sum)
}

// times returns how often a row counts, 0 where it is not drawn.
func (d *draw) times(i int, w float32, grad []float32) float64 {
	p := d.fraction
	if d.variance {
		p = d.size(w, grad) / d.mu
	}
	if p >= 1 {
		return 1
	}
	if float64(mix(d.start+uint64(i)*golden)>>11)/(1<<53) >= p {
		return 0
	}
	return 1 / p
}

// mostWeight bounds the weights of the drawn rows, counted as often as they count.
func (d *draw) mostWeight(total float64) float64 {
	if !d.variance {
		return total / d.fraction
	}
	return total + d.rows*d.mu/d.floor
}

// mostGradient does so for absolute gradients that are at most reach times their row's size.
func (d *draw) mostGradient(total, reach float64) float64 {
	if !d.variance {
		return total / d.fraction
	}
	return total + d.rows*d.mu*reach
}
