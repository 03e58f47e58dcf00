package boost

// values returns the leaf values of the assigned rows: Rate times one Newton step.
func (s *sequenceFit) values(leaves int) []float32 {
	width := s.seq.Width
	// Per leaf: a denominator for each output (one for all with Squared), then numerators.
	bottoms := 1
	if s.hess != nil {
		bottoms = width
	}
	per := bottoms + width
	sum := s.blockSums(leaves*per, func(from, to int, sums []float64) {
		for i := from; i < to; i++ {
			w := s.weights[i]
			if w == 0 {
				continue
			}
			cell := sums[int(s.leaf[i])*per:][:per]
			if s.hess == nil {
				cell[0] += float64(w)
			} else {
				for k, h := range s.hess[i*width:][:width] {
					cell[k] += float64(h)
				}
			}
			for k, g := range s.grad[i*width:][:width] {
				cell[bottoms+k] += float64(g)
			}
		}
	})
	values := make([]float32, leaves*width)
	for i := range values {
		cell := sum[i/width*per:][:per]
		k := i % width
		if bottom := cell[min(k, bottoms-1)] + s.opt.L2; bottom > 0 {
			values[i] = float32(s.opt.Rate * cell[bottoms+k] / bottom)
		}
	}
	return values
}
