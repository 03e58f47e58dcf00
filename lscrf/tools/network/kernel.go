package network

import "math"

// A rounding turns the sum of a convolution into a value.
type rounding struct {
	shift    int   // of the sum to the right, rounded down
	low, top int16 // the limits of the value
}

func (r *rounding) value(sum int32) int16 {
	return int16(min(max(sum>>r.shift, int32(r.low)), int32(r.top)))
}

// lanes is how many channels a kernel makes at a time.
const lanes = 16

// lane is the place of each of 16 channels among the sums of a kernel: where a vector of 16-bit
// values falls apart into two of 32 bits, each half does. It is its own inverse.
var lane = [lanes]int{0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15}

// A kernelSet is one implementation of the inner loops. All sets give the same bits: sums are
// of 32 bits and wrap around.
type kernelSet struct {
	name      string
	pointwise pointwise
	depthwise depthwise
	add       adder
}

// A pointwise sets 16 outputs of each of n cells of dst, which lie to values apart, to weighted
// sums of 2*pairs inputs of src, whose cells lie from values apart. w is by pairs of inputs, then
// lanes; bias by lanes.
type pointwise func(dst []int16, to int, src []int16, from, n, pairs int, w []int16, bias []int32, r *rounding)

// A depthwise sets the channels of each of n cells of dst, a multiple of lanes, to weighted sums
// of the same channels at taps in src, offsets in pairs from a place that moves by from values. w
// is by blocks of lanes, then pairs of taps.
type depthwise func(dst []int16, channels int, src []int16, from, n int, taps []int, w []int16, bias []int32, r *rounding)

// An adder adds the values of src to those of dst; sums end at the limits of 16 bits. Their number
// is a multiple of lanes.
type adder func(dst, src []int16)

var genericKernels = kernelSet{"generic", pointwiseGeneric, depthwiseGeneric, addGeneric}

// kernels is the fastest set that this machine runs.
var kernels = func() kernelSet {
	all := kernelSets()
	return all[len(all)-1]
}()

func pointwiseGeneric(dst []int16, to int, src []int16, from, n, pairs int, w []int16, bias []int32, r *rounding) {
	for i := range n {
		x := src[i*from:][:2*pairs]
		out := dst[i*to:][:lanes]
		sums := [lanes]int32(bias)
		for k := 0; k < len(x); k += 2 {
			a, b := int32(x[k]), int32(x[k+1])
			u := (*[2 * lanes]int16)(w[k*lanes:])
			for j := range sums {
				sums[j] += a*int32(u[2*j]) + b*int32(u[2*j+1])
			}
		}
		for j, s := range sums {
			out[lane[j]] = r.value(s)
		}
	}
}

func depthwiseGeneric(dst []int16, channels int, src []int16, from, n int, taps []int, w []int16, bias []int32, r *rounding) {
	for c := 0; c < channels; c += lanes {
		for i := range n {
			out := dst[i*channels+c:][:lanes]
			sums := [lanes]int32(bias[c:])
			for k := 0; k < len(taps); k += 2 {
				a, b := (*[lanes]int16)(src[i*from+c+taps[k]:]), (*[lanes]int16)(src[i*from+c+taps[k+1]:])
				u := (*[2 * lanes]int16)(w[c*len(taps)+k*lanes:])
				for j, l := range lane {
					sums[j] += int32(a[l])*int32(u[2*j]) + int32(b[l])*int32(u[2*j+1])
				}
			}
			for j, s := range sums {
				out[lane[j]] = r.value(s)
			}
		}
	}
}

func addGeneric(dst, src []int16) {
	for i, v := range src {
		dst[i] = int16(min(max(int32(dst[i])+int32(v), math.MinInt16), math.MaxInt16))
	}
}
