package feature

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/feature/internal/gen -out asm_amd64.s -stubs asm_amd64.go

// addPair is the fastest of its kind on this machine.
var addPair = func() func(dst, a, b []float32, t float32) {
	if cpu.X86.HasAVX2 {
		return addPairWide
	}
	return addPairGeneric
}()

func addPairWide(dst, a, b []float32, t float32) {
	n := len(dst) &^ 7
	if n > 0 {
		_, _ = a[n-1], b[n-1]
		addPairAVX2(&dst[0], &a[0], &b[0], t, n)
	}
	addPairGeneric(dst[n:], a[n:], b[n:], t)
}

// scoreBlock is the fastest of its kind on this machine.
var scoreBlock = func() func(scores *[block]float32, table, x []float32) {
	if cpu.X86.HasAVX2 {
		return scoreWide
	}
	return scoreGeneric
}()

func scoreWide(scores *[block]float32, table, x []float32) {
	_ = table[len(x)*block-1]
	scoreAVX2(&scores[0], &table[0], &x[0], len(x))
}
