package boost

// laneGroup is the number of features whose bins lie side by side and are summed by one
// call of the kernel: sixteen histograms of 136 cells fit the first-level cache.
const laneGroup = 16

// Lanes hold the bins of a Binned row by row: the bin of lane j in row i is
// bins[i*stride+j]. Lane j holds column[j], or padding where column[j] < 0.
type lanes struct {
	bins   []uint8
	stride int // a multiple of laneGroup
	column []int
}

// newLanes copies b; it takes N * Dim bytes more. Columns are dealt to lanes in the order
// of their random numbers when shuffle is set, so that a group of lanes is a random
// sample of the columns.
func newLanes(b *Binned, shuffle bool, seed uint64, workers int) *lanes {
	dim := b.Binning.Dim()
	groups := (dim + laneGroup - 1) / laneGroup
	l := &lanes{stride: groups * laneGroup, column: make([]int, groups*laneGroup)}
	l.bins = make([]uint8, b.N*l.stride)
	for j := range l.column {
		l.column[j] = -1
		if j < dim {
			l.column[j] = j
		}
	}
	if shuffle {
		for j := dim - 1; j > 0; j-- {
			k := int(uniform(seed, streamColumns, uint64(j)) * float64(j+1))
			l.column[j], l.column[k] = l.column[k], l.column[j]
		}
	}
	parallel(workers, (b.N+binTile-1)/binTile, func(_, tile int) {
		from, to := tile*binTile, min((tile+1)*binTile, b.N)
		for j, f := range l.column {
			if f < 0 {
				continue
			}
			at := from*l.stride + j
			for _, v := range b.Column(f)[from:to] {
				l.bins[at] = v
				at += l.stride
			}
		}
	})
	return l
}

// groups returns the number of lane groups.
func (l *lanes) groups() int { return l.stride / laneGroup }
