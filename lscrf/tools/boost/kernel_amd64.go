package boost

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/boost/internal/gen -out kernel_amd64.s -stubs stubs_amd64.go

// kernelSets returns the sets that run on this machine, the fastest last.
func kernelSets() []kernelSet {
	if cpu.X86.HasAVX2 {
		return []kernelSet{genericKernels, {"avx2", addLinesAVX2, addScoresAVX2, orAboveAVX2}}
	}
	return []kernelSet{genericKernels}
}

// addLinesAVX2 trusts that no line is outside lanes and no bin outside a histogram.
func addLinesAVX2(hist []int64, bins, words int, lanes []uint8, stride int, lines []uint32, cells []int64) {
	if len(lines) == 0 {
		return
	}
	_, _ = hist[laneGroup*bins*words-1], cells[len(lines)*words-1]
	kernel := addLines256x1
	switch [2]int{bins, words} {
	case [2]int{40, 1}:
		kernel = addLines40x1
	case [2]int{136, 1}:
		kernel = addLines136x1
	case [2]int{40, 4}:
		kernel = addLines40x4
	case [2]int{136, 4}:
		kernel = addLines136x4
	case [2]int{256, 4}:
		kernel = addLines256x4
	}
	kernel(&hist[0], &lanes[0], uint64(stride), &lines[0], &cells[0], uint64(len(lines)))
}

func addScoresAVX2(scores []float64, run, total []int64, l2 float64) {
	if len(scores) == 0 {
		return
	}
	n := len(scores)
	_ = run[n*len(total)-1]
	kernel := addScores1
	if len(total) == 4 {
		kernel = addScores4
	}
	kernel(&scores[0], &run[0], &total[0], l2, uint64(n))
}

func orAboveAVX2(bits, col []uint8, border, bit uint8) {
	whole := len(bits) &^ 31
	if whole > 0 {
		_ = col[whole-1]
		orAbove32(&bits[0], &col[0], border, bit, uint64(whole))
	}
	orAboveGo(bits[whole:], col[whole:], border, bit)
}
