package regress

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run hdseg/lscrf/tools/regress/internal/gen -out asm_amd64.s -stubs asm_amd64.go

// The kernels in use: the widest that the processor and the system have.
var kernels = func() kernelSet {
	all := kernelSets()
	return all[len(all)-1]
}()

// kernelSets returns the sets that run on this machine, the fastest last.
func kernelSets() []kernelSet {
	sets := []kernelSet{genericKernels}
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA {
		sets = append(sets, kernelSet{"avx2", tile2, sum2, max2, apply2})
	}
	return sets
}

func tile2(k int, a, b, w []float32, stride int, c []int64) {
	checkTile(k, a, b, w, stride, c)
	addTileAVX2(k, &a[0], &b[0], &w[0], stride, &c[0])
}

// checkTile makes the bounds checks that assembly does not.
func checkTile(k int, a, b, w []float32, stride int, c []int64) {
	last := (k - 1) * stride
	_, _, _, _ = a[last+tileRows-1], b[last+tileCols-1], w[k-1], c[tileLen-1]
}

func sum2(dst, rows []float32, index []int32, w []float32) {
	checkSum(dst, rows, index, w)
	sumRowsAVX2(&dst[0], &rows[0], unsafe.SliceData(index), unsafe.SliceData(w), len(index), len(dst))
}

func checkSum(dst, rows []float32, index []int32, w []float32) {
	if len(dst)%panel != 0 || len(w) < len(index) {
		panic("regress: rows of a wrong width")
	}
	for _, i := range index {
		_ = rows[int(i)*len(dst) : (int(i)+1)*len(dst)]
	}
}

func max2(x []float32) uint32 {
	n := len(x) &^ 31
	most := maxBitsGeneric(x[n:])
	if n > 0 {
		most = max(most, maxBitsAVX2(&x[0], n))
	}
	return most
}

func apply2(dst []float64, x []float32, w []float64) {
	if checkApply(dst, x, w) {
		applyAVX2(&dst[0], &x[0], &w[0], len(x), len(dst))
	}
}

func checkApply(dst []float64, x []float32, w []float64) bool {
	if len(dst)%8 != 0 || len(w) < len(x)*len(dst) {
		panic("regress: weights of a wrong width")
	}
	return len(x) > 0 && len(dst) > 0
}
