package boost

import (
	"cmp"
	"math"
	"slices"

	"hdseg/lscrf/internal/parallel"
)

// quantize draws the rows of the next tree, fills the cells and returns the L2 of the
// options in their units. A row that is drawn with probability p counts 1/p times.
func (s *sequenceFit) quantize() float64 {
	width, words, n := s.seq.Width, s.grower.words, len(s.weights)
	sketch := s.newSketch()
	draw := s.newDraw()
	weightScale := scaleFor(draw.mostWeight(s.total), n)
	gradScale := scaleFor(draw.mostGradient(sketch.most(s.abs), math.Sqrt(float64(sketch.crowd))), n)
	parallel.Each(s.workers, blocks(n), func(_, b int) {
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
			cell[0] = roundEven(float64(float64(w) * times * weightScale))
			if width == 1 {
				cell[0] += roundEven(float64(float64(grad[0])*times*gradScale)) << 32
				continue
			}
			sketch.add(&sums, grad)
			for k := range sketch.fields {
				cell[(1+k)/2] += roundEven(float64(sums[k]*times*gradScale)) << (32 * ((1 + k) % 2))
			}
		}
	})
	return s.opt.L2 * weightScale
}

// A draw decides which rows a tree sees. The chance of a row is
//
//	p = min(1, size/mu),  size = sqrt(|gradient|^2 + (floor * weight)^2),
//
// which, of all ways to draw that many rows, gives the sums of gradients the least variance
// (Ibragimov and Gusev, "Minimal variance sampling in stochastic gradient boosting",
// NeurIPS 2019). Where all gradients are 0, rows have the same chance.
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
	if d.fraction >= 1 || s.total == 0 {
		return d
	}
	sum := 0.0
	for _, a := range s.abs {
		sum += a
	}
	d.floor = sampleFloor * sum / s.total
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
	want, sum := float64(fraction*float64(len(sizes))), 0.0
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
	return total + float64(d.rows*d.mu*reach)
}

// A sketch brings the gradients of many outputs down to the few that a cell holds: every
// output is added to one field with a random sign. Sums of squares are kept in expectation
// (the count sketch of Charikar, Chen and Farach-Colton 2002; used for choosing splits by
// Iosipoi and Vakhrushev, "SketchBoost", NeurIPS 2022). With at most maxFields outputs
// nothing is lost.
type sketch struct {
	fields int
	field  []int     // per output
	sign   []float64 // per output: 1 or -1
	crowd  int       // outputs in the fullest field
}

// newSketch draws the sketch of the next tree.
func (s *sequenceFit) newSketch() sketch {
	width := s.seq.Width
	k := sketch{fields: min(width, maxFields), field: make([]int, width), sign: make([]float64, width), crowd: 1}
	var in [maxFields]int
	for i := range width {
		k.field[i], k.sign[i] = i, 1
		if width > maxFields {
			u := uniform(s.opt.Seed, s.stream(streamSketch), uint64(i))
			k.field[i] = int(u * maxFields)
			if mix(uint64(float64(u*(1<<53))))&1 == 1 {
				k.sign[i] = -1
			}
			in[k.field[i]]++
			k.crowd = max(k.crowd, in[k.field[i]])
		}
	}
	return k
}

// add sets sums to the sketch of the gradients of a row.
func (k *sketch) add(sums *[maxFields]float64, grad []float32) {
	*sums = [maxFields]float64{}
	for i, g := range grad {
		sums[k.field[i]] += float64(k.sign[i] * float64(g))
	}
}

// most bounds the sum of absolute sketched gradients of a field, given that of each output.
func (k *sketch) most(abs []float64) float64 {
	var sum [maxFields]float64
	most := 0.0
	for i, a := range abs {
		sum[k.field[i]] += a
		most = max(most, sum[k.field[i]])
	}
	return most
}

// parts draws the features that the next tree may ask about, in order.
func (s *sequenceFit) parts() []part {
	g := s.grower
	var all []part
	features := 0
	for side := range g.views {
		for group := range g.lanes.groups() {
			p := part{side: side, group: group}
			for i, column := range g.lanes.column[group*laneGroup:][:laneGroup] {
				if column >= 0 {
					p.use[i] = true
					features++
				}
			}
			all = append(all, p)
		}
	}
	if s.opt.ColumnSample >= 1 {
		return all
	}
	// Whole groups in random order, and random lanes of the last one.
	want := max(1, int(float64(s.opt.ColumnSample*float64(features))+0.5))
	random := func(i int) float64 { return uniform(s.opt.Seed, s.stream(streamColumns), uint64(i)) }
	for i := range all {
		if want <= 0 {
			all = all[:i]
			break
		}
		j := i + int(random(i)*float64(len(all)-i))
		all[i], all[j] = all[j], all[i]
		want -= all[i].limit(want, func(lane int) float64 { return random(len(all) + lane) })
	}
	slices.SortFunc(all, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(a.group, b.group))
	})
	return all
}

// limit leaves at most n lanes in use, those with the smallest random numbers, and returns
// how many.
func (p *part) limit(n int, random func(lane int) float64) int {
	var lanes []int
	for lane, use := range p.use {
		if use {
			lanes = append(lanes, lane)
		}
	}
	slices.SortStableFunc(lanes, func(a, b int) int { return cmp.Compare(random(a), random(b)) })
	for len(lanes) > n {
		p.use[lanes[len(lanes)-1]] = false
		lanes = lanes[:len(lanes)-1]
	}
	return len(lanes)
}

// Streams of random numbers that must not repeat each other.
const (
	streamRows = iota + 1
	streamColumns
	streamSketch
	streamFolds
)

// stream numbers the random streams of the next tree.
func (s *sequenceFit) stream(kind uint64) uint64 {
	return mix(uint64(s.index)<<32|uint64(len(s.seq.Trees)))<<3 + kind
}

// uniform returns number i of a stream: in [0, 1), a function of its arguments alone, so
// that any worker can draw any row. It is the output function of SplitMix64 (Steele, Lea,
// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
func uniform(seed, stream, i uint64) float64 {
	return float64(mix(mix(seed*31+stream)+i*golden)>>11) / (1 << 53)
}

const golden = 0x9e3779b97f4a7c15

func mix(z uint64) uint64 {
	z += golden
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
