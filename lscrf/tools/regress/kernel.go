package regress

import "math"

// A kernelSet is one implementation of the inner loops. All sets give the same bits.
type kernelSet struct {
	name    string
	addTile func(k int, a, b, w []float32, stride int, c []int64) // see addTileGeneric
	apply   func(dst []float64, x []float32, w []float64)         // see applyGeneric
}

var genericKernels = kernelSet{"generic", addTileGeneric, applyGeneric}

// kernels is the fastest set that this machine runs.
var kernels = func() kernelSet {
	all := kernelSets()
	return all[len(all)-1]
}()

// addTileGeneric adds the sum over i < k of (w_i b_i) a_iᵀ to a tile, rounded to integers: element
// (r, c) gets Σ_i a[i*stride+r] * (w[i]*b[i*stride+c]), summed from i = 0 on in float32 with one
// rounding per term as a fused multiply-add has it. It is the definition that the assembly must
// meet bit for bit.
func addTileGeneric(k int, a, b, w []float32, stride int, c []int64) {
	var sum [tileRows][tileCols]float64 // float32 numbers
	for i := range k {
		var term [tileCols]float64
		for q, u := range b[i*stride:][:tileCols] {
			term[q] = float64(w[i] * u)
		}
		for r, v := range a[i*stride:][:tileRows] {
			row, v := &sum[r], float64(v)
			for q, u := range term {
				p := v * u // exact
				s := p + row[q]
				if tie(s) {
					s = odd(p, row[q])
				}
				row[q] = float64(float32(s))
			}
		}
	}
	for i := range c[:tileLen] {
		c[i] += int64(math.RoundToEven(sum[i/tileCols][i%tileCols]))
	}
}

// tie tells whether a float64 may lie in the middle of two float32, or is too small to know.
func tie(s float64) bool {
	b := math.Float64bits(s) << 1
	return b<<34 == 1<<63 || b-1 < math.Float64bits(0x1p-125)<<1
}

// odd returns p + c for the rounding to float32 that follows, which must not see a tie that a first
// rounding to float64 made: the last bit keeps what was lost (Boldo and Melquiond, "Emulation of
// FMA and correctly rounded sums", 2008).
func odd(p, c float64) float64 {
	s := p + c
	t := s - p
	bits := math.Float64bits(s)
	if e := (p - (s - t)) + (c - t); e != 0 && bits&1 == 0 { // Knuth's two-sum: e was lost
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
	}
	return math.Float64frombits(bits)
}

// applyGeneric adds Σ_i x[i] * row i of w to dst, in order, with fused multiply-adds in float64; w
// has len(x) rows of len(dst) columns.
func applyGeneric(dst []float64, x []float32, w []float64) {
	for i, v := range x {
		for c, u := range w[i*len(dst) : (i+1)*len(dst)] {
			dst[c] = math.FMA(float64(v), u, dst[c])
		}
	}
}
