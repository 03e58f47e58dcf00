package mrf

// axes are the dimensions of a table, the last one fastest, and the strides at which
// another table is read along them.
type axes struct {
	n      int
	node   [maxWidth + 1]int32
	dim    [maxWidth + 1]int
	stride [maxWidth + 1]int
}

func (a *axes) push(v int32, dim int) {
	a.node[a.n], a.dim[a.n] = v, dim
	a.n++
}

func (a *axes) size() int {
	s := 1
	for _, d := range a.dim[:a.n] {
		s *= d
	}
	return s
}

func (a *axes) clear() { clear(a.stride[:a.n]) }

// find returns the axis of a node, which must be there.
func (a *axes) find(v int32) int {
	k := 0
	for a.node[k] != v {
		k++
	}
	return k
}

// add adds to every entry of work the entry of table that the strides lead to.
func (a *axes) add(work, table []float64) {
	last := a.n - 1
	own, step := a.dim[last], a.stride[last]
	var count [maxWidth + 1]int
	off := 0
	for at := 0; at < len(work); at += own {
		o := off
		for x := range work[at : at+own] {
			work[at+x] += table[o]
			o += step
		}
		for k := last - 1; k >= 0; k-- {
			count[k]++
			off += a.stride[k]
			if count[k] < a.dim[k] {
				break
			}
			count[k] = 0
			off -= a.stride[k] * a.dim[k]
		}
	}
}
