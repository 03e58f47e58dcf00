package regress

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/regress/internal/gen -out asm_amd64.s -stubs asm_amd64.go

// kernelSets returns the sets that run on this machine, the fastest last.
func kernelSets() []kernelSet {
	if cpu.X86.HasAVX2 {
		return []kernelSet{genericKernels, {"avx2", tile2, apply2}}
	}
	return []kernelSet{genericKernels}
}

// tile2 makes the bounds checks that assembly does not.
func tile2(k int, a, b, w []float32, stride int, c []int64) {
	last := (k - 1) * stride
	_, _, _, _ = a[last+tileRows-1], b[last+tileCols-1], w[k-1], c[tileLen-1]
	addTileAVX2(k, &a[0], &b[0], &w[0], stride, &c[0])
}

func apply2(dst []float64, x []float32, w []float64) {
	if len(dst)%8 != 0 || len(w) < len(x)*len(dst) {
		panic("regress: weights of a wrong width")
	}
	if len(x) > 0 && len(dst) > 0 {
		applyAVX2(&dst[0], &x[0], &w[0], len(x), len(dst))
	}
}
