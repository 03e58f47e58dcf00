package boost

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
			if mix(uint64(u*(1<<53)))&1 == 1 {
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
