//go:build amd64 || arm64

package network

// What is the same for all kernels in assembly.
type (
	cellsKernel func(dst *int16, to int, src *int16, from, pairs int, w *int16, add *int32, by int, low, top int16)
	rowKernel   func(dst *int16, to int, src *int16, from, n int, tap *int, pairs int, w *int16, add *int32, by int, low, top int16)
)

// byCells makes a pointwise kernel of one that takes so many cells at a time: the last ones may be
// some of those before, whose outputs stay. Where there are fewer, fewer takes them.
func byCells(many int, kernel cellsKernel, fewer pointwise) pointwise {
	return func(dst []int16, to int, src []int16, from, n, pairs int, w []int16, bias []int32, r *rounding) {
		if n < many {
			fewer(dst, to, src, from, n, pairs, w, bias, r)
			return
		}
		_, _, _, _ = dst[(n-1)*to+lanes-1], src[(n-1)*from+2*pairs-1], w[2*pairs*lanes-1], bias[lanes-1]
		for at := 0; at < n; at += many {
			i := min(at, n-many)
			kernel(&dst[i*to], to, &src[i*from], from, pairs, &w[0], &bias[0], r.shift, r.low, r.top)
		}
	}
}

// byBlocks makes a depthwise kernel of one that takes a block of channels, and of one that takes
// two blocks, nil for none.
func byBlocks(one, two rowKernel) depthwise {
	return func(dst []int16, channels int, src []int16, from, n int, taps []int, w []int16, bias []int32, r *rounding) {
		for _, t := range taps { // the bounds checks that assembly does not make
			_ = src[t : t+(n-1)*from+channels]
		}
		_, _, _ = dst[n*channels-1], w[len(taps)*channels-1], bias[channels-1]
		for c := 0; c < channels; c += lanes {
			kernel, at := one, c
			if two != nil && c+lanes < channels {
				kernel = two
				c += lanes
			}
			kernel(&dst[at], channels, &src[at], from, n, &taps[0], len(taps)/2, &w[at*len(taps)], &bias[at], r.shift, r.low, r.top)
		}
	}
}

// byVectors makes an adder of one of vectors of lanes values.
func byVectors(add func(dst, src *int16, n int)) adder {
	return func(dst, src []int16) {
		if len(src) > 0 {
			_ = dst[len(src)-1]
			add(&dst[0], &src[0], len(src)/lanes)
		}
	}
}
