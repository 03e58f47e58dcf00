package boost

import (
	"fmt"
	"slices"
)

// A Binning cuts each feature into bins at its borders: the bin of value x is the number
// of borders below x, so x > Borders[f][b] exactly when bin > b. NaN is in bin 0.
type Binning struct {
	Borders [][]float32 // per feature: 0..255 values, strictly ascending
}

// sampledRows is the largest number of rows that borders are computed from: enough that
// the error of a quantile (about 1/sqrt(65536)) is half a bin at 128 borders.
const sampledRows = 65536

// NewBinning returns quantile borders of the dim features of n rows, x[i*dim+f], at most
// borders (1..255) per feature. Values that fill a bin of their own get one, and the rest
// is cut into bins of about equal counts; a border lies midway between two neighbouring
// values. Of more than 65,536 rows, that many evenly spaced ones are used.
// The result does not depend on workers.
func NewBinning(x []float32, n, dim, borders, workers int) *Binning {
	checkRows(x, n, dim)
	if borders < 1 || borders > maxBorders {
		panic(fmt.Sprintf("boost: borders = %d, want 1..255", borders))
	}
	b := &Binning{Borders: make([][]float32, dim)}
	m := min(n, sampledRows)
	scratch := make([][2][]float32, max(1, workers))
	parallel(workers, dim, func(w, f int) {
		if scratch[w][0] == nil {
			scratch[w] = [2][]float32{make([]float32, m), make([]float32, m)}
		}
		v := scratch[w][0][:0]
		for i := range m {
			row := i * n / m
			if t := x[row*dim+f]; t == t {
				v = append(v, t)
			}
		}
		sortFloats(v, scratch[w][1])
		b.Borders[f] = quantiles(v, borders)
	})
	return b
}

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
	m := float32(float64(a) + (float64(b)-float64(a))/2)
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

func checkRows(x []float32, n, dim int) {
	if n < 0 || dim < 0 || len(x) != n*dim {
		panic(fmt.Sprintf("boost: len(x) = %d, want %d rows x %d features", len(x), n, dim))
	}
}
