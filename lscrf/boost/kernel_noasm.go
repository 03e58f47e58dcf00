//go:build !amd64

package boost

func addLines(hist []int64, bins, words int, lanes []uint8, stride int, lines []uint32, cells []int64) {
	addLinesGo(hist, bins, words, lanes, stride, lines, cells)
}
