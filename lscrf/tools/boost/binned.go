package boost

// A Binned holds rows cut by a Binning, column by column: the bin of feature f in row i
// is Column(f)[i]. It takes N * Dim bytes.
type Binned struct {
	Binning *Binning
	N       int // rows
	bins    []uint8
}

// binTile is the number of rows that are binned together, so that a tile's rows stay in
// the cache while its columns are written.
const binTile = 256

// Bin cuts n rows, x[i*dim+f], of b.Dim() features. x is only read. The cost is one
// bisection per value. The result does not depend on workers.
func (b *Binning) Bin(x []float32, n, workers int) *Binned {
	return b.bin(x, n, workers, nil)
}

// bin leaves the columns that are not used at zero; nil uses all.
func (b *Binning) bin(x []float32, n, workers int, used []bool) *Binned {
	dim := b.Dim()
	checkRows(x, n, dim)
	out := &Binned{Binning: b, N: n, bins: make([]uint8, n*dim)}
	searches := make([]search, dim)
	for f, borders := range b.Borders {
		if used == nil || used[f] {
			searches[f] = newSearch(borders)
		}
	}
	parallel(workers, (n+binTile-1)/binTile, func(_, tile int) {
		var column [binTile]float32
		from, to := tile*binTile, min((tile+1)*binTile, n)
		for f := range searches {
			if searches[f].levels == 0 {
				continue
			}
			v := column[:to-from]
			at := from*dim + f
			for i := range v {
				v[i] = x[at]
				at += dim
			}
			kernels.binColumn(&searches[f], out.Column(f)[from:to], v)
		}
	})
	return out
}

// Column returns the bins of feature f, one per row; it must not be changed.
func (b *Binned) Column(f int) []uint8 { return b.bins[f*b.N : (f+1)*b.N : (f+1)*b.N] }
