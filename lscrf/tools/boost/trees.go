package boost

// kernelDepth is the depth that compiled trees are brought to.
const kernelDepth = 6

// A compiled sequence is what prediction runs: each tree is 16 words, six offsets of
// columns and the bytes of six borders, and then for every output the bits of 64 values.
// A shallow tree is padded with questions that all rows answer with no.
type compiled struct {
	seq     *Sequence
	columns []int    // feature of each column of a block of bins
	words   []uint32 // nil for trees deeper than kernelDepth
}

// compile lays a sequence out for blocks of bins whose column c holds feature columns[c],
// column[f] = c.
func (s *Sequence) compile(columns, column []int) compiled {
	c := compiled{seq: s, columns: columns}
	for _, t := range s.Trees {
		if len(t.Questions) > kernelDepth {
			return c
		}
	}
	per := 16 + 64*s.Width
	c.words = make([]uint32, per*len(s.Trees))
	for i, t := range s.Trees {
		w := c.words[i*per : (i+1)*per]
		for l := range kernelDepth {
			border := uint32(255) // no bin is above
			if l < len(t.Questions) {
				q := t.Questions[l]
				w[l] = uint32(column[q.Feature] * blockBins)
				border = uint32(q.Border)
			}
			w[6+l/4] |= border << (8 * (l % 4))
		}
		for j, v := range t.Values {
			w[16+j%s.Width*64+j/s.Width] = float32bits(v)
		}
	}
	return c
}

func addTreesGo(sums []float32, bins []uint8, trees []uint32, n, width int) {
	addTreesWith(orAboveGo, sums, bins, trees, n, width)
}

// addTreesWith adds the values of n compiled trees to the sums of a block, output by
// output.
func addTreesWith(orAbove func(bits, col []uint8, border, bit uint8), sums []float32, bins []uint8, trees []uint32, n, width int) {
	var leaf [blockBins]uint8
	for ; n > 0; n-- {
		clear(leaf[:])
		for l := range kernelDepth {
			border := uint8(trees[6+l/4] >> (8 * (l % 4)))
			orAbove(leaf[:], bins[trees[l]:][:blockBins], border, 1<<l)
		}
		for k := range width {
			value := (*[64]uint32)(trees[16+64*k:])
			out := (*[blockBins]float32)(sums[k*blockBins:])
			for i, l := range leaf {
				out[i] += float32frombits(value[l&63])
			}
		}
		trees = trees[16+64*width:]
	}
}
