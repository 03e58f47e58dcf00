package boost

import (
	"fmt"
	"math"
	"slices"

	"hdseg/lscrf/internal/parallel"
)

// A Binning cuts each feature into bins at its borders: the bin of value x is the number
// of borders below x, so x > Borders[f][b] exactly when bin > b. NaN is in bin 0.
type Binning struct {
	Borders [][]float32 // per feature: 0..255 values, strictly ascending
}

// sampledRows is the largest number of rows that borders are computed from: enough that
// the error of a quantile (about 1/sqrt(65536)) is half a bin at 128 borders.
const sampledRows = 65536

// quantiles returns at most most borders between the sorted values.
func quantiles(sorted []float32, most int) []float32 {
	var value []float32
	var count []int
	for i, v := range sorted {
		if i == 0 || v != value[len(value)-1] {
			value, count = append(value, v), append(count, 0)
		}
		count[len(count)-1]++
	}
	out := []float32{}
	if len(value) <= most+1 {
		for i := 1; i < len(value); i++ {
			out = append(out, between(value[i-1], value[i]))
		}
		return out
	}
	// Values with at least a bin's share are set aside, which lowers the share of the rest.
	bins, rows := most+1, len(sorted)
	heavy := make([]bool, len(value))
	for again := true; again; {
		again = false
		for i, c := range count {
			if !heavy[i] && bins > 1 && c*bins >= rows {
				heavy[i], again = true, true
				bins--
				rows -= c
			}
		}
	}
	// Scan: a bin ends when the light rows so far reach the next multiple of the share,
	// and before and after every heavy value.
	light, cut := 0, 1
	for i := 0; i+1 < len(value) && len(out) < most; i++ {
		end := heavy[i] || heavy[i+1]
		if !heavy[i] {
			light += count[i]
		}
		if light*bins >= cut*rows {
			end = true
		}
		if end {
			out = append(out, between(value[i], value[i+1]))
			for light*bins >= cut*rows {
				cut++
			}
		}
	}
	return out
}

// between returns m with a <= m < b near the middle.
func between(a, b float32) float32 {
	m := float32(float64(a) + float64((float64(b)-float64(a))/2))
	if m >= b || m < a || m != m {
		return a
	}
	return m
}

// Dim returns the number of features.
func (b *Binning) Dim() int { return len(b.Borders) }

// Validate returns an error unless every feature has at most 255 borders in strictly
// ascending order.
func (b *Binning) Validate() error {
	for f, v := range b.Borders {
		if len(v) > maxBorders {
			return fmt.Errorf("boost: feature %d: got %d borders, want at most 255", f, len(v))
		}
		for i := range v {
			if v[i] != v[i] || i > 0 && v[i] <= v[i-1] {
				return fmt.Errorf("boost: feature %d: border %d is %v, want ascending numbers", f, i, v[i])
			}
		}
	}
	return nil
}

// equal tells whether two binnings cut alike.
func (b *Binning) equal(o *Binning) bool {
	return b == o || slices.EqualFunc(b.Borders, o.Borders, slices.Equal[[]float32])
}

// A Binned holds rows cut by a Binning, column by column: the bin of feature f in row i
// is Column(f)[i]. It takes N * Dim bytes.
type Binned struct {
	Binning *Binning
	N       int // rows
	bins    []uint8
}

// Column returns the bins of feature f, one per row; it must not be changed.
func (b *Binned) Column(f int) []uint8 { return b.bins[f*b.N : (f+1)*b.N : (f+1)*b.N] }

// BinParts cuts the rows of several slices, one after another, each x[i*dim+f], at quantile
// borders of them all, at most borders (1..255) per feature. Values that fill a bin of their own
// get one, and the rest is cut into bins of about equal counts; a border lies midway between two
// neighbouring values. Of more than 65,536 rows, that many evenly spaced ones give the borders.
// The result does not depend on workers.
func BinParts(parts [][]float32, dim, borders, workers int) *Binned {
	n := 0
	for _, x := range parts {
		n += len(x) / dim
	}
	m := min(n, sampledRows)
	sample := make([]float32, 0, m*dim)
	first := 0
	for _, x := range parts {
		for i := len(sample) / dim; i < m && i*n/m < first+len(x)/dim; i++ {
			row := i*n/m - first
			sample = append(sample, x[row*dim:(row+1)*dim]...)
		}
		first += len(x) / dim
	}
	b := bordersOf(sample, m, dim, borders, workers)
	out := &Binned{Binning: b, N: n, bins: make([]uint8, n*dim)}
	first = 0
	for _, x := range parts {
		b.fill(out, first, x, len(x)/dim, workers, nil)
		first += len(x) / dim
	}
	return out
}

// bordersOf returns the borders of each feature of n rows.
func bordersOf(x []float32, n, dim, borders, workers int) *Binning {
	if borders < 1 || borders > maxBorders {
		panic(fmt.Sprintf("boost: borders = %d, want 1..255", borders))
	}
	b := &Binning{Borders: make([][]float32, dim)}
	scratch := make([][2][]float32, max(1, workers))
	parallel.Each(workers, dim, func(w, f int) {
		if scratch[w][0] == nil {
			scratch[w] = [2][]float32{make([]float32, n), make([]float32, n)}
		}
		v := scratch[w][0][:0]
		for row := range n {
			if t := x[row*dim+f]; t == t {
				v = append(v, t)
			}
		}
		sortFloats(v, scratch[w][1])
		b.Borders[f] = quantiles(v, borders)
	})
	return b
}

// Beside returns rows with the features of b and then those of o, which has as many rows.
func (b *Binned) Beside(o *Binned) *Binned {
	if b.N != o.N {
		panic(fmt.Sprintf("boost: %d rows beside %d", o.N, b.N))
	}
	return &Binned{Binning: &Binning{Borders: slices.Concat(b.Binning.Borders, o.Binning.Borders)}, N: b.N,
		bins: slices.Concat(b.bins, o.bins)}
}

// binTile is the number of rows that are binned together, so that a tile's rows stay in
// the cache while its columns are written.
const binTile = 256

// fill bins n rows into those of out from first on. It leaves the columns that are not used at
// zero; nil uses all.
func (b *Binning) fill(out *Binned, first int, x []float32, n, workers int, used []bool) {
	dim := b.Dim()
	checkRows(x, n, dim)
	keys := make([][]int64, dim)
	for f, borders := range b.Borders {
		if used == nil || used[f] {
			keys[f] = searchKeys(borders)
		}
	}
	parallel.Each(workers, (n+binTile-1)/binTile, func(_, tile int) {
		from, to := tile*binTile, min((tile+1)*binTile, n)
		for f, k := range keys {
			if k == nil {
				continue
			}
			col, at := out.Column(f)[first+from:first+to], from*dim+f
			for i := range col {
				col[i] = search(k, x[at])
				at += dim
			}
		}
	})
}

// searchKeys returns the borders as integers of the same order, filled up to a power of two.
func searchKeys(borders []float32) []int64 {
	n := 1
	for n <= len(borders) {
		n *= 2
	}
	keys := slices.Repeat([]int64{math.MaxInt32 + 1}, n)
	for i, v := range borders {
		keys[i] = ordered(v)
	}
	return keys
}

// search returns the number of borders below v, by a bisection without branches.
func search(keys []int64, v float32) uint8 {
	if v != v {
		return 0
	}
	key, p := ordered(v), 0
	for step := len(keys) / 2; step > 0; step /= 2 {
		p += step & int((keys[p+step-1]-key)>>63)
	}
	return uint8(p)
}

// ordered maps numbers to integers of the same order; both zeros are 0.
func ordered(v float32) int64 {
	b := int32(math.Float32bits(v))
	sign := b >> 31
	return int64((b & math.MaxInt32) ^ sign - sign)
}

// sortFloats sorts v, which has no NaN, in three passes of eleven bits; spare has at least
// the length of v. -0 sorts as 0.
func sortFloats(v, spare []float32) {
	const digit, mask = 11, 1<<11 - 1
	key := func(x float32) uint32 { return uint32(ordered(x) + 1<<31) }
	spare = spare[:len(v)]
	from, to := v, spare
	for pass := range 3 {
		var count [mask + 1]int32
		for _, x := range from {
			count[key(x)>>(pass*digit)&mask]++
		}
		start := int32(0)
		for i, n := range count {
			count[i] = start
			start += n
		}
		for _, x := range from {
			d := key(x) >> (pass * digit) & mask
			to[count[d]] = x
			count[d]++
		}
		from, to = to, from
	}
	copy(v, from)
}

func checkRows(x []float32, n, dim int) {
	if n < 0 || dim < 0 || len(x) != n*dim {
		panic(fmt.Sprintf("boost: len(x) = %d, want %d rows x %d features", len(x), n, dim))
	}
}
