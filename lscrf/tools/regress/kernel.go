package regress

import "math"

// A kernelSet is one implementation of the inner loops. All sets give the same bits.
type kernelSet struct {
	name    string
	addTile func(k int, a, b, w []float32, stride int, c []int64) // see addTileGeneric
	sumRows func(dst, rows []float32, index []int32, w []float32) // see sumRowsGeneric
	maxBits func(x []float32) uint32                              // see maxBitsGeneric
	apply   func(dst []float64, x []float32, w []float64)         // see applyGeneric
}

var genericKernels = kernelSet{"generic", addTileGeneric, sumRowsGeneric, maxBitsGeneric, applyGeneric}

// addTileGeneric adds the sum over i < k of (w_i b_i) a_iᵀ to a tile, rounded to integers: element
// (r, c) gets Σ_i a[i*stride+r] * (w[i]*b[i*stride+c]), summed from i = 0 on in float32 with one
// rounding per term as a fused multiply-add has it. It is the definition that the assembly must
// meet bit for bit.
func addTileGeneric(k int, a, b, w []float32, stride int, c []int64) {
	var sum [tileCols]float32
	for r := range tileRows {
		sum = [tileCols]float32{}
		for i := range k {
			v := a[i*stride+r]
			for q, u := range b[i*stride : i*stride+tileCols] {
				sum[q] = fma32(v, float32(w[i]*u), sum[q])
			}
		}
		row := c[r*tileCols : (r+1)*tileCols]
		for q, v := range sum {
			row[q] += int64(math.RoundToEven(float64(v)))
		}
	}
}

// sumRowsGeneric sets dst to Σ_i w[i] * row index[i] of rows, summed in order as addTileGeneric
// does.
func sumRowsGeneric(dst, rows []float32, index []int32, w []float32) {
	clear(dst)
	for i, r := range index {
		src := rows[int(r)*len(dst) : (int(r)+1)*len(dst)]
		for c, v := range src {
			dst[c] = fma32(w[i], v, dst[c])
		}
	}
}

// fma32 returns a*b + c rounded once to float32. The product is exact in float64; its sum with c,
// rounded to float64, must not be rounded a second time from a tie that the first rounding made.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := p + float64(c)
	if bits := math.Float64bits(s); bits&0x1fffffff == 0x10000000 || math.Abs(s) < 0x1p-125 {
		// Knuth's two-sum gives what the first rounding dropped; then round to odd (Boldo and
		// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
		t := s - p
		if e := (p - (s - t)) + (float64(c) - t); e != 0 && bits&1 == 0 {
			if (e > 0) == (s > 0) {
				bits++
			} else {
				bits--
			}
			s = math.Float64frombits(bits)
		}
	}
	return float32(s)
}

// maxBitsGeneric returns the largest of the bits of |x[i]|, 0 of nothing. They are ordered as the
// numbers are, with NaN above infinity.
func maxBitsGeneric(x []float32) uint32 {
	var most uint32
	for _, v := range x {
		most = max(most, math.Float32bits(v)&0x7fffffff)
	}
	return most
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
