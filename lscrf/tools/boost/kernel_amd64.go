package boost

import "golang.org/x/sys/cpu"

//go:generate go run hdseg/lscrf/tools/boost/internal/gen -out kernel_amd64.s -stubs kernel_stubs_amd64.go -pkg boost

// kernelSets returns the sets that run on this machine, the fastest last.
func kernelSets() []kernelSet {
	sets := []kernelSet{genericKernels}
	x := &cpu.X86
	if x.HasAVX2 {
		sets = append(sets, kernelSet{"avx2", addLinesAVX2, settleAVX2, addScoresAVX2, orAboveAVX2, binColumnGo, addTreesAVX2})
	}
	if x.HasAVX2 && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ {
		sets = append(sets, kernelSet{"avx512", addLinesAVX2, settleAVX2, addScoresAVX2, orAboveAVX2, binColumnAVX512, addTreesAVX512})
	}
	return sets
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
	case [2]int{72, 1}:
		kernel = addLines72x1
	case [2]int{136, 1}:
		kernel = addLines136x1
	case [2]int{256, 1}:
	case [2]int{40, 2}:
		kernel = addLines40x2
	case [2]int{72, 2}:
		kernel = addLines72x2
	case [2]int{136, 2}:
		kernel = addLines136x2
	case [2]int{256, 2}:
		kernel = addLines256x2
	case [2]int{40, 4}:
		kernel = addLines40x4
	case [2]int{72, 4}:
		kernel = addLines72x4
	case [2]int{136, 4}:
		kernel = addLines136x4
	case [2]int{256, 4}:
		kernel = addLines256x4
	default:
		addLinesGo(hist, bins, words, lanes, stride, lines, cells)
		return
	}
	kernel(&hist[0], &lanes[0], uint64(stride), &lines[0], &cells[0], uint64(len(lines)))
}

func settleAVX2(small, large []int64, words int) {
	if large == nil || len(small) == 0 {
		settleGo(small, large, words)
		return
	}
	_ = large[len(small)-1]
	n := uint64(len(small) / words)
	switch words {
	case 1:
		settle1(&small[0], &large[0], n)
	case 2:
		settle2(&small[0], &large[0], n)
	case 4:
		settle4(&small[0], &large[0], n)
	}
}

func addScoresAVX2(scores []float64, run, total []int64, l2 float64) {
	if len(scores) == 0 {
		return
	}
	n := len(scores)
	_ = run[n*len(total)-1]
	kernel := addScores1
	switch len(total) {
	case 2:
		kernel = addScores2
	case 4:
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

func binColumnAVX512(s *search, dst []uint8, x []float32) {
	whole := len(x) &^ 15
	if whole > 0 {
		kernel := binColumn5
		switch s.levels {
		case 6:
			kernel = binColumn6
		case 7:
			kernel = binColumn7
		case 8:
			kernel = binColumn8
		}
		_ = dst[whole-1]
		kernel(&dst[0], &x[0], &s.table[0], uint64(whole))
	}
	binColumnGo(s, dst[whole:], x[whole:])
}

func addTreesAVX2(sums []float32, bins []uint8, trees []uint32, n, width int) {
	addTreesWith(orAboveAVX2, sums, bins, trees, n, width)
}

// addTreesAVX512 trusts the offsets of columns in trees.
func addTreesAVX512(sums []float32, bins []uint8, trees []uint32, n, width int) {
	_, _ = sums[width*blockBins-1], trees[n*(16+64*width)-1]
	addTrees64(&sums[0], &bins[0], &trees[0], uint64(n), uint64(width))
}
