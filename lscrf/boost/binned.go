package boost

// A Binned holds rows cut by a Binning, column by column: the bin of feature f in row i
// is Column(f)[i]. It takes Rows * Dim bytes.
type Binned struct {
	Binning *Binning
	N       int // rows
	bins    []uint8
}

// binTile is the number of rows that are binned together, so that a tile's rows stay in
// the cache while its columns are written.
const binTile = 256

// Bin cuts n rows, x[i*dim+f], of b.Dim() features. x is only read. The cost is one
// binary search per value.
func (b *Binning) Bin(x []float32, n, workers int) *Binned {
	return b.bin(x, n, workers, nil)
}

// bin leaves the columns that are not used at zero; nil uses all.
func (b *Binning) bin(x []float32, n, workers int, used []bool) *Binned {
	dim := b.Dim()
	checkRows(x, n, dim)
	out := &Binned{Binning: b, N: n, bins: make([]uint8, n*dim)}
	parallel(workers, (n+binTile-1)/binTile, func(_, tile int) {
		from, to := tile*binTile, min((tile+1)*binTile, n)
		for f, borders := range b.Borders {
			if used != nil && !used[f] {
				continue
			}
			col := out.Column(f)[from:to]
			for i := range col {
				col[i] = binOf(borders, x[(from+i)*dim+f])
			}
		}
	})
	return out
}

// binOf returns the number of borders below v.
func binOf(borders []float32, v float32) uint8 {
	lo, n := 0, len(borders)
	for n > 0 {
		half := n / 2
		if v > borders[lo+half] {
			lo += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return uint8(lo)
}

// Column returns the bins of feature f, one per row; it must not be changed.
func (b *Binned) Column(f int) []uint8 { return b.bins[f*b.N : (f+1)*b.N : (f+1)*b.N] }
