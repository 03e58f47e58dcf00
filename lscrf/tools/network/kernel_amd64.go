package network

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/network/internal/gen -out asm_amd64.s -stubs asm_amd64.go

// kernelSets returns the sets that run on this machine, the fastest last.
func kernelSets() []kernelSet {
	sets := []kernelSet{genericKernels}
	if cpu.X86.HasAVX2 {
		sets = append(sets, kernelSet{"avx2", byCells(6, pointwiseAVX2, pointwiseGeneric), depthwiseWide, addWide})
		if cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
			sets = append(sets, kernelSet{"vnni", byCells(12, pointwiseVNNI, sets[1].pointwise), depthwiseWider, addWide})
		}
	}
	return sets
}

// byCells makes a pointwise kernel of one that takes so many cells at a time: the last ones may be
// some of those before, whose outputs stay. Where there are fewer, fewer takes them.
func byCells(many int, kernel func(dst *int16, to int, src *int16, from, pairs int, w *int16, add *int32, by int, low, top int16),
	fewer func(dst []int16, to int, src []int16, from, n, pairs int, w []int16, bias []int32, r *rounding),
) func(dst []int16, to int, src []int16, from, n, pairs int, w []int16, bias []int32, r *rounding) {
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

func depthwiseWide(dst []int16, channels int, src []int16, from, n int, taps []int, w []int16, bias []int32, r *rounding) {
	checkDepthwise(dst, channels, src, from, n, taps, w, bias)
	for c := 0; c < channels; c += lanes {
		depthwiseAVX2(&dst[c], channels, &src[c], from, n, &taps[0], len(taps)/2, &w[c*len(taps)], &bias[c], r.shift, r.low, r.top)
	}
}

func depthwiseWider(dst []int16, channels int, src []int16, from, n int, taps []int, w []int16, bias []int32, r *rounding) {
	checkDepthwise(dst, channels, src, from, n, taps, w, bias)
	for c := 0; c < channels; c += 2 * lanes {
		kernel := depthwiseVNNI
		if c+lanes == channels {
			kernel = depthwiseAVX2
		}
		kernel(&dst[c], channels, &src[c], from, n, &taps[0], len(taps)/2, &w[c*len(taps)], &bias[c], r.shift, r.low, r.top)
	}
}

// checkDepthwise makes the bounds checks that assembly does not.
func checkDepthwise(dst []int16, channels int, src []int16, from, n int, taps []int, w []int16, bias []int32) {
	for _, t := range taps {
		_ = src[t : t+(n-1)*from+channels]
	}
	_, _, _ = dst[n*channels-1], w[len(taps)*channels-1], bias[channels-1]
}

func addWide(dst, src []int16) {
	if len(src) > 0 {
		_ = dst[len(src)-1]
		addAVX2(&dst[0], &src[0], len(src)/lanes)
	}
}
