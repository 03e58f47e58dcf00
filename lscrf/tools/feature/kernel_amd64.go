package feature

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/feature/internal/gen -out asm_amd64.s -stubs asm_amd64.go

// The kernels of this machine.
var (
	addPair    = fastest(addPairWide, addPairGeneric)
	addTimes   = fastest(addTimesWide, addTimesGeneric)
	scoreBlock = fastest(scoreWide, scoreGeneric)
	newField   = fastest(newDenseField, newSparseField)
)

// fastest returns what needs AVX2, if the machine has it.
func fastest[T any](avx2, plain T) T {
	if cpu.X86.HasAVX2 {
		return avx2
	}
	return plain
}

func addPairWide(dst, a, b []float32, t float32) {
	n := len(dst) &^ 7
	if n > 0 {
		_, _ = a[n-1], b[n-1]
		addPairAVX2(&dst[0], &a[0], &b[0], t, n)
	}
	addPairGeneric(dst[n:], a[n:], b[n:], t)
}

func addTimesWide(dst, a []float32, t float32) {
	n := len(dst) &^ 7
	if n > 0 {
		_ = a[n-1]
		addTimesAVX2(&dst[0], &a[0], t, n)
	}
	addTimesGeneric(dst[n:], a[n:], t)
}

func scoreWide(scores *[block]float32, table, x []float32) {
	_ = table[len(x)*block-1]
	scoreAVX2(&scores[0], &table[0], &x[0], len(x))
}
