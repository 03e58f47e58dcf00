package boost

//go:generate go run asm_gen.go -out kernel_amd64.s -stubs kernel_stubs_amd64.go -pkg boost

// addLines is addLinesGo, in machine code where there is some for the sizes.
func addLines(hist []int64, bins, words int, lanes []uint8, stride int, lines []uint32, cells []int64) {
	if words != 1 || len(lines) == 0 {
		addLinesGo(hist, bins, words, lanes, stride, lines, cells)
		return
	}
	kernel := addLines256
	switch bins {
	case 40:
		kernel = addLines40
	case 72:
		kernel = addLines72
	case 136:
		kernel = addLines136
	}
	kernel(&hist[0], &lanes[0], uint64(stride), &lines[0], &cells[0], uint64(len(lines)))
}
